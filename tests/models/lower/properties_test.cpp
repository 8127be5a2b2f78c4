// What must hold at every point of every model and format, whatever the numbers are.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>

#include "tests/models/catalog_files.hpp"

namespace kvtraffic::models::test {
namespace {

using sim::DataKind;

// Each (model, format, layout) is lowered once for all samples.
const Case& any_case(bool parallel) {
  static std::map<std::string, Case> cases;
  const auto model = *rc::gen::elementOf(names_in("catalog"));
  const auto format = *rc::gen::element<std::string>("deployed", "bf16");  // the two that know every family
  sim::Deployment where;
  if (parallel) {
    where.devices = 8;
    where.tensor = *rc::gen::element(1, 2, 8);
    where.data = 8 / where.tensor;
    where.expert = *rc::gen::element(1, 4, 8);
  }
  const std::string key = model + format + std::to_string(where.tensor) + "/" + std::to_string(where.expert);
  return cases.try_emplace(key, model, format, where).first->second;
}

std::int64_t any_context() { return *rc::gen::inRange<std::int64_t>(1, 1 << *rc::gen::inRange(1, 21)); }
std::int64_t any_batch() { return *rc::gen::inRange<std::int64_t>(1, 1 << *rc::gen::inRange(1, 12)); }

RC_GTEST_PROP(EveryModel, ReadsNoLessWithMoreContext, ()) {
  const Case& c = any_case(true);
  const std::int64_t batch = any_batch(), shorter = any_context(), longer = shorter + any_context();
  for (const DataKind kind :
       {DataKind::weight, DataKind::kv_main, DataKind::kv_local, DataKind::index_key, DataKind::selection}) {
    RC_ASSERT(c.logical(kind, batch, shorter).read <= c.logical(kind, batch, longer).read);
    RC_ASSERT(c.sectors(kind, batch, shorter).read <= c.sectors(kind, batch, longer).read);
  }
  RC_ASSERT(c.lowered.demand.allocated_per_request(shorter) <= c.lowered.demand.allocated_per_request(longer));
}

RC_GTEST_PROP(EveryModel, MovesNoLessWithMoreBatch, ()) {
  const Case& c = any_case(true);
  const std::int64_t context = any_context(), fewer = any_batch();
  const sim::Tally small = c.tally(fewer, context), large = c.tally(fewer + any_batch(), context);
  for (std::size_t i = 0; i < small.accesses.size(); ++i) {
    RC_ASSERT(small.accesses[i].logical <= large.accesses[i].logical);
    RC_ASSERT(small.accesses[i].sector <= large.accesses[i].sector);
    RC_ASSERT(small.accesses[i].device <= large.accesses[i].device);
  }
}

RC_GTEST_PROP(EveryModel, RequestsWhatTheAlgorithmAsksForAndSaysWhyMore, ()) {
  const Case& c = any_case(true);
  for (const sim::AccessBytes& a : c.tally(any_batch(), any_context(), *rc::gen::arbitrary<bool>()).accesses) {
    RC_ASSERT(a.logical <= a.sector);
    RC_ASSERT(a.logical + a.rounding + a.apart + a.tensor_copies + a.data_copies == a.sector);
    RC_ASSERT(a.device <= a.sector);
  }
}

RC_GTEST_PROP(EveryModel, AsksForTheSameHoweverItIsSpread, ()) {
  const Case& one = any_case(false);
  const std::int64_t batch = any_batch(), context = any_context();
  sim::Deployment where;
  where.tensor = *rc::gen::element(1, 2, 8);
  where.data = *rc::gen::element(1, 2, 4);
  where.devices = where.tensor * where.data;
  where.expert = *rc::gen::suchThat(rc::gen::inRange<std::int64_t>(1, where.devices + 1),
                                    [&](std::int64_t groups) { return where.devices % groups == 0; });
  const Case spread(one.model.name, one.format.name, where);
  for (std::size_t k = 0; k < sim::kind_count; ++k) {
    const auto kind = static_cast<DataKind>(k);
    RC_ASSERT(one.logical(kind, batch, context) == spread.logical(kind, batch, context));
  }
}

RC_GTEST_PROP(EveryModel, AllocatesAtLeastWhatItStores, ()) {
  const Case& c = any_case(false);
  const std::int64_t context = any_context();
  RC_ASSERT(c.lowered.demand.cache_per_request(context) <= c.lowered.demand.allocated_per_request(context));
}

// One byte function: what a period of tokens writes is what storage grows by.
RC_GTEST_PROP(EveryModel, WritesInAPeriodWhatStorageGrowsBy, ()) {
  const Case& c = any_case(false);
  const std::int64_t period = c.model.position_period();
  const std::int64_t context = period * *rc::gen::inRange<std::int64_t>(1, 4000);
  std::int64_t written = 0;
  for (const DataKind kind : {DataKind::kv_main, DataKind::index_key})
    written += c.logical(kind, period, context, true).write;  // of as many requests as positions are averaged over
  const auto grown = [&](std::int64_t n) {
    return c.lowered.demand.stored_per_request(n, DataKind::kv_main) +
           c.lowered.demand.stored_per_request(n, DataKind::index_key);
  };
  RC_ASSERT(written == grown(context) - grown(context - period));
}

RC_GTEST_PROP(EveryModel, ReadsNoLessWithALargerSelection, ()) {
  const std::string model = *rc::gen::element<std::string>("deepseek-v3.2", "deepseek-v4-flash", "deepseek-v4.1-flash");
  const std::int64_t k = *rc::gen::inRange<std::int64_t>(1, 5000);
  const std::int64_t more = k + *rc::gen::inRange<std::int64_t>(0, 5000), context = any_context();
  const auto reads = [&](std::int64_t top_k) {
    return Case(model, "deployed", {}, "attention: {top_k: " + std::to_string(top_k) + "}")
        .logical(DataKind::kv_main, 3, context)
        .read;
  };
  RC_ASSERT(reads(k) <= reads(more));
}

}  // namespace
}  // namespace kvtraffic::models::test
