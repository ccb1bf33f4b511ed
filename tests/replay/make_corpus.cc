// Makes the logs of tests/replay/corpus/v1 in the folder that is named. They are in the repository
// to show that what once was written stays readable: add to them, and leave those that are there.
#include <cstdio>
#include <filesystem>
#include <string>

#include "replay/recording.h"

namespace blockx::replay {
namespace {

void Make(const std::string& folder) {
  RecorderOptions options = In(folder + "/every-kind");
  options.snapshot_records = 400;
  MakeLog(options);

  options = In(folder + "/full");
  options.payloads = PayloadMode::kFull;
  options.outputs = true;
  MakeLog(options, 200);

  options = In(folder + "/segments");
  options.limits.segment_bytes = 1;
  MakeLog(options, 350);

  // As a crash leaves it: in the middle of a block.
  options = In(folder + "/torn");
  MakeLog(options, 350);
  const std::string file = OnlySegment(options.folder);
  std::filesystem::resize_file(file, OpenLog(file)->segments().front().blocks.back().offset + 100);
}

}  // namespace
}  // namespace blockx::replay

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: make_replay_corpus FOLDER\n");
    return 2;
  }
  blockx::replay::Make(argv[1]);
}
