// Logs as JSON Lines (docs/text-form.md, "A log as text"), without loss in either direction.
#ifndef BLOCKX_REPLAY_LOG_TEXT_H_
#define BLOCKX_REPLAY_LOG_TEXT_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "blockx/engine/driver.h"
#include "blockx/proto/segment.pb.h"
#include "blockx/replay/log_reader.h"
#include "blockx/replay/text.h"

namespace blockx::replay {

// 16 hexadecimal digits.
std::string DigestText(std::uint64_t digest);

// Each fills a line of its own.
void ToLine(const log::v1::Header& header, log::v1::Line& line);
void ToLine(const LogSnapshot& snapshot, log::v1::Line& line);
void ToLine(const Record& record, log::v1::Line& line);
// With its outputs, whether or not a log keeps them.
void ToLine(const engine::Step& step, log::v1::Line& line);

// The line as JSON, without an end.
std::string JsonOf(const log::v1::Line& line);

// What a line says. InvalidArgument: it has no digest, or no sequence number.
absl::StatusOr<LogSnapshot> SnapshotOf(const log::v1::Line& line);
// The record borrows from the line's reader and from `outputs`.
absl::StatusOr<Record> RecordOf(const InputLine& line, std::string& outputs);

}  // namespace blockx::replay

#endif  // BLOCKX_REPLAY_LOG_TEXT_H_
