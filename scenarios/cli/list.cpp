// `list`: what the catalogs hold, one line an entry.
// Leaves out what an entry says (show.cpp).
#include <fmt/format.h>

#include <iostream>

#include "reports/json_text.hpp"
#include "reports/text_table.hpp"
#include "scenarios/cli/commands.hpp"
#include "scenarios/cli/entry.hpp"
#include "scenarios/cli/exit_code.hpp"
#include "scenarios/cli/tell.hpp"
#include "sim/config/io_error.hpp"

namespace kvtraffic::scenarios {
namespace {

using sim::Node;

struct Row {
  CatalogKind kind;
  std::string name;
  std::string summary;
};

// An entry that cannot be read is told and left out.
void add_row(CatalogKind kind, const std::string& name, const Catalog& catalog, std::vector<Row>& rows,
             sim::Diagnostics& faults) {
  sim::Diagnostics own;
  try {
    const Node entry = catalog.read(kind, name, own);
    if (!own.has_errors()) rows.push_back({kind, name, summary_of(entry)});
  } catch (const sim::IoError& fault) {
    own.error({}, name, fault.what());
  }
  faults.append(own);
}

std::vector<Row> rows_of(const ListArguments& arguments, const Catalog& catalog, sim::Diagnostics& faults) {
  std::vector<Row> rows;
  if (arguments.claims) {
    for (const Claim& claim : read_claims(catalog, faults)) rows.push_back({{}, claim.id, claim.statement});
    if (faults.has_errors()) throw sim::ConfigError(faults);
    return rows;
  }
  for (const CatalogKind kind : all_kinds) {
    if (arguments.kind && *arguments.kind != kind) continue;
    for (const std::string& name : catalog.names(kind)) add_row(kind, name, catalog, rows, faults);
  }
  return rows;
}

// The kind is told only where there are several.
std::string as_table(const std::vector<Row>& rows, bool has_kinds) {
  std::vector<reports::Column> columns;
  if (has_kinds) columns.push_back({"kind", "", reports::Align::left});
  columns.push_back({"name", "", reports::Align::left});
  columns.push_back({"summary", "", reports::Align::left});
  reports::TextTable table(std::move(columns));
  for (const Row& row : rows) {
    std::vector<std::string> cells{row.name, row.summary};
    if (has_kinds) cells.insert(cells.begin(), std::string(name_of(row.kind)));
    table.add(std::move(cells));
  }
  return table.text(0);
}

Node as_node(const std::vector<Row>& rows, bool has_kinds) {
  std::vector<Node> items;
  for (const Row& row : rows) {
    Node item = Node::map({});
    if (has_kinds) item.set("kind", Node::scalar(std::string(name_of(row.kind))));
    item.set("name", Node::scalar(row.name, {}, true));
    item.set("summary", Node::scalar(row.summary, {}, true));
    items.push_back(std::move(item));
  }
  return Node::list(std::move(items));
}

}  // namespace

int execute(const ListArguments& arguments) {
  sim::Diagnostics faults;
  const std::vector<Row> rows = rows_of(arguments, Catalog::find(), faults);
  const bool has_kinds = !arguments.kind && !arguments.claims;
  if (arguments.format == Listing::table) {
    std::cout << as_table(rows, has_kinds);
  } else if (arguments.format == Listing::yaml) {
    std::cout << to_yaml(as_node(rows, has_kinds));
  } else {
    fmt::memory_buffer buffer;
    reports::JsonText(buffer).node(as_node(rows, has_kinds));
    std::cout << fmt::to_string(buffer) << '\n';
  }
  std::cout.flush();
  tell(faults.render());
  return faults.has_errors() ? exit_config : exit_done;
}

}  // namespace kvtraffic::scenarios
