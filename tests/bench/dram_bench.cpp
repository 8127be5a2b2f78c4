// Host time of the DRAM model: requests a second of whole runs, decoding of addresses, reading of trace text, and long
// streams with and without jumps. Leaves out machines with caches in front of it.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "hardware/hbm/address_map.hpp"
#include "hardware/hbm/memory.hpp"
#include "hardware/hbm/reference_traces.hpp"
#include "hardware/hbm/trace.hpp"
#include "scenarios/device/memory_part.hpp"

namespace kvtraffic::scenarios {
namespace {

using namespace hardware::hbm;

Part part_with(const std::string& name, const std::vector<std::string>& settings) {
  return choose_part(Catalog(KVTRAFFIC_ROOT), name, settings).part;
}

// Transactions that were made before the clock was started.
class ReadyTransactions final : public TransactionSource {
 public:
  explicit ReadyTransactions(const std::vector<Transaction>& all) : all_(&all) {}
  [[nodiscard]] std::size_t read(std::span<Transaction> into) override {
    const std::size_t count = std::min(into.size(), all_->size() - done_);
    std::copy_n(all_->begin() + static_cast<std::ptrdiff_t>(done_), count, into.begin());
    done_ += count;
    return count;
  }

 private:
  const std::vector<Transaction>* all_;
  std::size_t done_ = 0;
};

std::vector<Transaction> transactions_of(const char* trace) {
  const auto source = make_reference_trace(trace, 1, 1, 32);
  std::vector<Transaction> all(source->size().value_or(std::size_t{1} << 22U));
  all.resize(source->read(all));
  return all;
}

// ---- whole runs: one stack of an H100, 128 reads and 64 writes in a channel, one thread ----

void BM_Trace(benchmark::State& state, const char* trace, const char* refresh) {
  const Part part = part_with("hbm3-h100", {"geometry.stacks=1", "map=i256", "controller.read_queue=128",
                                            "controller.write_queue=64", std::string("controller.refresh=") + refresh});
  const std::vector<Transaction> all = transactions_of(trace);
  for (auto iteration : state) {
    ReadyTransactions source(all);
    benchmark::DoNotOptimize(run_memory(part, source, {}));
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(all.size()));
}

void add_traces() {
  for (const char* trace : {"stream", "streams16", "rand64", "gather656", "gather1152", "stream_rd_wr", "scan132"}) {
    for (const char* refresh : {"all-bank", "per-bank"}) {
      benchmark::RegisterBenchmark(fmt::format("BM_Trace/{}/{}", trace, refresh).c_str(), BM_Trace, trace, refresh)
          ->Unit(benchmark::kMillisecond);
    }
  }
}

// ---- decoding ----

void BM_Decode(benchmark::State& state, const std::string& name) {
  const Part part = part_with("hbm3e-h200", {});
  const AddressMap map(*find_map(name), part.geometry);
  std::uint64_t address = 0;
  for (auto iteration : state) {
    benchmark::DoNotOptimize(map.decode(address));
    address += 0x9E3779B1U;  // an odd stride: all bits change
    if (address >= map.capacity()) address -= map.capacity();
  }
  state.SetItemsProcessed(state.iterations());
}

void add_maps() {
  for (const std::string& name : map_names()) {
    benchmark::RegisterBenchmark(fmt::format("BM_Decode/{}", name).c_str(), BM_Decode, name);
  }
}

// ---- trace text ----

class Text final : public ByteReader {
 public:
  explicit Text(const std::string& text) : text_(&text) {}
  [[nodiscard]] std::size_t read(std::span<char> into) override {
    const std::size_t count = std::min(into.size(), text_->size() - done_);
    std::memcpy(into.data(), text_->data() + done_, count);
    done_ += count;
    return count;
  }

 private:
  const std::string* text_;
  std::size_t done_ = 0;
};

void BM_TraceText(benchmark::State& state) {
  constexpr std::int64_t lines = 1'000'000;
  std::string text;
  for (std::int64_t i = 0; i < lines; ++i) text += fmt::format("LD {:#x}\n", i * 7919 % lines * 32);
  std::vector<Transaction> buffer(std::size_t{1} << 16U);
  for (auto iteration : state) {
    const auto source = read_trace(std::make_unique<Text>(text), "text", {.capacity = std::uint64_t{1} << 30U});
    while (source->read(buffer) > 0) benchmark::DoNotOptimize(buffer.data());
  }
  state.SetItemsProcessed(state.iterations() * lines);
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
}
BENCHMARK(BM_TraceText)->Unit(benchmark::kMillisecond);

// ---- long streams on six stacks, one thread ----

void BM_Stream(benchmark::State& state, const char* map, std::uint64_t bytes, bool exact) {
  const Part part = part_with("hbm3e-h200", {std::string("map=") + map});
  RunSettings settings;
  settings.exact = exact;
  const LinearStream stream{0, bytes / 32, false};
  std::uint64_t simulated = 0;
  for (auto iteration : state) simulated = run_stream(part, stream, settings).simulated_requests;
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(stream.count));
  state.counters["simulated"] = static_cast<double>(simulated);
}

void add_streams() {
  constexpr std::uint64_t gigabyte = 1'000'000'000;
  for (const char* map : {"map-A", "map-B", "i256"}) {
    benchmark::RegisterBenchmark(fmt::format("BM_Stream/{}/12GB", map).c_str(), BM_Stream, map, 12 * gigabyte, false)
        ->Unit(benchmark::kMillisecond);
  }
  benchmark::RegisterBenchmark("BM_Stream/i256/1.2GB/exact", BM_Stream, "i256", 12 * gigabyte / 10, true)
      ->Unit(benchmark::kMillisecond)
      ->Iterations(1);
}

// The main program is the library's, so registration happens before it.
[[maybe_unused]] const bool added = [] {
  add_traces();
  add_maps();
  add_streams();
  return true;
}();

}  // namespace
}  // namespace kvtraffic::scenarios
