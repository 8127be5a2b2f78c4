// Laying a set of weight formats over a model entry, with the sources of its numbers.
#include "models/spec/weight_set.hpp"

#include <array>
#include <stdexcept>

#include "sim/config/sources.hpp"

namespace kvtraffic::models {
namespace {

using sim::Field;
using sim::Node;
using sim::Table;
using sim::Type;

constexpr std::array<std::string_view, 2> provenance_keys{"source", "certainty"};

// Sets and models describe a class of weights by the same table.
const Table& weights_of_model() {
  for (const Field& field : model_table().fields) {
    if (field.name == "weights") return *field.table;
  }
  throw std::logic_error("models have no weights");
}

// What `maps` say about where their numbers come from, the innermost last, is said by `node` itself.
Node with_provenance(Node node, const std::vector<const Node*>& maps) {
  for (const std::string_view key : provenance_keys) {
    if (node.find(key) != nullptr) continue;
    const Node* said = nullptr;
    for (const Node* map : maps) {
      if (map->find(key) != nullptr) said = map->find(key);
    }
    if (said != nullptr) node.set(key, *said, said->mark());
  }
  return node;
}

Node member_or_map(const Node& node, std::string_view key) {
  const Node* found = node.find(key);
  return found == nullptr ? Node::map({}) : *found;
}

}  // namespace

const Table& weight_set_table() {
  static const std::array<Field, 4> fields{
      Field{.name = "name", .type = Type::text, .help = "Name in catalogs and results.", .required = true},
      Field{.name = "summary", .type = Type::text, .help = "One line for lists."},
      Field{.name = "sources", .type = Type::dictionary, .help = "Addresses of the sources that numbers name."},
      Field{.name = "weights",
            .type = Type::map,
            .help = "Storage format of each class of weights; a class that is not named stays as the model has it.",
            .required = true,
            .table = &weights_of_model()}};
  static const Table table{
      .name = "weight_set", .help = "Weight formats that are laid over a model.", .fields = fields, .sourced = true};
  return table;
}

void check_weight_set(const Node& entry, sim::Diagnostics& diagnostics) {
  check(entry, weight_set_table(), diagnostics);
  check_sources(entry, weight_set_table(), diagnostics);
}

Node with_weights(const Node& model_entry, const Node& set) {
  Node whole = model_entry;
  const Node formats = member_or_map(set, "weights");
  Node weights = member_or_map(whole, "weights");
  for (const Node::Member& member : formats.members()) {
    if (member.key == provenance_keys[0] || member.key == provenance_keys[1]) continue;
    weights.set(member.key, with_provenance(member.value, {&set, &formats}), member.key_mark);
  }
  whole.set("weights", std::move(weights));
  whole.set("sources", merged(member_or_map(whole, "sources"), member_or_map(set, "sources")));
  return whole;
}

}  // namespace kvtraffic::models
