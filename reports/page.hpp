// What people read, before it is known where: headline, facts, tables and notes. Console and Markdown both render it.
// Leaves out colours, markup and line breaks.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "reports/text_table.hpp"

namespace kvtraffic::reports {

enum class Tone { plain, good_to_know, bad };  // good_to_know: a warning; bad: why there is no answer

struct Note {
  std::string text;
  Tone tone = Tone::plain;
};

struct Section {
  std::string title;  // may be empty
  std::vector<std::pair<std::string, std::string>> facts;
  std::optional<TextTable> table;
  std::vector<Note> notes;
  [[nodiscard]] bool empty() const { return facts.empty() && !table && notes.empty(); }
};

struct Page {
  std::string headline;
  std::vector<std::string> subtitle;
  std::vector<Section> sections;

  void add(Section section) {
    if (!section.empty()) sections.push_back(std::move(section));
  }
};

[[nodiscard]] std::string console_text(const Page& page, bool colour);
[[nodiscard]] std::string markdown_text(const Page& page);

}  // namespace kvtraffic::reports
