#include "trace_writer.h"

#include <algorithm>
#include <utility>

namespace blockx::tools {
namespace {

// What belongs to a group as a whole stands on a track of the group's number: 0 means the idle
// thread to some readers. Other tracks come behind those.
TraceWriter::Track OwnTrackOf(TraceWriter::Group group) {
  return {group, static_cast<std::int64_t>(group)};
}
constexpr std::int64_t kFirstTrack = 10;

}  // namespace

void Members::Name(std::string_view name) {
  if (!text_.empty()) text_ += ',';
  text_.append("\"").append(name).append("\":");
}

Members& Members::Text(std::string_view name, std::string_view text) {
  Name(name);
  text_ += JsonString(text);
  return *this;
}

Members& Members::Number(std::string_view name, std::int64_t number) {
  Name(name);
  text_ += std::to_string(number);
  return *this;
}

Members& Members::Flag(std::string_view name, bool flag) {
  Name(name);
  text_ += flag ? "true" : "false";
  return *this;
}

TraceWriter::TraceWriter(const Timeline& timeline, Output& out) : timeline_(timeline), out_(out) {
  out_.Write("{\"traceEvents\":[\n");
}

void TraceWriter::Event(std::string_view kind, const Track& track, const Members& members,
                        const Members& args) {
  std::string line = std::exchange(first_, false) ? "" : ",\n";
  line.append("{\"ph\":\"").append(kind).append("\",\"pid\":");
  line.append(std::to_string(static_cast<int>(track.group))).append(",\"tid\":");
  line.append(std::to_string(track.number)).append(",").append(members.text());
  if (!args.text().empty()) line.append(",\"args\":{").append(args.text()).append("}");
  out_.Write(line += '}');
}

void TraceWriter::Metadata(std::string_view what, const Track& track, const Members& args) {
  Event("M", track, Members().Text("name", what), args);
}

void TraceWriter::NameGroup(Group group, std::string_view name) {
  Metadata("process_name", OwnTrackOf(group), Members().Text("name", name));
  Metadata("process_sort_index", OwnTrackOf(group),
           Members().Number("sort_index", static_cast<int>(group)));
}

TraceWriter::Track TraceWriter::TrackOf(Group group, std::int64_t place, Lane lane,
                                        std::string_view name) {
  const auto [at, added] = tracks_.try_emplace({group, place, lane}, kFirstTrack + tracks_.size());
  const Track track{group, at->second};
  if (added) {
    const std::string number = lane == 0 ? "" : " (" + std::to_string(lane + 1) + ")";
    Metadata("thread_name", track, Members().Text("name", std::string(name) + number));
    Metadata("thread_sort_index", track, Members().Number("sort_index", place));
  }
  return track;
}

void TraceWriter::Span(const Track& track, std::string_view name, engine::Instant begin,
                       engine::Instant end, const Members& args) {
  if (end < timeline_.first || begin > timeline_.last.at) return;
  begin = std::max(begin, timeline_.first);
  end = std::max(begin, std::min(end, timeline_.last.at));
  Event("X", track,
        Members()
            .Text("name", name)
            .Number("ts", timeline_.SinceZero(begin))
            .Number("dur", engine::Elapsed(begin, end).count()),
        args);
}

void TraceWriter::Instant(const Track& track, std::string_view name, engine::Instant at,
                          const Members& args) {
  if (!Shows(at)) return;
  Event("i", track,
        Members().Text("name", name).Number("ts", timeline_.SinceZero(at)).Text("s", "t"), args);
}

void TraceWriter::Level(std::string_view name, engine::Instant at, std::int64_t level) {
  Event("C", OwnTrackOf(Group::kLevels),
        Members().Text("name", name).Number("ts", timeline_.SinceZero(at)),
        Members().Number("value", level));
}

void TraceWriter::Arrow(std::string_view name, const Track& from, engine::Instant begin,
                        const Track& to, engine::Instant end) {
  if (!Shows(begin) || !Shows(end)) return;
  ++arrows_;
  const auto members = [&](engine::Instant at) {
    return Members()
        .Text("name", name)
        .Text("cat", name)
        .Number("id", arrows_)
        .Number("ts", timeline_.SinceZero(at));
  };
  Event("s", from, members(begin), {});
  Event("f", to, members(end).Text("bp", "e"), {});
}

void TraceWriter::End(const Members& about) {
  out_.Write("\n],\"displayTimeUnit\":\"ms\",\"otherData\":{" + about.text() + "}}\n");
}

}  // namespace blockx::tools
