// The loop allocates nothing once it runs: operator new of the whole test program counts its calls.
// Leaves out allocation by components themselves; the network here has reserved what it needs.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>
#include <vector>

#include "tests/sim/kernel/network.hpp"

namespace {
std::atomic<std::uint64_t> allocations = 0;
}

// Not inlined: the compiler would see free() meet a pointer that it takes for one of its own operator new.
[[gnu::noinline]] void* operator new(std::size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void* operator new(std::size_t size,
                                     const std::nothrow_t&) noexcept {  // what std::stable_sort asks for
  ++allocations;
  return std::malloc(size == 0 ? 1 : size);
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace kvtraffic::sim::testing {
namespace {

TEST(Allocation, IsCounted) {
  const std::uint64_t before = allocations;
  const std::vector<int> numbers(10);
  EXPECT_EQ(allocations, before + 1);
  EXPECT_EQ(numbers.size(), 10u);
}

TEST(Allocation, DoesNotHappenInTheLoop) {
  Network network(100, 1, 50);
  Loop loop;
  loop.set_order_seed(1);
  network.join(loop);
  const std::uint64_t before = allocations;
  const LoopEnd outcome = loop.run();
  EXPECT_EQ(allocations, before);
  EXPECT_GT(outcome.advances, 100u * 50u);
}

}  // namespace
}  // namespace kvtraffic::sim::testing
