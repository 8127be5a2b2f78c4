// Small means are counted down the distribution; larger ones are drawn by transformed rejection (W. Hoermann, "The
// generation of binomial random variates", 1993, algorithm BTRS). Leaves out chances above one half: those of the
// opposite are drawn.
#include "sim/draw/binomial.hpp"

#include <array>
#include <cmath>

#include "sim/draw/elementary.hpp"

namespace kvtraffic::sim {
namespace {

constexpr double least_mean = 10;  // for which rejection's constants hold

double power(double base, std::int64_t exponent) {
  double result = 1;
  for (; exponent > 0; exponent >>= 1, base *= base) {
    if ((exponent & 1) != 0) result *= base;
  }
  return result;
}

// From zero upwards: P(x) = P(x - 1) (n - x + 1) / x p / (1 - p).
std::int64_t counted(SplitMix64& random, std::int64_t n, double p) {
  constexpr std::int64_t most = 110;  // beyond lies less than 1e-60 of a mean below ten
  const double none = power(1 - p, n);
  const double odds = p / (1 - p);
  while (true) {
    double left = random.unit();
    double probability = none;
    for (std::int64_t x = 0; x <= n && x <= most; ++x) {
      if (left < probability) return x;
      left -= probability;
      probability *= odds * static_cast<double>(n - x) / static_cast<double>(x + 1);
    }
  }
}

// ln k! less Stirling's (k + 1/2) ln(k + 1) - (k + 1) + ln(2 pi) / 2.
double beyond_stirling(double k) {
  constexpr std::array<double, 10> few{
      0.08106146679532726, 0.04134069595540929, 0.02767792568499834, 0.02079067210376509,  0.01664469118982119,
      0.01387612882307075, 0.01189670994589177, 0.01041126526197209, 0.009255462182712733, 0.008330563433362871};
  if (k < 10) return few[static_cast<std::size_t>(k)];
  const double square = (k + 1) * (k + 1);
  return (1.0 / 12 - (1.0 / 360 - 1.0 / 1260 / square) / square) / (k + 1);
}

// Hoermann's hat: u is uniform around zero, and its transform falls near the mode m.
class Rejection {
 public:
  Rejection(double n, double p) : n_(n), odds_(p / (1 - p)), mode_(std::floor((n + 1) * p)) {
    const double deviation = std::sqrt(n * p * (1 - p));
    b_ = 1.15 + 2.53 * deviation;
    a_ = -0.0873 + 0.0248 * b_ + 0.01 * p;
    center_ = n * p + 0.5;
    alpha_ = (2.83 + 5.1 / b_) * deviation;
    surely_ = 0.92 - 4.2 / b_;
  }

  double draw(SplitMix64& random) const {
    while (true) {
      const double u = random.unit() - 0.5, v = 1 - random.unit();  // no logarithm of zero
      const double edge = 0.5 - std::abs(u);
      if (!(edge > 0)) continue;
      const double k = std::floor((2 * a_ / edge + b_) * u + center_);
      if (!(k >= 0 && k <= n_)) continue;
      if (edge >= 0.07 && v <= surely_) return k;
      if (portable_log(v * alpha_ / (a_ / (edge * edge) + b_)) <= log_ratio(k)) return k;
    }
  }

 private:
  // ln of P(k) / P(mode).
  [[nodiscard]] double log_ratio(double k) const {
    return (mode_ + 0.5) * portable_log((mode_ + 1) / (odds_ * (n_ - mode_ + 1))) +
           (n_ + 1) * portable_log((n_ - mode_ + 1) / (n_ - k + 1)) +
           (k + 0.5) * portable_log(odds_ * (n_ - k + 1) / (k + 1)) + beyond_stirling(mode_) +
           beyond_stirling(n_ - mode_) - beyond_stirling(k) - beyond_stirling(n_ - k);
  }

  double n_, odds_, mode_;
  double a_ = 0, b_ = 0, center_ = 0, alpha_ = 0, surely_ = 0;
};

}  // namespace

std::int64_t binomial(SplitMix64& random, std::int64_t n, double chance) {
  if (n <= 0 || !(chance > 0)) return 0;
  if (chance >= 1) return n;
  if (chance > 0.5) return n - binomial(random, n, 1 - chance);
  const auto count = static_cast<double>(n);
  if (count * chance < least_mean) return counted(random, n, chance);
  const double drawn = Rejection(count, chance).draw(random);
  return drawn >= count ? n : static_cast<std::int64_t>(drawn);  // beyond 2^53 a double may round up
}

}  // namespace kvtraffic::sim
