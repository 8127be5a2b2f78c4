// Unpacking gzip and zstd while they are read.
// Leaves out other ways to compress: such a file reads as a binary trace.
#include <fmt/format.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <new>
#include <string_view>
#include <utility>
#include <vector>

#include "hardware/hbm/trace_bytes.hpp"

namespace kvtraffic::hardware::hbm {
namespace {

constexpr std::size_t kBlock = 1U << 18U;
constexpr std::size_t kMagic = 4;

// Gives back the bytes that were read to look at them.
class Peeked final : public ByteReader {
 public:
  explicit Peeked(std::unique_ptr<ByteReader> rest) : rest_(std::move(rest)) {
    while (size_ < kMagic) {
      const std::size_t count = rest_->read(std::span(head_).subspan(size_));
      if (count == 0) break;
      size_ += count;
    }
  }

  [[nodiscard]] std::string_view head() const { return {head_.data(), size_}; }

  [[nodiscard]] std::size_t read(std::span<char> into) override {
    if (given_ == size_) return rest_->read(into);
    const std::size_t count = std::min(into.size(), size_ - given_);
    std::copy_n(head_.begin() + static_cast<std::ptrdiff_t>(given_), count, into.begin());
    given_ += count;
    return count < into.size() ? count + rest_->read(into.subspan(count)) : count;
  }

 private:
  std::unique_ptr<ByteReader> rest_;
  std::array<char, kMagic> head_{};
  std::size_t size_ = 0;
  std::size_t given_ = 0;
};

// What both formats share: blocks of packed bytes, and telling an end between two members from one inside.
class Unpacker : public ByteReader {
 public:
  Unpacker(std::unique_ptr<ByteReader> packed, std::string_view format)
      : packed_(std::move(packed)), format_(format), block_(kBlock) {}

  [[nodiscard]] std::size_t read(std::span<char> into) final {
    while (true) {
      if (left_.empty() && !ended_) refill();
      if (left_.empty() && !inside_) return 0;
      const std::size_t count = unpack(left_, into, inside_);
      if (count > 0) return count;
      if (left_.empty() && ended_ && inside_) throw DamagedData(fmt::format("the {} data ends early", format_));
    }
  }

 protected:
  // Takes bytes from the front of `packed` (which may be empty: more may come out than went in just now), returns how
  // many came out and tells whether a member is still open.
  [[nodiscard]] virtual std::size_t unpack(std::span<char>& packed, std::span<char> into, bool& inside) = 0;

  [[noreturn]] void refuse(std::string_view why) const {
    throw DamagedData(fmt::format("the {} data is damaged: {}", format_, why));
  }

 private:
  void refill() {
    const std::size_t count = packed_->read(block_);
    left_ = std::span(block_).first(count);
    ended_ = count == 0;
  }

  std::unique_ptr<ByteReader> packed_;
  std::string_view format_;
  std::vector<char> block_;
  std::span<char> left_;
  bool ended_ = false;
  bool inside_ = true;
};

class Gzip final : public Unpacker {
 public:
  explicit Gzip(std::unique_ptr<ByteReader> packed) : Unpacker(std::move(packed), "gzip") {
    constexpr int gzip_only = 16;
    if (inflateInit2(&stream_, MAX_WBITS + gzip_only) != Z_OK) throw std::bad_alloc();
  }
  ~Gzip() override { inflateEnd(&stream_); }
  Gzip(const Gzip&) = delete;
  Gzip& operator=(const Gzip&) = delete;

 protected:
  [[nodiscard]] std::size_t unpack(std::span<char>& packed, std::span<char> into, bool& inside) override {
    if (!inside) inflateReset(&stream_);  // another member follows
    const std::size_t room = std::min<std::size_t>(into.size(), std::numeric_limits<uInt>::max());
    stream_.next_in = reinterpret_cast<Bytef*>(packed.data());
    stream_.avail_in = static_cast<uInt>(packed.size());
    stream_.next_out = reinterpret_cast<Bytef*>(into.data());
    stream_.avail_out = static_cast<uInt>(room);
    const int result = inflate(&stream_, Z_NO_FLUSH);
    if (result == Z_MEM_ERROR) throw std::bad_alloc();
    const std::size_t count = room - stream_.avail_out;
    const bool fails = result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR;
    if (fails && count == 0) refuse(stream_.msg != nullptr ? stream_.msg : "it needs a dictionary");
    inside = result != Z_STREAM_END;
    packed = packed.last(stream_.avail_in);
    return count;  // what is good first: zlib says again what is wrong with the rest
  }

 private:
  z_stream stream_{};
};

class Zstd final : public Unpacker {
 public:
  explicit Zstd(std::unique_ptr<ByteReader> packed)
      : Unpacker(std::move(packed), "zstd"), stream_(ZSTD_createDStream(), &ZSTD_freeDStream) {
    if (!stream_) throw std::bad_alloc();
  }

 protected:
  [[nodiscard]] std::size_t unpack(std::span<char>& packed, std::span<char> into, bool& inside) override {
    ZSTD_inBuffer in{packed.data(), packed.size(), 0};
    ZSTD_outBuffer out{into.data(), into.size(), 0};
    const std::size_t result = ZSTD_decompressStream(stream_.get(), &out, &in);
    if (ZSTD_isError(result) != 0) refuse(ZSTD_getErrorName(result));
    inside = result != 0;
    packed = packed.subspan(in.pos);
    return out.pos;
  }

 private:
  std::unique_ptr<ZSTD_DStream, decltype(&ZSTD_freeDStream)> stream_;
};

bool is_gzip(std::string_view head) { return head.starts_with("\x1F\x8B"); }

// RFC 8878: a frame's magic number, or that of a skippable frame, of which there are sixteen.
bool is_zstd(std::string_view head) {
  const bool skippable = head.size() == kMagic && (static_cast<unsigned char>(head[0]) & 0xF0U) == 0x50U &&
                         head.substr(1) == "\x2A\x4D\x18";
  return skippable || head == "\x28\xB5\x2F\xFD";
}

}  // namespace

std::unique_ptr<ByteReader> unpacked(std::unique_ptr<ByteReader> packed) {
  auto peeked = std::make_unique<Peeked>(std::move(packed));
  if (is_gzip(peeked->head())) return std::make_unique<Gzip>(std::move(peeked));
  if (is_zstd(peeked->head())) return std::make_unique<Zstd>(std::move(peeked));
  return peeked;
}

}  // namespace kvtraffic::hardware::hbm
