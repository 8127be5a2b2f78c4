// Writes to the descriptor itself, so that each write's outcome is known.
// Leaves out sorting channels into one order of time: that would take memory for the whole run.
#include "scenarios/device/command_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "sim/config/io_error.hpp"
#include "sim/units/format.hpp"
#include "sim/units/quote.hpp"

namespace kvtraffic::scenarios {

using hardware::hbm::BankAddress;
using hardware::hbm::Command;
using hardware::hbm::Kind;
using hardware::hbm::Part;
using hardware::hbm::Tick;

namespace {

constexpr std::size_t enough = 1U << 16U;  // bytes that are worth a system call
constexpr int mode = 0666;                 // less what the user's mask takes

bool has_bank(Command command) { return command != Command::precharge_all && command != Command::refresh_all; }

std::string text_or_dash(bool applies, std::int64_t value) { return applies ? fmt::format("{}", value) : "-"; }

}  // namespace

class CommandFile::Channel final : public hardware::hbm::Listener {
 public:
  Channel(CommandFile& file, int channel) : file_(&file), channel_(channel) {}
  void command(Tick now, Command command, BankAddress at, std::int64_t row, int column) override {
    file_->line(channel_, now, command, at, row, column);
  }
  void answered(std::uint64_t, Kind, Tick, Tick) override {}

 private:
  CommandFile* file_;
  int channel_;
};

CommandFile::CommandFile(const Part& part, const std::string& path) : geometry_(part.geometry), path_(path) {
  descriptor_ = path == "-" ? dup(STDOUT_FILENO) : open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, mode);
  if (descriptor_ < 0) refuse(errno);
  fmt::format_to(std::back_inserter(buffer_),
                 "# {}, {} channels, map {}; a tick is half a clock of {} ps, rising edges are odd; a channel's lines "
                 "are in order of time\n"
                 "# tick command channel pseudo-channel stack-id bank-group bank row column\n",
                 part.name, geometry_.all_channels(), part.map,
                 sim::exact_text(static_cast<double>(part.timings.clock.femtoseconds()) / 1000));
}

// A run that failed leaves what it had done: whole lines. That failure is what is told, so a second one is not.
CommandFile::~CommandFile() {
  if (descriptor_ < 0) return;
  try {
    if (has_lines_) hand_on();
  } catch (const sim::IoError&) {  // NOLINT(bugprone-empty-catch)
  }
  close(descriptor_);
}

hardware::hbm::Listener* CommandFile::of_channel(int channel) {
  return channels_.emplace_back(std::make_unique<Channel>(*this, channel)).get();
}

void CommandFile::line(int channel, Tick now, Command command, BankAddress at, std::int64_t row, int column) {
  has_lines_ = true;
  const bool bank = has_bank(command);
  fmt::format_to(std::back_inserter(buffer_), "{} {} {} {} {} {} {} {} {}\n", now, name_of(command), channel,
                 at.pseudo_channel, text_or_dash(bank, at.bank / (geometry_.bank_groups * geometry_.banks)),
                 text_or_dash(bank, at.bank / geometry_.banks % geometry_.bank_groups),
                 text_or_dash(bank, at.bank % geometry_.banks),
                 text_or_dash(command == Command::activate || is_column(command), row),
                 text_or_dash(is_column(command), column));
  if (buffer_.size() >= enough) hand_on();
}

// What an older file of that name holds goes only now: a run that is refused before its first command keeps it.
void CommandFile::empty_older() {
  if (has_begun_) return;
  has_begun_ = true;
  struct stat about {};
  if (path_ == "-" || fstat(descriptor_, &about) != 0 || !S_ISREG(about.st_mode)) return;
  if (ftruncate(descriptor_, 0) != 0) refuse(errno);
}

void CommandFile::hand_on() {
  empty_older();
  std::size_t done = 0;
  while (done < buffer_.size()) {
    const ssize_t more = write(descriptor_, buffer_.data() + done, buffer_.size() - done);
    if (more < 0 && errno == EINTR) continue;
    if (more <= 0) {
      const int error = more < 0 ? errno : EIO;
      buffer_.clear();  // must not be written again
      refuse(error);
    }
    done += static_cast<std::size_t>(more);
  }
  buffer_.clear();
}

void CommandFile::finish() {
  hand_on();
  const int outcome = close(descriptor_);
  descriptor_ = -1;
  if (outcome != 0) refuse(errno);
}

void CommandFile::refuse(int error) const {
  const std::string what = path_ == "-" ? "standard output" : sim::in_quotes(path_);
  throw sim::IoError(fmt::format("cannot write {}: {}", what, std::generic_category().message(error)));
}

}  // namespace kvtraffic::scenarios
