// Table layout: widths, padding, heads with units, Markdown escapes and word wrap.
// Leaves out any knowledge of what the cells mean.
#include "reports/text_table.hpp"

#include <algorithm>
#include <cassert>
#include <cctype>
#include <utility>

#include "reports/display.hpp"
#include "sim/config/utf8.hpp"

namespace kvtraffic::reports {
namespace {

std::string padded(std::string_view cell, std::size_t width, Align align) {
  const std::string gap(width - std::min(width, display_width(cell)), ' ');
  return align == Align::left ? std::string(cell) + gap : gap + std::string(cell);
}

void end_line(std::string& line) {
  line.erase(line.find_last_not_of(' ') + 1);
  line += '\n';
}

bool is_word(std::string_view text, std::size_t i) {
  return i < text.size() && (std::isalnum(static_cast<unsigned char>(text[i])) != 0 || (text[i] & 0x80) != 0);
}

// '_' inside a word is plain text in GitHub's Markdown; escaping it there would only spoil the source.
bool needs_escape(std::string_view text, std::size_t i) {
  if (text[i] == '_') return i == 0 || !is_word(text, i - 1) || !is_word(text, i + 1);
  if (i == 0 && std::string_view("-+").find(text[i]) != std::string_view::npos)
    return text.size() > 1 && text[1] == ' ';
  return std::string_view("\\`*[]<>|#~&").find(text[i]) != std::string_view::npos;
}

std::string head_of(const Column& column) {
  if (column.unit.empty()) return column.name;
  return column.name.empty() ? column.unit : column.name + " (" + column.unit + ")";
}

void add_markdown_row(std::string& out, const std::vector<std::string>& cells, const std::vector<Column>& columns,
                      const std::vector<std::size_t>& widths) {
  out += '|';
  for (std::size_t c = 0; c < columns.size(); ++c) out += ' ' + padded(cells[c], widths[c], columns[c].align) + " |";
  out += '\n';
}

}  // namespace

void TextTable::add(std::vector<std::string> cells) {
  assert(cells.size() == columns_.size());
  for (std::string& cell : cells) cell = sim::printable(cell);
  rows_.push_back(std::move(cells));
}

void TextTable::drop_empty_columns() {
  for (std::size_t c = columns_.size(); c-- > 0;) {
    if (std::any_of(rows_.begin(), rows_.end(), [c](const auto& row) { return !row[c].empty(); })) continue;
    const auto offset = static_cast<std::ptrdiff_t>(c);
    columns_.erase(columns_.begin() + offset);
    for (auto& row : rows_) row.erase(row.begin() + offset);
  }
}

std::vector<std::size_t> TextTable::widths() const {
  std::vector<std::size_t> result;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    std::size_t width = std::max(display_width(columns_[c].name), display_width(columns_[c].unit));
    for (const auto& row : rows_) width = std::max(width, display_width(row[c]));
    result.push_back(width);
  }
  return result;
}

std::string TextTable::head_text(std::size_t indent, const std::vector<std::size_t>& widths) const {
  std::string out;
  for (const bool units : {false, true}) {
    std::string line(indent, ' ');
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      if (c > 0) line += "  ";
      line += padded(units ? columns_[c].unit : columns_[c].name, widths[c], columns_[c].align);
    }
    end_line(line);
    if (line != "\n") out += line;
  }
  return out;
}

std::string TextTable::text(std::size_t indent) const {
  const std::vector<std::size_t> width = widths();
  std::string out = head_text(indent, width);
  for (const auto& row : rows_) {
    std::string line(indent, ' ');
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      if (c > 0) line += "  ";
      line += padded(row[c], width[c], columns_[c].align);
    }
    end_line(line);
    out += line;
  }
  return out;
}

std::string TextTable::markdown() const {
  std::vector<std::vector<std::string>> lines(1);
  for (const Column& column : columns_) lines.front().push_back(markdown_escaped(head_of(column)));
  for (const auto& row : rows_) {
    lines.emplace_back();
    for (const std::string& cell : row) lines.back().push_back(markdown_escaped(cell));
  }
  std::vector<std::size_t> width(columns_.size(), 3);
  for (const auto& line : lines) {
    for (std::size_t c = 0; c < line.size(); ++c) width[c] = std::max(width[c], display_width(line[c]));
  }
  std::string out;
  add_markdown_row(out, lines.front(), columns_, width);
  out += '|';
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    const bool right = columns_[c].align == Align::right;
    out += ' ' + std::string(width[c] - (right ? 1 : 0), '-') + (right ? ": |" : " |");
  }
  out += '\n';
  for (std::size_t r = 1; r < lines.size(); ++r) add_markdown_row(out, lines[r], columns_, width);
  return out;
}

std::string markdown_escaped(std::string_view text) {
  const std::string line = sim::printable(text);
  std::string out;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (needs_escape(line, i)) out += '\\';
    out += line[i];
  }
  return out;
}

std::vector<std::string> wrapped(std::string_view text, std::size_t width) {
  std::vector<std::string> lines;
  std::string line;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    if (!line.empty() && display_width(line) + 1 + display_width(word) > width) {
      lines.push_back(std::exchange(line, ""));
    }
    if (!line.empty() && !word.empty()) line += ' ';
    line += word;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  if (!line.empty()) lines.push_back(line);
  return lines;
}

}  // namespace kvtraffic::reports
