// The keys of a link file, and from them to a typed Link.
// Leaves out finding links by name.
#include "hardware/spec/link.hpp"

#include <array>
#include <string_view>

#include "hardware/spec/rows.hpp"

namespace kvtraffic::hardware {
namespace {

using sim::Table;
using sim::Type;

constexpr std::array<std::string_view, 1> kinds{"link"};
constexpr double one_femtosecond = 1;

constexpr std::array link_fields{
    rows::kind(kinds, "What the file describes: a link."),
    rows::name("The link's name, which is the file's."),
    rows::summary("One line for lists: standard, width and bandwidth."),
    rows::sources,
    rows::rate("bandwidth", Type::bandwidth, "Peak of all lanes of one device or port together, one way."),
    rows::optional(rows::share("efficiency", "Share of that peak which a large copy reaches.")),
    sim::Field{.name = "latency",
               .type = Type::duration,
               .help = "Time of the smallest transfer, one way.",
               .min = one_femtosecond},
};
constexpr Table link{
    .name = "link", .help = "A link between two parts, one way.", .fields = link_fields, .sourced = true};

}  // namespace

const Table& link_table() { return link; }

Link read_link(const sim::Node& entry, sim::Diagnostics& diagnostics) {
  check(entry, link_table(), diagnostics);
  const sim::View view(entry, link_table());
  Link result;
  result.name = view.text("name");
  result.summary = view.text("summary");
  result.bandwidth = view.bandwidth("bandwidth");
  result.efficiency = view.number("efficiency");
  result.latency = view.duration("latency");
  add_sources(view, "", result.sources, diagnostics);
  add_provenance(entry, link_table(), "", result.provenance);
  check_sources(entry, result.provenance, result.sources, diagnostics);
  return result;
}

}  // namespace kvtraffic::hardware
