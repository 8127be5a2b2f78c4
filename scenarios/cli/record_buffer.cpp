// Buffers whole records and writes them to the descriptor itself, so that it is known how much of them arrived.
// Leaves out retries: output that failed once stays failed.
#include "scenarios/cli/record_buffer.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace kvtraffic::scenarios {
namespace {

constexpr std::size_t enough = 8192;  // bytes that are worth a system call

}  // namespace

RecordBuffer::int_type RecordBuffer::overflow(int_type character) {
  if (error_ != 0) return traits_type::eof();
  if (!traits_type::eq_int_type(character, traits_type::eof())) pending_ += traits_type::to_char_type(character);
  return traits_type::not_eof(character);
}

std::streamsize RecordBuffer::xsputn(const char* text, std::streamsize size) {
  if (error_ != 0) return 0;
  pending_.append(text, static_cast<std::size_t>(size));
  return size;
}

int RecordBuffer::sync() { return hand_on() ? 0 : -1; }

bool RecordBuffer::end_record() {
  starts_.push_back(pending_.size());
  return error_ == 0 && (pending_.size() < enough || hand_on());
}

bool RecordBuffer::hand_on() {
  if (error_ != 0) return false;
  std::size_t written = 0;
  while (written < pending_.size()) {
    const ssize_t more = write(STDOUT_FILENO, pending_.data() + written, pending_.size() - written);
    if (more < 0 && errno == EINTR) continue;
    if (more <= 0) {
      error_ = more < 0 ? errno : EIO;
      cut_back(written);
      return false;
    }
    written += static_cast<std::size_t>(more);
  }
  pending_.clear();
  starts_.clear();
  return true;
}

// Only where nobody wrote behind us; elsewhere the torn record stays.
void RecordBuffer::cut_back(std::size_t written) const {
  std::size_t whole = 0;
  for (const std::size_t start : starts_) {
    if (start <= written) whole = start;
  }
  struct stat file {};
  if (fstat(STDOUT_FILENO, &file) != 0 || !S_ISREG(file.st_mode)) return;
  const off_t end = lseek(STDOUT_FILENO, 0, SEEK_CUR);
  if (written == whole || end != file.st_size) return;
  const off_t kept = end - static_cast<off_t>(written - whole);
  if (ftruncate(STDOUT_FILENO, kept) == 0) static_cast<void>(lseek(STDOUT_FILENO, kept, SEEK_SET));
}

}  // namespace kvtraffic::scenarios
