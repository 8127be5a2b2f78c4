// What a map of configuration may hold, as data: one table serves checking, reading, defaults, JSON Schema and help.
// Checking (check) and using (View) are two places: check reports everything, a View then never fails.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/config/node.hpp"
#include "sim/units/quantity.hpp"

namespace kvtraffic::sim {

struct Table;

enum class Type {
  text,        // any scalar
  name,        // letters, digits, '-', '_', '.', starting with a letter or digit
  flag,        // true | false
  integer,     // whole number
  number,      // decimal number
  tokens,      // 128K = 131,072
  bytes,       // unit required
  duration,    // unit required
  bandwidth,   // unit required
  frequency,   // unit required
  flop_rate,   // unit required
  ratio,       // 0.93 or 93%
  choice,      // one of Field::choices
  map,         // Field::table; or, where there are any, one of the words Field::choices
  list,        // of Field::item; of maps when item == Type::map, then Field::table
  dictionary,  // any keys, each value of Field::item (of Field::table when item == Type::map)
  reference,   // a name, a file, or a map {extends: NAME, ...} that some other table checks
  any,         // checked elsewhere
};

struct Field {
  std::string_view name;
  Type type = Type::text;
  std::string_view help = "";  // one sentence, for the schema and the documentation
  bool required = false;
  std::string_view fallback = "";  // the default, as it would stand in the file; "" means none (absent)
  double min = -1e300;             // numbers: smallest and largest that are allowed, in base units
  double max = 1e300;
  std::span<const std::string_view> choices = {};
  const Table* table = nullptr;
  Type item = Type::text;
};

// Fields of which at most one (or exactly one) may be given.
struct Exclusive {
  std::span<const std::string_view> names;
  bool one_required = false;
};

struct Table {
  std::string_view name;  // "scenario", "workload", ...: the definition's name in the schema
  std::string_view help = "";
  std::span<const Field> fields;
  std::span<const Exclusive> exclusive = {};
  // Every scalar may also be written {value: V, source: S, certainty: C}, and every map may carry `source` and
  // `certainty` for all below it. Catalogs set it.
  bool sourced = false;
};

// Where a number comes from: a key of the catalog's `sources`, and how sure it is.
struct Provenance {
  std::string source;
  std::string certainty;  // spec | measured | published | assumed; with a text after it ("assumed, scaled from X")
};

// Reports every fault of `node` against `table`: not a map, unknown key (with the nearest name), missing key, wrong
// type, bare number where a unit exists, out of range, fields that exclude each other, a provenance that is none.
// `path` prefixes the keys.
void check(const Node& node, const Table& table, Diagnostics& diagnostics, std::string_view path = "");

// A checked map, read by field name. Asking for a name that the table does not have is our own fault (assertion).
// A value that check() refused, or one that is absent without a default, reads as zero, empty or false.
class View {
 public:
  View(const Node& node, const Table& table) : node_(&node), table_(&table) {}

  [[nodiscard]] bool has(std::string_view field) const;  // written in the file (a default does not count)
  [[nodiscard]] const Node& node(
      std::string_view field) const;  // the raw value without its provenance; a null node when absent
  [[nodiscard]] Mark mark(std::string_view field) const;         // of the value, or of this map when absent
  [[nodiscard]] std::string text(std::string_view field) const;  // text, name, choice, reference
  [[nodiscard]] bool flag(std::string_view field) const;
  [[nodiscard]] std::int64_t integer(std::string_view field) const;  // integer, tokens
  [[nodiscard]] double number(std::string_view field) const;         // number, ratio, integer
  [[nodiscard]] Bytes bytes(std::string_view field) const;
  [[nodiscard]] Duration duration(std::string_view field) const;
  [[nodiscard]] Bandwidth bandwidth(std::string_view field) const;
  [[nodiscard]] Frequency frequency(std::string_view field) const;
  [[nodiscard]] FlopRate flop_rate(std::string_view field) const;
  [[nodiscard]] View map(std::string_view field) const;                        // an empty map when absent
  [[nodiscard]] std::vector<View> maps(std::string_view field) const;          // of a list of maps
  [[nodiscard]] std::vector<std::string> texts(std::string_view field) const;  // of a list of scalars
  [[nodiscard]] const Node& raw() const { return *node_; }

 private:
  const Node* node_;
  const Table* table_;
};

// `node` with every default of `table` filled in, recursively, scalars in canonical form (tokens as plain numbers).
[[nodiscard]] Node with_defaults(const Node& node, const Table& table);

// Provenance of every scalar below `node`, by dotted path, inherited from the maps above it.
[[nodiscard]] std::map<std::string, Provenance> provenance_of(const Node& node, const Table& table);

}  // namespace kvtraffic::sim
