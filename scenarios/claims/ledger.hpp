// The claims ledger as its files state it, typed and checked: published figures, how each is defined in terms of points
// that the engine evaluates, and what review found. Leaves out evaluating (audit.hpp).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "scenarios/claims/expression.hpp"
#include "scenarios/spec/catalog.hpp"
#include "sim/config/node.hpp"

namespace kvtraffic::scenarios {

enum class Verdict { reproduced, reproduced_otherwise, contradicted, not_checkable };
[[nodiscard]] std::string_view name_of(Verdict verdict);  // "reproduced-otherwise"

// One published number, or the ends of a range.
struct Published {
  std::string text;  // as written; "1.27 to 1.28"
  double low = 0;
  double high = 0;
  double room = 0;  // how far off a computed value may be
};

struct Formula {
  std::string text;
  Expression expression;
  sim::Mark mark;
  std::string path;  // of the formula in its file, for messages
};

// Formulas, one for each published number, over named points.
struct Definition {
  std::vector<std::pair<std::string, sim::Node>> points;  // those the formulas name, each a whole scenario
  std::vector<Formula> formulas;
};

struct Claim {
  std::string id;
  std::string statement;
  std::vector<Published> published;
  std::string unit;
  std::string tolerance;     // "exact", "rounded" or a ratio as written
  double relative_room = 0;  // the tolerance relative to the (first) published number
  std::string source;        // key of the file's sources
  std::string source_text;   // what it stands for
  std::optional<Definition> definition, otherwise;
  std::string slip;    // what went wrong in a published figure that does not hold
  std::string reason;  // why nothing can be computed
  Verdict expect = Verdict::reproduced;
  sim::Mark mark;
  std::string path;    // "claims[3]"
  std::string folder;  // that relative files in its points are looked up from
};

// Where a catalog's data folder keeps its ledger.
[[nodiscard]] std::string ledger_folder(const Catalog& catalog);

// Every claim of `folder`'s files, in order of file name. Faults of all files go to `diagnostics`. IoError when the
// folder cannot be read.
[[nodiscard]] std::vector<Claim> read_ledger(const std::string& folder, sim::Diagnostics& diagnostics);

}  // namespace kvtraffic::scenarios
