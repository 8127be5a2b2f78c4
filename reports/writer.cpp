// Choosing a format: by value and by name.
// Leaves out the formats.
#include "reports/writer.hpp"

#include <array>
#include <utility>

#include "reports/writers.hpp"

namespace kvtraffic::reports {

std::unique_ptr<Writer> make_writer(Format format, Style style, std::ostream& out) {
  switch (format) {
    case Format::table:
      return make_console_writer(style, out);
    case Format::json:
      return make_json_writer(out);
    case Format::jsonl:
      return make_json_lines_writer(out);
    case Format::csv:
      return make_csv_writer(out);
    case Format::md:
      return make_markdown_writer(style, out);
  }
  return nullptr;
}

std::optional<Format> format_named(std::string_view name) {
  constexpr std::array<std::pair<std::string_view, Format>, 5> names{{{"table", Format::table},
                                                                      {"json", Format::json},
                                                                      {"jsonl", Format::jsonl},
                                                                      {"csv", Format::csv},
                                                                      {"md", Format::md}}};
  for (const auto& [known, format] : names) {
    if (known == name) return format;
  }
  return std::nullopt;
}

}  // namespace kvtraffic::reports
