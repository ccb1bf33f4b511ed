#ifndef BLOCKX_TOOLS_REPLAY_TRACE_WRITER_H_
#define BLOCKX_TOOLS_REPLAY_TRACE_WRITER_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>

#include "output.h"
#include "timeline.h"

namespace blockx::tools {

// The members of a JSON object, one after the other.
class Members {
 public:
  Members& Text(std::string_view name, std::string_view text);
  Members& Number(std::string_view name, std::int64_t number);
  Members& Flag(std::string_view name, bool flag);
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  void Name(std::string_view name);
  std::string text_;
};

// Writes Chrome's trace event format, event by event, as ui.perfetto.dev and chrome://tracing read
// it. Times are microseconds since the timeline's zero; what lies outside of what it shows is cut.
class TraceWriter {
 public:
  TraceWriter(const Timeline& timeline, Output& out);

  // A group of tracks, shown in the order of their numbers.
  enum class Group : std::uint8_t { kWorker = 1, kSlots, kExecutors, kLevels };
  struct Track {
    Group group{};
    std::int64_t number = 0;
  };
  void NameGroup(Group group, std::string_view name);
  // The track of a lane, the same for the same place; named when it is first asked for. Shown in
  // the order of places.
  Track TrackOf(Group group, std::int64_t place, Lane lane, std::string_view name);

  // Spans of one track must lie within each other or apart, the outer one written first.
  void Span(const Track& track, std::string_view name, engine::Instant begin, engine::Instant end,
            const Members& args);
  void Instant(const Track& track, std::string_view name, engine::Instant at, const Members& args);
  void Level(std::string_view name, engine::Instant at, std::int64_t level);
  // An arrow from the span that is there at that time to the one that is there at another.
  void Arrow(std::string_view name, const Track& from, engine::Instant begin, const Track& to,
             engine::Instant end);

  // Nothing can be written afterwards.
  void End(const Members& about);

 private:
  [[nodiscard]] bool Shows(engine::Instant at) const {
    return at >= timeline_.first && at <= timeline_.last.at;
  }
  void Event(std::string_view kind, const Track& track, const Members& members,
             const Members& args);
  void Metadata(std::string_view what, const Track& track, const Members& args);

  const Timeline& timeline_;
  Output& out_;
  bool first_ = true;
  std::int64_t arrows_ = 0;
  std::map<std::tuple<Group, std::int64_t, Lane>, std::int64_t> tracks_;
};

}  // namespace blockx::tools

#endif  // BLOCKX_TOOLS_REPLAY_TRACE_WRITER_H_
