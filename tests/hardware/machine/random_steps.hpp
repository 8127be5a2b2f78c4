// Random steps for the machine with DRAM commands, and a device that fits a part. Leaves out models: sizes are drawn,
// from one byte on.
#pragma once

#include <algorithm>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "hardware/hbm/part.hpp"
#include "tests/hardware/machine/step.hpp"

namespace kvtraffic::hardware::testing {

// The round device with the pins of a part: 1 TB/s would otherwise bound it.
inline Hardware hardware_on(const hbm::Part& part) {
  Hardware hardware = round_hardware();
  hardware.device.bus_bits = 8;
  hardware.device.pin_bits_per_second = part.peak().per_second();
  hardware.device.l2_bandwidth = sim::Bandwidth::per_second(20e12);
  return hardware;
}

enum class Order { some, chain };

class RandomSteps {
 public:
  // At most 2^octaves bytes an access.
  explicit RandomSteps(std::uint64_t seed, std::uint64_t octaves) : random_(seed), octaves_(octaves) {}

  Step step(Order order = Order::some) {
    Step step;
    const auto kernels = static_cast<std::uint32_t>(1 + random_() % 8);
    for (std::uint32_t v = 0; v < kernels; ++v) {
      add_kernel(step);
      if (v > 0 && (order == Order::chain || random_() % 2 == 0)) step.after(v - 1, v);
      if (v > 2 && random_() % 4 == 0) step.after(v - 3, v);
    }
    step.finish();
    return step;
  }

 private:
  // Small values as likely as large ones.
  std::int64_t bytes() {
    const std::uint64_t low = std::uint64_t{1} << (random_() % octaves_);
    return static_cast<std::int64_t>(low + random_() % low);
  }

  Use use() {
    const std::string region = std::to_string(random_() % 20);
    const std::uint64_t choice = random_() % 8;
    if (choice < 2) return writes("w" + region, bytes());
    if (choice == 2) return transient(writes("t" + region, bytes()));
    if (choice == 3) return transient(reads("t" + region, bytes()));
    if (choice == 4) return on_host(reads("h" + region, 1 + bytes() / 64));
    if (choice == 5) {
      const auto row = static_cast<std::int64_t>(32 * (1 + random_() % 40));
      return picks("p" + region, std::max<std::int64_t>(1, bytes() / row), row);
    }
    return reads("r" + region, bytes());
  }

  void add_kernel(Step& step) {
    std::vector<Use> uses;
    for (std::uint64_t n = random_() % 4; n > 0; --n) uses.push_back(use());
    const std::uint64_t choice = random_() % 8;
    if (choice == 0) {
      step.add_message(sim::Collective::Kind::all_reduce, bytes(), uses);
    } else if (choice < 4) {
      step.add(uses, static_cast<double>(bytes()) * 3);
    } else {
      step.add_gemm(static_cast<std::int64_t>(1 + random_() % 4000), static_cast<double>(bytes()) * 30, uses);
    }
  }

  std::mt19937_64 random_;
  std::uint64_t octaves_;
};

inline Step random_step(std::uint64_t seed, std::uint64_t octaves, Order order = Order::some) {
  return RandomSteps(seed, octaves).step(order);
}

}  // namespace kvtraffic::hardware::testing
