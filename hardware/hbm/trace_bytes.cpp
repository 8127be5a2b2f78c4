// Reading a trace's bytes from the system.
// Leaves out compression (trace_unpack.cpp).
#include "hardware/hbm/trace_bytes.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "sim/config/io_error.hpp"
#include "sim/units/quote.hpp"

namespace kvtraffic::hardware::hbm {
namespace {

[[noreturn]] void fail(std::string_view verb, const std::string& name, std::string_view why) {
  throw sim::IoError(fmt::format("cannot {} {}: {}", verb, sim::in_quotes(name), why));
}

std::string reason() { return std::generic_category().message(errno); }

class Descriptor final : public ByteReader {
 public:
  Descriptor(int descriptor, std::string name) : descriptor_(descriptor), name_(std::move(name)) {}
  ~Descriptor() override {
    if (descriptor_ > STDERR_FILENO) ::close(descriptor_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  [[nodiscard]] std::size_t read(std::span<char> into) override {
    if (early_) {
      into.front() = *std::exchange(early_, std::nullopt);
      return 1;
    }
    while (true) {
      if (const std::optional<std::size_t> count = read_now(into)) return *count;
      await(-1);  // somebody who shares the stream made it not block
    }
  }

  [[nodiscard]] struct stat status() const {
    struct stat result {};
    if (::fstat(descriptor_, &result) != 0) fail("read", name_, reason());
    return result;
  }

  // Opened without blocking, a FIFO without a writer reads like one that ended. So wait for data or an end, or find
  // that there is a writer who has nothing to say yet.
  void await_writer(std::chrono::milliseconds patience) {
    if (!await(static_cast<int>(patience.count()))) find_writer();
  }

  void let_block() const {
    const int flags = ::fcntl(descriptor_, F_GETFL);
    if (flags < 0 || ::fcntl(descriptor_, F_SETFL, flags & ~O_NONBLOCK) < 0) fail("read", name_, reason());
  }

 private:
  // False when neither data nor an end came within so many milliseconds; -1 waits for ever.
  bool await(int milliseconds) const {
    struct pollfd wanted {
      descriptor_, POLLIN, 0
    };
    while (true) {
      const int ready = ::poll(&wanted, 1, milliseconds);
      if (ready >= 0) return ready > 0;
      if (errno != EINTR) fail("read", name_, reason());
    }
  }

  // Nothing when there is no data yet but somebody who may write it.
  [[nodiscard]] std::optional<std::size_t> read_now(std::span<char> into) const {
    while (true) {
      const ssize_t count = ::read(descriptor_, into.data(), into.size());
      if (count >= 0) return static_cast<std::size_t>(count);
      if (errno == EAGAIN) return std::nullopt;
      if (errno != EINTR) fail("read", name_, reason());
    }
  }

  void find_writer() {
    char byte = 0;
    const std::optional<std::size_t> count = read_now({&byte, 1});
    if (count == std::size_t{0}) fail("read", name_, "it is a FIFO that nothing writes to");
    if (count) early_ = byte;  // it came just now
  }

  int descriptor_;
  std::string name_;
  std::optional<char> early_;
};

}  // namespace

std::unique_ptr<ByteReader> open_bytes(const std::string& path, std::chrono::milliseconds patience) {
  if (path == "-") return std::make_unique<Descriptor>(STDIN_FILENO, "<stdin>");
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) fail("open", path, reason());
  auto file = std::make_unique<Descriptor>(descriptor, path);
  const struct stat status = file->status();
  if (S_ISDIR(status.st_mode)) fail("read", path, "it is a folder");
  if (S_ISFIFO(status.st_mode)) file->await_writer(patience);
  file->let_block();
  if (S_ISREG(status.st_mode)) ::posix_fadvise(descriptor, 0, 0, POSIX_FADV_SEQUENTIAL);
  return file;
}

}  // namespace kvtraffic::hardware::hbm
