// The fields of `workload.selection` and `workload.pages`, and a checked workload read into a Locality.
// Leaves out drawing picks and placing pages (hardware/machine/picks.hpp, page_table.hpp).
#include "scenarios/spec/locality.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

namespace kvtraffic::scenarios {
namespace {

using sim::Field;
using sim::Node;
using sim::Table;
using sim::Type;
using sim::View;

constexpr double most_entries = 1e9;
constexpr double most_seeds = 9007199254740991;  // whole numbers that the limits' doubles hold exactly

constexpr std::array<std::string_view, 3> models{"uniform", "recency", "clustered"};

constexpr Field share(std::string_view name, std::string_view help, std::string_view fallback) {
  return {.name = name, .type = Type::ratio, .help = help, .fallback = fallback, .min = 0, .max = 1};
}

constexpr std::array selection_fields{
    Field{.name = "model",
          .type = Type::choice,
          .help = "How picks are spread: every entry is as likely as any other, a share falls on the newest, or they "
                  "come in runs of neighbours. Nothing public fixes this; the default assumes no locality.",
          .fallback = "uniform",
          .choices = models},
    share("recent", "Recency: share of the picks that falls on the newest entries.", "50%"),
    Field{.name = "newest",
          .type = Type::tokens,
          .help = "Recency: how many entries are the newest.",
          .fallback = "2048",
          .min = 1,
          .max = most_entries},
    Field{.name = "run",
          .type = Type::integer,
          .help = "Clustered: how many neighbours are picked together, on average.",
          .fallback = "8",
          .min = 1,
          .max = most_entries},
    share("layers",
          "Share of the picks that two layers have in common which choose from the same entries on their own. Chance "
          "alone gives some; this is what there is at least.",
          "0%"),
    share("queries", "The same share, of two neighbouring queries of a prefill.", "0%"),
    Field{.name = "seed",
          .type = Type::integer,
          .help = "Another seed draws other picks and places.",
          .fallback = "1",
          .min = 0,
          .max = most_seeds},
};

sim::Selection::Model model_named(std::string_view name) {
  if (name == "recency") return sim::Selection::Model::recency;
  return name == "clustered" ? sim::Selection::Model::clustered : sim::Selection::Model::uniform;
}

sim::PageOrder order_named(std::string_view name) {
  if (name == "aged") return sim::PageOrder::aged;
  return name == "shuffled" ? sim::PageOrder::shuffled : sim::PageOrder::sequential;
}

// Of the selection, the fields that are written with another value than the default.
std::vector<std::string> changed_fields(const View& selection) {
  const Node written = with_defaults(selection.raw(), selection_table);
  const Node untouched = with_defaults(Node::map({}), selection_table);
  std::vector<std::string> changed;
  for (const Field& field : selection_fields) {
    const Node *value = written.find(field.name), *usual = untouched.find(field.name);
    if (value->is_scalar() && value->text() != usual->text()) changed.emplace_back(field.name);
  }
  return changed;
}

// The model that reads `field`; "" when all do.
std::string_view reader_of(std::string_view field) {
  if (field == "recent" || field == "newest") return "recency";
  return field == "run" ? "clustered" : "";
}

// A model that there is not may be meant for any.
bool is_read(std::string_view field, std::string_view model) {
  const std::string_view reader = reader_of(field);
  return reader.empty() || reader == model || std::ranges::find(models, model) == models.end();
}

}  // namespace

constinit const Table selection_table{.name = "selection", .help = selection_field.help, .fields = selection_fields};

sim::Locality locality_of(const View& workload) {
  const View selection = workload.map("selection");
  return {.selection = {.model = model_named(selection.text("model")),
                        .recent = selection.number("recent"),
                        .newest = selection.integer("newest"),
                        .run = selection.integer("run"),
                        .layers = selection.number("layers"),
                        .queries = selection.number("queries"),
                        .seed = static_cast<std::uint64_t>(selection.integer("seed"))},
          .pages = order_named(workload.text("pages"))};
}

void check_locality(const View& workload, std::string_view fidelity, sim::Diagnostics& diagnostics) {
  const View selection = workload.map("selection");
  for (const std::string& field : changed_fields(selection)) {
    const auto refuse = [&](const std::string& reason) {
      diagnostics.error(selection.mark(field), fmt::format("workload.selection.{}", field), reason,
                        "the default, or no such key");
    };
    if (fidelity == "roofline" || (fidelity == "flow" && field != "layers" && field != "queries")) {
      refuse(fmt::format("has no effect with fidelity {}", fidelity));
    } else if (field == "queries" && workload.text("phase") != "prefill") {
      refuse("is for prefill only");
    } else if (!is_read(field, selection.text("model"))) {
      refuse(fmt::format("is for model {} only", reader_of(field)));
    }
  }
  if (fidelity == "cycle" || order_named(workload.text("pages")) == sim::Locality{}.pages) return;
  diagnostics.error(workload.mark("pages"), "workload.pages", fmt::format("has no effect with fidelity {}", fidelity),
                    "the default, or no such key");
}

}  // namespace kvtraffic::scenarios
