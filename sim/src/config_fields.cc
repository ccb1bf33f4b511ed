#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "blockx/engine/config.h"
#include "scenario_fields.h"

namespace blockx::sim {
namespace {

void ConfigValue(FieldVisitor& visitor, std::string_view name, const engine::ConfigField& field,
                 engine::Config& config) {
  const Field described = {name, field.meaning, Presence::kDefault};
  const CountRange range = {field.min, field.max};
  switch (field.unit) {
    case engine::ConfigUnit::kBoolean:
      return visitor.Boolean(described, config.*field.boolean);
    case engine::ConfigUnit::kMilliseconds:
      return visitor.Milliseconds(described, config.*field.duration, range);
    case engine::ConfigUnit::kCount:
    case engine::ConfigUnit::kBytes:
    case engine::ConfigUnit::kPercent:
      return visitor.Count(described, config.*field.number, range);
  }
}

// Fields of a production process alone; an engine has no use for them.
struct ProcessField {
  enum class Type { kText, kBoolean, kMilliseconds };
  std::string_view path;
  Type type = Type::kText;
  std::string_view meaning;
};

constexpr ProcessField kProcessFields[] = {
    {"listenAddr", ProcessField::Type::kText, "where the gRPC server listens"},
    {"workerAddr", ProcessField::Type::kText, "the address that others reach the Worker at"},
    {"etcdEndpoints", ProcessField::Type::kText,
     "where the registry is; none or empty: no registration"},
    {"workerRegistryPrefix", ProcessField::Type::kText, "the Workers' keys in the registry"},
    {"grpcKeepaliveTimeMs", ProcessField::Type::kMilliseconds, "pause between two gRPC keepalives"},
    {"grpcKeepaliveTimeoutMs", ProcessField::Type::kMilliseconds,
     "silence after which a connection is lost"},
    {"functionSnapshotRetentionMs", ProcessField::Type::kMilliseconds,
     "how long function code is kept"},
    {"streamBuild.enabled", ProcessField::Type::kBoolean, "whether builders that can stream do so"},
};

// The part of a path before its dot; empty for a field of the top level.
std::string_view GroupOf(std::string_view path) {
  const std::size_t dot = path.find('.');
  return dot == std::string_view::npos ? std::string_view() : path.substr(0, dot);
}

std::string_view NameOf(std::string_view path) { return path.substr(path.find('.') + 1); }

void ProcessValue(FieldVisitor& visitor, const ProcessField& field) {
  const Field described = {NameOf(field.path), field.meaning, Presence::kDefault};
  std::string text;
  bool boolean = false;
  engine::Duration duration{};
  switch (field.type) {
    case ProcessField::Type::kText:
      return visitor.Text(described, text);
    case ProcessField::Type::kBoolean:
      return visitor.Boolean(described, boolean);
    case ProcessField::Type::kMilliseconds:
      return visitor.Milliseconds(described, duration, {0, INT64_MAX / 1000});
  }
}

// The fields of the group, of a process too if asked for.
void GroupFields(FieldVisitor& visitor, std::string_view group, bool process,
                 engine::Config& config) {
  for (const engine::ConfigField& field : engine::ConfigFields()) {
    if (GroupOf(field.path) == group) ConfigValue(visitor, NameOf(field.path), field, config);
  }
  if (!process) return;
  for (const ProcessField& field : kProcessFields) {
    if (GroupOf(field.path) == group) ProcessValue(visitor, field);
  }
}

void AllFields(FieldVisitor& visitor, bool process, engine::Config& config) {
  std::set<std::string_view> visited;
  for (const engine::ConfigField& field : engine::ConfigFields()) {
    const std::string_view group = GroupOf(field.path);
    if (!visited.insert(group).second) continue;
    if (group.empty()) {
      GroupFields(visitor, group, process, config);
      continue;
    }
    visitor.Object({group, "Configuration of every Worker, as in production.", Presence::kDefault},
                   [&](FieldVisitor& inner) { GroupFields(inner, group, process, config); });
  }
}

}  // namespace

void ConfigFields(FieldVisitor& visitor, engine::Config& config) {
  AllFields(visitor, false, config);
}

void ConfigFileFields(FieldVisitor& visitor, engine::Config& config) {
  AllFields(visitor, true, config);
}

}  // namespace blockx::sim
