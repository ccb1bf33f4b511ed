// Makes the first files of tests/fuzz/corpus in the folder that is named.
#include <cstdio>
#include <string>

#include "replay/examples.h"
#include "replay/recording.h"
#include "replay/segment_bytes.h"

namespace blockx::replay {
namespace {

// As contents_fuzz.cc takes them.
std::string ContentsOf(const std::string& segment) {
  constexpr std::string_view kKinds = "HSCIP";
  std::string out(1, '\1');
  for (const RawBlock& block : TakeApart(segment).blocks) {
    out += static_cast<char>(kKinds.find(block.kind));
    out += static_cast<char>(block.records);
    out += static_cast<char>(block.content.size());
    out += static_cast<char>(block.content.size() >> 8);
    out += block.content;
  }
  return out;
}

void Make(const std::string& folder) {
  TemporaryFolder logs;
  for (const bool full : {false, true}) {
    RecorderOptions options = In(logs.path(full ? "full" : "digest"));
    options.payloads = full ? PayloadMode::kFull : PayloadMode::kDigest;
    options.outputs = full;
    options.snapshot_records = 10;
    MakeLog(options, 25);
    const std::string segment = FileText(OnlySegment(options.folder));
    const std::string name = full ? "/full" : "/digest";
    WriteFile(folder + "/segment" + name, segment);
    WriteFile(folder + "/contents" + name, ContentsOf(segment));
    std::string text;
    for (const std::string& line : TextLines(options.folder)) text += line + "\n";
    WriteFile(folder + "/text" + name, text);
  }
  std::string events;
  for (const EventExample& example : EventExamples()) {
    events += R"({"nowUs":1,"event":)" + std::string(example.text) + "}\n";
  }
  WriteFile(folder + "/text/each-event", events);
}

}  // namespace
}  // namespace blockx::replay

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: make_fuzz_corpus FOLDER\n");
    return 2;
  }
  blockx::replay::Make(argv[1]);
}
