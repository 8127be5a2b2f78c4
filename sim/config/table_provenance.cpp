// Where each value of a sourced map comes from, by dotted path.
// Leaves out the sources themselves: a catalog lists them beside its numbers.
#include <fmt/format.h>

#include "sim/config/table.hpp"
#include "sim/config/table_tools.hpp"

namespace kvtraffic::sim {
namespace {

using Origins = std::map<std::string, Provenance>;

std::string text_of(const Node& map, std::string_view key, const std::string& inherited) {
  const Node* value = map.find(key);
  return value != nullptr && value->is_scalar() ? value->text() : inherited;
}

class Walk {
 public:
  explicit Walk(bool is_sourced) : is_sourced_(is_sourced) {}

  void value(const Node& node, const Field* field, Type type, const std::string& path, const Provenance& above);
  void map(const Node& node, const Table* table, const std::string& path, const Provenance& above);
  [[nodiscard]] Origins take() { return std::move(origins_); }

 private:
  [[nodiscard]] Provenance own(const Node& map, const Table* table, const Provenance& above) const;

  bool is_sourced_;
  Origins origins_;
};

// What `map` says about all below it, on top of what stands above it.
Provenance Walk::own(const Node& map, const Table* table, const Provenance& above) const {
  Provenance result = above;
  if (is_sourced_ && is_provenance_key(kSourceKey, table)) {
    result.source = text_of(map, kSourceKey, above.source);
  }
  if (is_sourced_ && is_provenance_key(kCertaintyKey, table)) {
    result.certainty = text_of(map, kCertaintyKey, above.certainty);
  }
  return result;
}

void Walk::map(const Node& node, const Table* table, const std::string& path, const Provenance& above) {
  const Provenance here = own(node, table, above);
  for (const Node::Member& member : node.members()) {
    if (is_sourced_ && is_provenance_key(member.key, table)) {
      continue;
    }
    const Field* field = table == nullptr ? nullptr : find_field(*table, member.key);
    const std::string below = path.empty() ? member.key : fmt::format("{}.{}", path, member.key);
    value(member.value, field, field == nullptr ? Type::reference : field->type, below, here);
  }
}

void Walk::value(const Node& node, const Field* field, Type type, const std::string& path, const Provenance& above) {
  const Node& inner = is_sourced_ ? without_provenance(node, type) : node;
  if (&inner != &node) {
    value(inner, field, type, path, own(node, nullptr, above));
  } else if (node.is_scalar()) {
    origins_[path] = above;
  } else if (node.is_list()) {
    const Type item = type == Type::list && field != nullptr ? field->item : Type::reference;
    for (std::size_t i = 0; i < node.items().size(); ++i) {
      value(node.items()[i], field, item, fmt::format("{}[{}]", path, i), above);
    }
  } else if (node.is_map() && type == Type::dictionary && field != nullptr) {
    const Provenance here = own(node, nullptr, above);
    for (const Node::Member& member : node.members()) {
      if (!is_sourced_ || !is_provenance_key(member.key, nullptr)) {
        value(member.value, field, field->item, fmt::format("{}.{}", path, member.key), here);
      }
    }
  } else if (node.is_map()) {
    map(node, type == Type::map && field != nullptr ? field->table : nullptr, path, above);
  }
}

}  // namespace

std::map<std::string, Provenance> provenance_of(const Node& node, const Table& table) {
  Walk walk(table.sourced);
  walk.map(node, &table, "", {});
  return walk.take();
}

}  // namespace kvtraffic::sim
