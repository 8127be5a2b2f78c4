// A table of finished cells, laid out in aligned columns for a terminal or as a Markdown table.
// Leaves out formatting of values, colour, and cells that span lines.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace kvtraffic::reports {

enum class Align { left, right };

struct Column {
  std::string name = {};
  std::string unit = {};  // second line of the head; may be empty
  Align align = Align::right;
};

class TextTable {
 public:
  explicit TextTable(std::vector<Column> columns) : columns_(std::move(columns)) {}

  // One cell for each column. An empty cell stays empty.
  void add(std::vector<std::string> cells);
  // Removes columns in which no row has anything to say.
  void drop_empty_columns();

  // Lines that each end in a newline, without trailing spaces; two spaces between columns, `indent` before the first.
  [[nodiscard]] std::string text(std::size_t indent) const;
  // A GitHub table: head "name (unit)", alignment row, cells escaped.
  [[nodiscard]] std::string markdown() const;

 private:
  [[nodiscard]] std::vector<std::size_t> widths() const;
  [[nodiscard]] std::string head_text(std::size_t indent, const std::vector<std::size_t>& widths) const;

  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

// `text` so that Markdown shows it as it is, on one line, also inside a table cell.
[[nodiscard]] std::string markdown_escaped(std::string_view text);

// `text` broken at spaces into lines of at most `width` columns; a longer word keeps a line to itself.
[[nodiscard]] std::vector<std::string> wrapped(std::string_view text, std::size_t width);

}  // namespace kvtraffic::reports
