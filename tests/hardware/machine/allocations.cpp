// operator new of the whole test program counts its calls. Leaves out aligned memory, which nothing here asks for.
#include "tests/hardware/machine/allocations.hpp"

#include <atomic>
#include <cstdlib>
#include <new>

namespace {
std::atomic<std::uint64_t> calls = 0;
}

// Not inlined: the compiler would see free() meet a pointer that it takes for one of its own operator new.
[[gnu::noinline]] void* operator new(std::size_t size) {
  ++calls;
  if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void* operator new(std::size_t size,
                                     const std::nothrow_t&) noexcept {  // what std::stable_sort asks for
  ++calls;
  return std::malloc(size == 0 ? 1 : size);
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace kvtraffic::hardware::test {

std::uint64_t allocations() { return calls; }

}  // namespace kvtraffic::hardware::test
