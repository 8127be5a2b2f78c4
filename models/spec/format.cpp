// Reading cache formats, and laying out an entry for the widths of an attention.
#include "models/spec/format.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <set>
#include <stdexcept>

#include "sim/config/sources.hpp"
#include "sim/units/parse.hpp"
#include "sim/units/quantity.hpp"

namespace kvtraffic::models {
namespace {

using sim::Field;
using sim::Node;
using sim::Table;
using sim::Type;
using sim::View;

constexpr std::string_view placements[] = {"row", "apart"};
constexpr std::string_view widths[] = {"kv_rank",   "rope_dim",  "nope_dim",  "value_dim",  "head_dim",
                                       "unrotated", "index_dim", "key_heads", "value_heads"};

constexpr Field part_fields[] = {
    {.name = "values",
     .type = Type::text,
     .help = "How many: a number, or a width of the attention (kv_rank, rope_dim, head_dim, unrotated = head_dim - "
             "rope_dim, index_dim, key_heads and value_heads = all cached heads together, ...).",
     .required = true},
    {.name = "bits", .type = Type::integer, .help = "Bits per value.", .required = true, .min = 1, .max = 64},
    {.name = "scale_bits",
     .type = Type::integer,
     .help = "Bits per scale; 0: none.",
     .fallback = "0",
     .min = 0,
     .max = 64},
    {.name = "scale_group",
     .type = Type::integer,
     .help = "Values that share a scale.",
     .fallback = "1",
     .min = 1,
     .max = 1e6},
    {.name = "scales",
     .type = Type::choice,
     .help = "Scales stand in the row, or apart behind all rows of the page.",
     .fallback = "row",
     .choices = placements},
    {.name = "place",
     .type = Type::choice,
     .help = "The values themselves stand in the row, or apart in a plane of their own.",
     .fallback = "row",
     .choices = placements},
};
constexpr Table part_table{.name = "part", .help = "Values of one width.", .fields = part_fields};

constexpr std::string_view page_sizes[] = {"page_entries", "page_tokens"};
constexpr sim::Exclusive one_page_size[] = {{.names = page_sizes, .one_required = true}};
constexpr Field entry_fields[] = {
    {.name = "parts",
     .type = Type::list,
     .help = "What an entry consists of.",
     .required = true,
     .table = &part_table,
     .item = Type::map},
    {.name = "pad_row",
     .type = Type::bytes,
     .help = "Unused bytes at the end of a row.",
     .fallback = "0 B",
     .min = 0,
     .max = 1e6},
    {.name = "pad_apart",
     .type = Type::bytes,
     .help = "Unused bytes beside the scales that lie apart.",
     .fallback = "0 B",
     .min = 0,
     .max = 1e6},
    {.name = "page_entries", .type = Type::integer, .help = "Entries in a page.", .min = 1, .max = 1e6},
    {.name = "page_tokens",
     .type = Type::tokens,
     .help = "Tokens that a page covers; entries = tokens / ratio.",
     .min = 1,
     .max = 1e6},
    {.name = "page_align",
     .type = Type::bytes,
     .help = "Pages are multiples of this; a multiple of 32 B.",
     .fallback = "32 B",
     .min = 32,
     .max = 1e9},
};
constexpr Table entry_table{.name = "entry",
                            .help = "How one cached entry lies in memory.",
                            .fields = entry_fields,
                            .exclusive = one_page_size};

constexpr Field state_fields[] = {
    {.name = "bits",
     .type = Type::integer,
     .help = "Bits per value of the compressor state.",
     .fallback = "32",
     .min = 8,
     .max = 64},
    {.name = "rows",
     .type = Type::integer,
     .help = "Fewest rows of the ring that holds it; it never holds fewer than a block pools.",
     .fallback = "1",
     .min = 1,
     .max = 1e6},
};
constexpr Table state_table{.name = "state", .help = "Compressor state of the open block.", .fields = state_fields};

constexpr Field family_fields[] = {
    {.name = "main", .type = Type::map, .help = "Entries that attention reads.", .table = &entry_table},
    {.name = "local", .type = Type::map, .help = "Entries of the sliding window.", .table = &entry_table},
    {.name = "index", .type = Type::map, .help = "Keys that the indexer scores.", .table = &entry_table},
    {.name = "state", .type = Type::map, .help = "Compressor state.", .table = &state_table},
};
constexpr Table family_table{.name = "family", .help = "Entries of one family of models.", .fields = family_fields};

constexpr Field format_fields[] = {
    {.name = "name", .type = Type::text, .help = "Name in catalogs and results.", .required = true},
    {.name = "summary", .type = Type::text, .help = "One line for lists."},
    {.name = "sources", .type = Type::dictionary, .help = "Addresses of the sources that numbers name."},
    {.name = "families",
     .type = Type::dictionary,
     .help = "By family, as a model's `cache` names it.",
     .required = true,
     .table = &family_table,
     .item = Type::map},
};
constexpr Table format_root{
    .name = "format", .help = "A set of cache entry layouts.", .fields = format_fields, .sourced = true};

// In a sourced file every map may say where its numbers come from; such keys name no family.
bool is_provenance(std::string_view key) { return key == "source" || key == "certainty"; }

std::int64_t width_named(const std::string& name, const Attention& a) {
  if (name == "kv_rank") return a.kv_rank;
  if (name == "rope_dim") return a.rope_dim;
  if (name == "nope_dim") return a.nope_dim;
  if (name == "value_dim") return a.value_dim;
  if (name == "head_dim") return a.head_dim;
  if (name == "unrotated") return a.head_dim - a.rope_dim;
  if (name == "index_dim") return a.index_dim;
  if (name == "key_heads") return a.kv_heads * (a.is_latent() ? a.nope_dim + a.rope_dim : a.head_dim);
  if (name == "value_heads") return a.kv_heads * (a.is_latent() ? a.value_dim : a.head_dim);
  return sim::parse_integer(name).value_or(0);
}

// Sizes of one entry while its parts are added up, in bits, and the sum in words.
struct EntrySum {
  std::int64_t row_bits = 0;
  std::int64_t apart_bits = 0;
  std::vector<std::string> terms;

  void add(const View& part, const Attention& attention) {
    const std::int64_t values = width_named(part.text("values"), attention);
    const std::int64_t bits = part.integer("bits");
    const bool moved = part.text("place") == "apart";
    (moved ? apart_bits : row_bits) += values * bits;
    terms.push_back(fmt::format("{} x {} bit{}", values, bits, moved ? " apart" : ""));
    const std::int64_t scale_bits = part.integer("scale_bits");
    if (scale_bits == 0) return;
    const std::int64_t scales = sim::ceil_divide(values, part.integer("scale_group"));
    const bool apart = part.text("scales") == "apart";
    (apart ? apart_bits : row_bits) += scales * scale_bits;
    terms.push_back(fmt::format("{} scales{} x {} bit", scales, apart ? " apart" : "", scale_bits));
  }
};

sim::Layout lay_out_entry(const View& entry, const std::string& label, const std::string& source,
                          const Attention& attention) {
  EntrySum sum;
  for (const View& part_view : entry.maps("parts")) sum.add(part_view, attention);
  sim::Layout layout;
  layout.row = sim::ceil_divide(sum.row_bits, 8) + entry.bytes("pad_row").count();
  layout.apart = sim::ceil_divide(sum.apart_bits, 8) + entry.bytes("pad_apart").count();
  const std::int64_t pads = entry.bytes("pad_row").count() + entry.bytes("pad_apart").count();
  if (pads > 0) sum.terms.push_back(fmt::format("{} B pad", pads));
  layout.page_entries = entry.has("page_tokens")
                            ? std::max<std::int64_t>(1, entry.integer("page_tokens") / attention.ratio)
                            : entry.integer("page_entries");
  layout.page_bytes = sim::round_up_to(sim::checked_multiply(layout.page_entries, layout.entry_bytes()),
                                       entry.bytes("page_align").count());
  layout.name = fmt::format("{} {}+{} B x {}", label, layout.row, layout.apart, layout.page_entries);
  layout.arithmetic = fmt::format("{} = {} B", fmt::join(sum.terms, " + "), layout.entry_bytes());
  layout.source = source;
  return layout;
}

// Entries that a layer with this attention needs.
std::vector<EntryRole> needed_roles(const Attention& a) {
  std::vector<EntryRole> roles;
  if (a.has_window()) roles.push_back(EntryRole::local);
  if (a.kind != AttentionKind::window) roles.push_back(EntryRole::main);
  if (a.selects()) roles.push_back(EntryRole::index);
  return roles;
}

// Why an entry cannot be this attention's, or "": made of a width that it lacks, of single heads where one entry serves
// them all, or the other way round. Such an entry would have a size, and a wrong one.
std::string misfit(const View& entry, const Attention& a) {
  for (const View& part : entry.maps("parts")) {
    const std::string values = part.text("values");
    if (sim::parse_integer(values)) continue;
    if (width_named(values, a) <= 0)
      return fmt::format("is made of '{}', which kind '{}' lacks", values, name_of(a.kind));
    const bool of_heads = values == "key_heads" || values == "value_heads";
    if (of_heads && !a.has_heads_cached())
      return fmt::format("keeps single heads, but kind '{}' caches one entry for all", name_of(a.kind));
    if (!of_heads && a.has_heads_cached())
      return fmt::format("keeps one '{}' for all heads, but kind '{}' caches single ones", values, name_of(a.kind));
  }
  return "";
}

void check_layer(const CacheFormat& format, const Model& model, const Attention& a, const View& family,
                 const std::function<void(const std::string&)>& tell) {
  for (const EntryRole role : needed_roles(a)) {
    if (!family.has(name_of(role))) {
      tell(fmt::format("format '{}' has no '{}' entry for family '{}', which '{}' needs", format.name, name_of(role),
                       model.cache, model.name));
      continue;
    }
    const std::string why = misfit(family.map(name_of(role)), a);
    if (!why.empty()) {
      tell(
          fmt::format("the '{}' entry of family '{}' in format '{}' {}", name_of(role), model.cache, format.name, why));
    }
  }
  if (a.owns_cache() && a.ratio > 1 && !family.has("state")) {
    tell(fmt::format("format '{}' has no 'state' for family '{}', which '{}' needs", format.name, model.cache,
                     model.name));
  }
}

void check_parts(const View& entry, const std::string& path, sim::Diagnostics& diagnostics) {
  if (entry.maps("parts").empty()) {
    diagnostics.error(entry.mark("parts"), path + ".parts", "an entry needs at least one part");
  }
  for (const View& part_view : entry.maps("parts")) {
    const std::string values = part_view.text("values");
    const bool known = std::find(std::begin(widths), std::end(widths), values) != std::end(widths);
    const auto number = sim::parse_integer(values);
    if (known || (number && *number > 0 && *number <= 1'000'000)) continue;
    diagnostics.error(part_view.mark("values"), path + ".parts.values",
                      fmt::format("'{}' is neither a number of values nor a width", values),
                      fmt::format("a whole number, or one of {}", fmt::join(widths, ", ")),
                      sim::nearest_name(values, {std::begin(widths), std::end(widths)}));
  }
  if (entry.bytes("page_align").count() % sim::sector_bytes != 0) {
    diagnostics.error(entry.mark("page_align"), path + ".page_align", "pages must start on a 32 B sector",
                      "a multiple of 32 B");
  }
}

}  // namespace

std::string_view name_of(EntryRole role) {
  switch (role) {
    case EntryRole::main:
      return "main";
    case EntryRole::local:
      return "local";
    case EntryRole::index:
      return "index";
  }
  return "";
}

const sim::Table& format_table() { return format_root; }

CacheFormat read_format(const sim::Node& entry, sim::Diagnostics& diagnostics) {
  sim::Diagnostics found;
  check(entry, format_root, found);
  check_sources(entry, format_root, found);
  CacheFormat format;
  const View root(entry, format_root);
  format.name = root.text("name");
  format.summary = root.text("summary");
  format.resolved = entry;
  if (!found.has_errors()) {
    for (const auto& member : root.node("families").members()) {
      if (is_provenance(member.key)) continue;
      const View family(member.value, family_table);
      for (const EntryRole role : {EntryRole::main, EntryRole::local, EntryRole::index}) {
        const std::string path = fmt::format("families.{}.{}", member.key, name_of(role));
        if (family.has(name_of(role))) check_parts(family.map(name_of(role)), path, found);
      }
    }
    format.provenance = provenance_of(entry, format_root);
    for (const auto& member : root.node("sources").members()) format.sources[member.key] = member.value.text();
  }
  diagnostics.append(found);
  return format;
}

std::vector<std::string> CacheFormat::families() const {
  std::vector<std::string> names;
  const View root(resolved, format_root);
  for (const auto& member : root.node("families").members()) {
    if (!is_provenance(member.key)) names.push_back(member.key);
  }
  return names;
}

sim::Layout CacheFormat::layout(EntryRole role, const std::string& family, const Attention& attention) const {
  const Node* node = resolved.find("families")->find(family);
  if (node == nullptr) throw std::logic_error("cache family was not checked");
  const std::string path = fmt::format("families.{}.{}", family, name_of(role));
  const auto where = provenance.find(path + ".parts[0].bits");
  const std::string label = fmt::format("{} {}", family, name_of(role));
  return lay_out_entry(View(*node, family_table).map(name_of(role)), label,
                       where == provenance.end() ? "" : where->second.source, attention);
}

std::int64_t CacheFormat::value_bits(EntryRole role, const std::string& family) const {
  const Node* node = resolved.find("families")->find(family);
  if (node == nullptr) throw std::logic_error("cache family was not checked");
  return View(*node, family_table).map(name_of(role)).maps("parts").front().integer("bits");
}

std::int64_t CacheFormat::state_rows(const std::string& family, const Attention& attention) const {
  const Node* node = resolved.find("families")->find(family);
  if (node == nullptr) throw std::logic_error("cache family was not checked");
  const std::int64_t pooled = attention.ratio * (attention.overlap ? 2 : 1);
  return std::max(pooled, View(*node, family_table).map("state").integer("rows"));
}

sim::Layout CacheFormat::state_row(const std::string& family, const Attention& attention, std::int64_t width) const {
  const Node* node = resolved.find("families")->find(family);
  if (node == nullptr) throw std::logic_error("cache family was not checked");
  const View state = View(*node, family_table).map("state");
  const std::int64_t bits = state.integer("bits");
  const std::int64_t blocks = attention.overlap ? 2 : 1;
  const std::int64_t bytes = sim::ceil_divide(2 * blocks * width * bits, 8);
  auto layout =
      sim::Layout::blob(fmt::format("{} state row {} B", family, bytes), bytes,
                        fmt::format("2 (value, score) x {} x {} x {} bit = {} B", blocks, width, bits, bytes));
  const auto where = provenance.find(fmt::format("families.{}.state.bits", family));
  if (where != provenance.end()) layout.source = where->second.source;
  return layout;
}

void check_family(const CacheFormat& format, const Model& model, const sim::Mark& where,
                  sim::Diagnostics& diagnostics) {
  const Node* families = format.resolved.find("families");
  const Node* family = families == nullptr ? nullptr : families->find(model.cache);
  if (family == nullptr) {
    diagnostics.error(
        where, "format",
        fmt::format("format '{}' does not know the caches of '{}' (family '{}')", format.name, model.name, model.cache),
        fmt::format("a model of one of its families: {}", fmt::join(format.families(), ", ")),
        sim::nearest_name(model.cache, format.families()));
    return;
  }
  const View view(*family, family_table);
  std::set<std::string> told;  // layers of one kind have one fault
  const auto tell = [&](const std::string& what) {
    if (told.insert(what).second) diagnostics.error(where, "format", what);
  };
  for (const Layer& layer : model.layers) check_layer(format, model, layer.attention, view, tell);
}

}  // namespace kvtraffic::models
