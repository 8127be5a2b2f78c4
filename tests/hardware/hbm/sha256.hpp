// SHA-256 (FIPS 180-4), to hold long sequences against a published digest.
// For tests alone: leaves out the second half of the digest, and speed.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>

namespace kvtraffic::hardware::hbm {

class Sha256 {
 public:
  Sha256() {
    for (int number = 2, found = 0; found < 64; ++number) {
      if (!is_prime(number)) continue;
      if (found < 8) state_[static_cast<std::size_t>(found)] = fraction_of(std::sqrt(static_cast<long double>(number)));
      round_[static_cast<std::size_t>(found++)] = fraction_of(std::cbrt(static_cast<long double>(number)));
    }
  }

  void add(std::uint8_t byte) {
    block_[bytes_++ % 64] = byte;
    if (bytes_ % 64 == 0) digest_block();
  }
  void add(std::uint64_t word) {  // little-endian
    for (unsigned shift = 0; shift < 64; shift += 8) add(static_cast<std::uint8_t>(word >> shift));
  }

  // The first 16 hexadecimal digits. Ends the sequence.
  [[nodiscard]] std::string prefix() {
    const std::uint64_t bits = bytes_ * 8;
    add(std::uint8_t{0x80});
    while (bytes_ % 64 != 56) add(std::uint8_t{0});
    for (unsigned shift = 64; shift > 0; shift -= 8) add(static_cast<std::uint8_t>(bits >> (shift - 8)));
    std::string text;
    for (unsigned digit = 0; digit < 16; ++digit) {
      text += "0123456789abcdef"[state_[digit / 8] >> (28 - digit % 8 * 4) & 0xFU];
    }
    return text;
  }

 private:
  static bool is_prime(int number) {
    for (int divisor = 2; divisor * divisor <= number; ++divisor) {
      if (number % divisor == 0) return false;
    }
    return true;
  }
  static std::uint32_t fraction_of(long double root) {
    return static_cast<std::uint32_t>((root - std::floor(root)) * 4294967296.0L);
  }

  void digest_block() {
    std::array<std::uint32_t, 64> w{};
    for (std::size_t i = 0; i < 64; ++i) w[i / 4] = i % 4 == 0 ? block_[i] : w[i / 4] << 8U | block_[i];
    for (std::size_t i = 16; i < 64; ++i) {
      const std::uint32_t a = w[i - 15], b = w[i - 2];
      w[i] = w[i - 16] + (std::rotr(a, 7) ^ std::rotr(a, 18) ^ a >> 3U) + w[i - 7] +
             (std::rotr(b, 17) ^ std::rotr(b, 19) ^ b >> 10U);
    }
    auto s = state_;
    for (std::size_t i = 0; i < 64; ++i) {
      const std::uint32_t choice = (s[4] & s[5]) ^ (~s[4] & s[6]),
                          majority = (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]);
      const std::uint32_t one =
          s[7] + (std::rotr(s[4], 6) ^ std::rotr(s[4], 11) ^ std::rotr(s[4], 25)) + choice + round_[i] + w[i];
      const std::uint32_t two = (std::rotr(s[0], 2) ^ std::rotr(s[0], 13) ^ std::rotr(s[0], 22)) + majority;
      s = {one + two, s[0], s[1], s[2], s[3] + one, s[4], s[5], s[6]};
    }
    for (std::size_t i = 0; i < 8; ++i) state_[i] += s[i];
  }

  std::array<std::uint32_t, 8> state_{};
  std::array<std::uint32_t, 64> round_{};
  std::array<std::uint8_t, 64> block_{};
  std::uint64_t bytes_ = 0;
};

}  // namespace kvtraffic::hardware::hbm
