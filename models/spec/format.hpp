// A cache format set: how each family of caches lays out its entries, as declared in models/formats.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "models/spec/model.hpp"
#include "sim/graph/layout.hpp"

namespace kvtraffic::models {

// What an entry is for. A family need not have all.
enum class EntryRole { main, local, index };
[[nodiscard]] std::string_view name_of(EntryRole role);

struct CacheFormat {
  std::string name;
  std::string summary;
  sim::Node resolved;
  std::map<std::string, sim::Provenance> provenance;
  std::map<std::string, std::string> sources;

  // Entry of `role` for this attention: widths named in the file ("head_dim") are taken from it. Requires an earlier
  // check_family.
  [[nodiscard]] sim::Layout layout(EntryRole role, const std::string& family, const Attention& attention) const;
  // One row of compressor state: value and score, in the format's state width. `width` values each.
  [[nodiscard]] sim::Layout state_row(const std::string& family, const Attention& attention, std::int64_t width) const;
  // Rows of state that a layer keeps: those that a block pools, or a longer ring where the engine has one.
  [[nodiscard]] std::int64_t state_rows(const std::string& family, const Attention& attention) const;
  // Bits per value of an entry's first part, scales left out. Requires an earlier check_family.
  [[nodiscard]] std::int64_t value_bits(EntryRole role, const std::string& family) const;
  [[nodiscard]] std::vector<std::string> families() const;
};

[[nodiscard]] const sim::Table& format_table();
[[nodiscard]] CacheFormat read_format(const sim::Node& entry, sim::Diagnostics& diagnostics);

// Reports a family, or an entry role that the model's layers need, which the format does not know, and lists those it
// knows; and an entry made of widths that a layer does not have.
void check_family(const CacheFormat& format, const Model& model, const sim::Mark& where, sim::Diagnostics& diagnostics);

}  // namespace kvtraffic::models
