// Writes whole pieces, so that the stream's own formatting is never paid for.
// Leaves out retries: a stream that failed once stays failed.
#include "reports/output.hpp"

#include "sim/config/io_error.hpp"

namespace kvtraffic::reports {
namespace {

void require_good(const std::ostream& out) {
  if (!out) throw sim::IoError("the results could not be written: the output stream failed");
}

}  // namespace

void Output::hand_on() {
  require_good(*out_);
  out_->write(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
  buffer_.clear();
  require_good(*out_);
}

void Output::finish() {
  hand_on();
  out_->flush();
  require_good(*out_);
}

}  // namespace kvtraffic::reports
