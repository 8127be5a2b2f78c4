// A page as a GitHub Markdown document.
// Leaves out what to say (point_page.cpp, sweep_page.cpp), and colour.
#include <fmt/format.h>

#include "reports/page.hpp"
#include "reports/page_writer.hpp"
#include "reports/writers.hpp"

namespace kvtraffic::reports {
namespace {

std::string section_text(const Section& section) {
  std::string out;
  if (!section.title.empty()) out += fmt::format("\n## {}\n", markdown_escaped(section.title));
  if (!section.facts.empty()) out += '\n';
  for (const auto& [name, value] : section.facts) {
    out += fmt::format("- **{}**: {}\n", markdown_escaped(name), markdown_escaped(value));
  }
  if (section.table) out += '\n' + section.table->markdown();
  if (!section.notes.empty()) out += '\n';
  for (const Note& note : section.notes) {
    const std::string text = markdown_escaped(note.text);
    out += note.tone == Tone::bad ? fmt::format("- **{}**\n", text) : fmt::format("- {}\n", text);
  }
  return out;
}

}  // namespace

std::string markdown_text(const Page& page) {
  std::string out = fmt::format("# {}\n", markdown_escaped(page.headline));
  for (const std::string& line : page.subtitle) out += fmt::format("\n{}\n", markdown_escaped(line));
  for (const Section& section : page.sections) out += section_text(section);
  return out;
}

std::unique_ptr<Writer> make_markdown_writer(Style style, std::ostream& out) {
  return std::make_unique<PageWriter>(style, out, markdown_text);
}

}  // namespace kvtraffic::reports
