// Lines out of a buffer, transactions out of lines.
// Leaves out what a line means (trace_line.hpp) and where bytes come from (trace_bytes.hpp).
#include "hardware/hbm/trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

#include "hardware/hbm/range_source.hpp"
#include "hardware/hbm/trace_line.hpp"

namespace kvtraffic::hardware::hbm {
namespace {

constexpr std::size_t kLongestLine = 4096;
constexpr std::size_t kBlock = 1U << 18U;

bool has_nul(std::string_view text) { return text.find('\0') != std::string_view::npos; }

// The next line of the bytes, in a buffer of a fixed size.
class LineReader {
 public:
  explicit LineReader(std::unique_ptr<ByteReader> bytes) : bytes_(std::move(bytes)), buffer_(kBlock + kLongestLine) {}

  // Without its line feed; valid until the next call. False at the end. Throws LineFault and DamagedData.
  [[nodiscard]] bool next(std::string_view& line) {
    while (true) {
      const std::size_t feed = rest_.find('\n');
      if (feed != std::string_view::npos) {
        take(line, feed);
        rest_.remove_prefix(1);
        return true;
      }
      if (rest_.size() > kLongestLine) take(line, rest_.size());  // refuses it
      if (refill()) continue;
      if (rest_.empty()) return false;
      take(line, rest_.size());
      return true;
    }
  }

  [[nodiscard]] std::uint64_t number() const { return number_; }
  // Whether this is no text: asked once something is wrong, because then it is the better explanation.
  [[nodiscard]] bool is_binary() const { return binary_head_ || has_nul(line_); }

 private:
  void take(std::string_view& line, std::size_t size) {
    line_ = line = rest_.substr(0, size);
    rest_.remove_prefix(size);
    ++number_;
    if (size > kLongestLine) {
      throw LineFault(fmt::format("a line longer than {} bytes: {}", kLongestLine, quoted_piece(line)));
    }
  }

  // Moves what is left of the last block, at most a line, to the front and reads behind it. False at the end.
  [[nodiscard]] bool refill() {
    const std::size_t kept = rest_.size();
    if (kept > 0) std::memmove(buffer_.data(), rest_.data(), kept);
    line_ = {};
    rest_ = {buffer_.data(), kept};
    if (ended_) return false;
    const std::size_t count = bytes_->read(std::span(buffer_).subspan(kept));
    rest_ = {buffer_.data(), kept + count};
    ended_ = count == 0;
    if (std::exchange(at_start_, false)) look_at_start();
    return !ended_;
  }

  void look_at_start() {
    constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
    binary_head_ = has_nul(rest_.substr(0, kLongestLine));
    if (rest_.starts_with(byte_order_mark)) rest_.remove_prefix(byte_order_mark.size());
  }

  std::unique_ptr<ByteReader> bytes_;
  std::vector<char> buffer_;
  std::string_view rest_;  // of the buffer, not yet given
  std::string_view line_;
  std::uint64_t number_ = 0;
  bool at_start_ = true;
  bool ended_ = false;
  bool binary_head_ = false;
};

class TextTrace final : public TransactionSource {
 public:
  TextTrace(std::unique_ptr<ByteReader> bytes, std::string name, const AddressSpace& space)
      : lines_(std::move(bytes)), name_(std::move(name)), space_(space), expander_(space) {}

  [[nodiscard]] std::size_t read(std::span<Transaction> into) override {
    try {
      return fill(into);
    } catch (const LineFault& fault) {
      refuse(lines_.number(), fault.what());
    } catch (const DamagedData& fault) {
      refuse(lines_.number() + 1, fault.what());
    }
  }

 private:
  std::size_t fill(std::span<Transaction> into) {
    std::size_t count = 0;
    while (true) {
      count += expander_.take(into.subspan(count));
      if (count == into.size() || !begin_next()) return count;
    }
  }

  // The next line that is a range. False at the end.
  bool begin_next() {
    std::string_view line;
    ByteRange range;
    do {
      if (!lines_.next(line)) {
        if (empty_) refuse(std::max<std::uint64_t>(1, lines_.number()), "the trace has no transactions");
        return false;
      }
    } while (!parser_.parse(line, range));
    if (!space_.wrap) require_inside(range);
    expander_.begin(range);
    empty_ = false;
    return true;
  }

  void require_inside(const ByteRange& range) const {
    if (range.address < space_.capacity && range.size <= space_.capacity - range.address) return;
    throw LineFault(fmt::format("{:#x} is beyond the capacity of {} bytes (wrapping takes addresses modulo it)",
                                range.address + range.size - 1, space_.capacity));
  }

  [[noreturn]] void refuse(std::uint64_t line, const std::string& what) const {
    if (lines_.is_binary()) {
      throw TraceError(name_, line,
                       "a binary trace; text formats are 'LD 0x40', '0x40 READ 0' and 'R 64 656', plain or packed with "
                       "gzip or zstd");
    }
    throw TraceError(name_, line, what);
  }

  LineReader lines_;
  LineParser parser_;
  std::string name_;
  AddressSpace space_;
  RangeExpander expander_;
  bool empty_ = true;
};

}  // namespace

TraceError::TraceError(std::string file, std::uint64_t line, const std::string& what)
    : std::runtime_error(fmt::format("{}:{}: error: {}", file, line, what)), file_(std::move(file)), line_(line) {}

std::unique_ptr<TransactionSource> open_trace(const std::string& path, const TraceOptions& options) {
  return read_trace(open_bytes(path, options.patience), path == "-" ? "<stdin>" : path, options);
}

std::unique_ptr<TransactionSource> read_trace(std::unique_ptr<ByteReader> bytes, std::string name,
                                              const TraceOptions& options) {
  const AddressSpace space{options.granule, options.capacity, options.wrap};
  require_sound(space);
  return std::make_unique<TextTrace>(unpacked(std::move(bytes)), std::move(name), space);
}

}  // namespace kvtraffic::hardware::hbm
