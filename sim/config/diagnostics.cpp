// Collecting faults and telling them: place, path, fault, the line with a caret, what would be right.
// Leaves out colours, and the width of wide characters: the caret counts code points.
#include "sim/config/diagnostics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "sim/config/utf8.hpp"

namespace kvtraffic::sim {
namespace {

// Line `number` (from one) of `text` without its line break; empty when there is none.
std::string_view line_of(std::string_view text, int number) {
  for (int line = 1; line < number; ++line) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) {
      return {};
    }
    text.remove_prefix(end + 1);
  }
  text = text.substr(0, text.find('\n'));
  if (text.ends_with('\r')) {
    text.remove_suffix(1);
  }
  return text;
}

// Where each code point of `line` begins, and the end of the line.
std::vector<std::size_t> cell_starts(std::string_view line) {
  std::vector<std::size_t> starts;
  for (std::size_t at = 0; at < line.size(); at += code_point_at(line, at).size) {
    starts.push_back(at);
  }
  starts.push_back(line.size());
  return starts;
}

// The echoed line and the caret below it, cut around the caret when the line is long. A tab is echoed as one blank, so
// that the caret needs no tab stops.
std::string echo(std::string_view line, int column) {
  constexpr std::size_t widest = 160;
  constexpr std::size_t before = 100;
  const std::vector<std::size_t> starts = cell_starts(line);
  const std::size_t cells = starts.size() - 1;
  const std::size_t caret = std::min(static_cast<std::size_t>(std::max(column, 1) - 1), cells);
  if (cells <= widest) {
    return fmt::format("{}\n{:>{}}\n", printable(line), '^', caret + 1);
  }
  const std::size_t first = caret > before ? caret - before : 0;
  const std::size_t last = std::min(first + widest - 6, cells);
  const std::string_view head = first > 0 ? "..." : "";
  const std::string_view tail = last < cells ? "..." : "";
  const std::string_view window = line.substr(starts[first], starts[last] - starts[first]);
  return fmt::format("{}{}{}\n{:>{}}\n", head, printable(window), tail, '^', head.size() + caret - first + 1);
}

std::string place(const Mark& mark) {
  if (!mark.file) {
    return "";
  }
  const std::string name = printable(mark.file->name);
  return mark.line > 0 ? fmt::format("{}:{}:{}: ", name, mark.line, mark.column) : fmt::format("{}: ", name);
}

std::string told(const Diagnostic& diagnostic) {
  const Mark& mark = diagnostic.where;
  std::string text = place(mark) + (diagnostic.is_error ? "error: " : "warning: ");
  if (!diagnostic.path.empty()) {
    text += printable(diagnostic.path) + ": ";
  }
  text += printable(diagnostic.message) + "\n";
  if (mark.file && mark.line > 0) {
    const std::string_view line = line_of(mark.file->text, mark.line);
    text += line.empty() ? "" : echo(line, mark.column);
  }
  if (!diagnostic.expected.empty()) {
    text += fmt::format("  expected: {}\n", printable(diagnostic.expected));
  }
  if (!diagnostic.nearest.empty()) {
    text += fmt::format("  did you mean '{}'?\n", printable(diagnostic.nearest));
  }
  return text;
}

bool stands_before(const Diagnostic* a, const Diagnostic* b) {
  const auto key = [](const Diagnostic& d) {
    return std::tuple(d.where.file ? std::string_view(d.where.file->name) : std::string_view{}, d.where.line,
                      d.where.column);
  };
  return key(*a) < key(*b);
}

std::string lower(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return result;
}

// Insertions, deletions, substitutions and swaps of neighbours, each counting one.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> previous(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  std::vector<std::size_t> next(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) {
    row[j] = j;
  }
  for (std::size_t i = 1; i <= a.size(); ++i) {
    next[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t changed = row[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      next[j] = std::min({changed, row[j] + 1, next[j - 1] + 1});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        next[j] = std::min(next[j], previous[j - 2] + 1);
      }
    }
    std::swap(previous, row);
    std::swap(row, next);
  }
  return row[b.size()];
}

// "8x-h200" stands for "8x-h200-sxm" rather than for a name that differs by a letter. Too short a beginning means
// nothing.
std::string shortest_that_begins_with(const std::string& wanted, const std::vector<std::string>& known) {
  std::string shortest;
  for (const std::string& candidate : known) {
    if (wanted.size() < 3 || !lower(candidate).starts_with(wanted)) {
      continue;
    }
    if (shortest.empty() || candidate.size() < shortest.size()) {
      shortest = candidate;
    }
  }
  return shortest;
}

}  // namespace

void Diagnostics::error(Mark where, std::string path, std::string message, std::string expected, std::string nearest) {
  all_.push_back(
      {std::move(where), std::move(path), std::move(message), std::move(expected), std::move(nearest), true});
}

void Diagnostics::warning(Mark where, std::string path, std::string message) {
  all_.push_back({std::move(where), std::move(path), std::move(message), "", "", false});
}

void Diagnostics::append(const Diagnostics& other) {
  const std::vector<Diagnostic> copy = other.all_;  // `other` may be this very object
  all_.insert(all_.end(), copy.begin(), copy.end());
}

bool Diagnostics::has_errors() const { return std::ranges::any_of(all_, &Diagnostic::is_error); }

std::string Diagnostics::render(std::size_t limit) const {
  std::vector<const Diagnostic*> ordered;
  ordered.reserve(all_.size());
  for (const Diagnostic& diagnostic : all_) {
    ordered.push_back(&diagnostic);
  }
  std::ranges::stable_sort(ordered, stands_before);
  const std::size_t shown = std::min(limit, ordered.size());
  std::string text;
  for (std::size_t i = 0; i < shown; ++i) {
    text += told(*ordered[i]);
  }
  if (shown < ordered.size()) {
    text += fmt::format("and {} more\n", ordered.size() - shown);
  }
  return text;
}

ConfigError::ConfigError(Diagnostics diagnostics)
    : diagnostics_(std::move(diagnostics)), text_(diagnostics_.render()) {}

std::string nearest_name(std::string_view name, const std::vector<std::string>& known) {
  constexpr std::size_t longest = 80;  // nobody mistypes a longer name, and the distance costs its square
  if (name.empty() || name.size() > longest) {
    return "";
  }
  const std::string wanted = lower(name);
  std::string best = shortest_that_begins_with(wanted, known);
  if (!best.empty()) {
    return best;
  }
  std::size_t smallest = std::max<std::size_t>(1, name.size() / 3) + 1;
  for (const std::string& candidate : known) {
    if (candidate.size() > 2 * longest) {
      continue;
    }
    const std::size_t distance = edit_distance(wanted, lower(candidate));
    if (distance < smallest && distance < std::max(name.size(), candidate.size())) {
      smallest = distance;
      best = candidate;
    }
  }
  return best;
}

}  // namespace kvtraffic::sim
