// A page as text for a terminal, at most 100 columns wide except for tables that need more.
// Leaves out what to say (point_page.cpp, sweep_page.cpp).
#include <algorithm>

#include "reports/display.hpp"
#include "reports/page.hpp"
#include "reports/page_writer.hpp"
#include "reports/writers.hpp"
#include "sim/config/utf8.hpp"

namespace kvtraffic::reports {
namespace {

constexpr std::size_t line_width = 100;
constexpr std::size_t indent = 2;

constexpr std::string_view reset = "\033[0m";
constexpr std::string_view bold = "\033[1m";
constexpr std::string_view red = "\033[31m";
constexpr std::string_view yellow = "\033[33m";

class ConsoleText {
 public:
  explicit ConsoleText(bool colour) : colour_(colour) {}

  void section(const Section& section) {
    if (!out_.empty()) out_ += '\n';
    if (!section.title.empty()) lines(section.title, "", bold);
    for (const Note& note : section.notes) {  // why there is no answer comes before what there is
      if (note.tone == Tone::bad && !section.table) lines(note.text, std::string(indent, ' '), red);
    }
    facts(section);
    if (section.table) out_ += section.table->text(indent);
    for (const Note& note : section.notes) {
      if (note.tone == Tone::bad && !section.table) continue;
      lines(note.text, std::string(indent, ' '), style_of(note.tone));
    }
  }
  // `text` wrapped; the first line starts with `first`, the others are indented as far.
  void lines(std::string_view text, std::string first, std::string_view style) {
    const std::size_t before = display_width(first);
    for (const std::string& line : wrapped(sim::printable(text), line_width - before)) {
      const bool styled = colour_ && !style.empty();
      out_ += first;
      if (styled) out_ += style;
      out_ += line;
      if (styled) out_ += reset;
      out_ += '\n';
      first = std::string(before, ' ');
    }
  }
  [[nodiscard]] std::string take() { return std::move(out_); }

 private:
  void facts(const Section& section) {
    std::size_t width = 0;
    for (const auto& [name, value] : section.facts) width = std::max(width, display_width(name));
    for (const auto& [name, value] : section.facts) {
      const std::string gap(width - display_width(name) + 2, ' ');
      lines(value, std::string(indent, ' ') + name + gap, "");
    }
  }
  [[nodiscard]] static std::string_view style_of(Tone tone) {
    return tone == Tone::bad ? red : tone == Tone::good_to_know ? yellow : "";
  }

  bool colour_;
  std::string out_;
};

}  // namespace

std::string console_text(const Page& page, bool colour) {
  ConsoleText text(colour);
  text.lines(page.headline, "", bold);
  for (const std::string& line : page.subtitle) text.lines(line, "", "");
  for (const Section& section : page.sections) text.section(section);
  return text.take();
}

std::unique_ptr<Writer> make_console_writer(Style style, std::ostream& out) {
  const bool colour = style.colour;
  return std::make_unique<PageWriter>(style, out, [colour](const Page& page) { return console_text(page, colour); });
}

}  // namespace kvtraffic::reports
