// Choosing a format.
// Leaves out the formats.
#include "reports/writer.hpp"

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

}  // namespace kvtraffic::reports
