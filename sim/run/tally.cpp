// Fills one point's numbers into a graph: each distinct charge is worked out once, then multiplied by what it is taken
// per.
#include "sim/run/tally.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "sim/units/quantity.hpp"

namespace kvtraffic::sim {
namespace {

// How many of everything the step has. "Device" is the fullest one.
struct Step {
  const Deployment& deployment;
  const std::vector<ExpertSet>& expert_sets;
  const Tally& tally;
  std::int64_t ranks = 1;            // data ranks with requests
  std::int64_t requests = 1;         // on the fullest of them
  const SpanTokens* span = nullptr;  // of the operation at hand
  std::size_t first_set = 0;         // of its span in the lists of distinct experts

  [[nodiscard]] std::int64_t positions() const { return span->at.count(); }  // that a cost is summed over
  [[nodiscard]] std::int64_t pairs(std::uint32_t experts) const {
    return checked_multiply(span->tokens, expert_sets[experts].active);
  }
  // Where the experts lie, or (at home) where the tokens do, of which every device has as many.
  [[nodiscard]] std::int64_t pairs_device(std::uint32_t experts, bool at_home = false) const {
    const ExpertLoad* load = drawn(experts);
    return load != nullptr && !at_home ? load->pairs_device : ceil_divide(pairs(experts), deployment.expert);
  }
  [[nodiscard]] const ExpertLoad* drawn(std::uint32_t experts) const {
    return tally.drawn.empty() ? nullptr : &tally.drawn[first_set + experts];
  }
  // A routed expert lies on `expert_tensor` devices, which share it unless it cannot be divided.
  [[nodiscard]] std::int64_t expert_parts(std::int64_t ways) const {
    return ways == 1 ? 1 : deployment.expert_tensor();
  }
};

// `factor` x `sum` / `divisor`, rounded once. Dividing by one is what nearly every access of a decode step does.
std::int64_t times(std::int64_t factor, std::int64_t sum, std::int64_t divisor) {
  return divisor == 1 ? checked_multiply(factor, sum) : scale(factor, sum, divisor);
}

// `factor` times the mean cost of a position, requested once.
AccessBytes once(const Cost& cost, std::int64_t factor, std::int64_t positions) {
  const std::int64_t per = checked_multiply(cost.per, positions);
  AccessBytes bytes;
  bytes.logical = times(factor, cost.nominal, positions);
  bytes.sector = times(factor, cost.sectors, per);
  std::int64_t beyond = bytes.sector - bytes.logical;
  bytes.rereads = cost.again == 0 ? 0 : std::min(times(factor, cost.again, per), beyond);
  beyond -= bytes.rereads;
  bytes.apart = cost.apart == 0 ? 0 : std::min(times(factor, cost.apart, per), beyond);
  bytes.rounding = beyond - bytes.apart;
  return bytes;
}

// The same on `tensor` devices of each of `data` ranks.
void copy(AccessBytes& bytes, std::int64_t tensor, std::int64_t data) {
  const std::int64_t original = bytes.sector;
  bytes.tensor_copies = checked_multiply(original, tensor - 1);
  bytes.data_copies = checked_multiply(checked_multiply(original, tensor), data - 1);
  bytes.sector = checked_multiply(checked_multiply(original, tensor), data);
}

std::int64_t on_device(std::int64_t sum, std::int64_t factor, std::int64_t divisor, std::int64_t parts) {
  const std::int64_t whole = times(factor, sum, divisor);
  return parts == 1 ? whole : ceil_divide(whole, parts);
}

// What multiplies the mean cost of a position, in the deployment and on its fullest device.
struct Multiplicity {
  std::int64_t total = 1;
  std::int64_t device = 1;
  std::int64_t parts = 1;          // into which devices divide it
  std::int64_t tensor_copies = 1;  // devices that request the same
  std::int64_t data_copies = 1;    // ranks that do
  std::int64_t positions = 1;      // that the cost is the sum of
};

// Never copied: each lies on the devices of one group, divided among them.
Multiplicity of_experts(const Access& access, const Step& step) {
  const Deployment& deployment = step.deployment;
  const std::int64_t distinct = step.tally.distinct_experts[step.first_set + access.experts];
  const ExpertLoad* drawn = step.drawn(access.experts);
  const std::int64_t there = drawn != nullptr ? drawn->in(access.place).total
                                              : step.expert_sets[access.experts].part_in(access.place, distinct);
  // The device that reads most of this place's experts, which need not be the one that reads most of another's.
  const std::int64_t device = drawn != nullptr ? drawn->in(access.place).device : ceil_divide(there, deployment.expert);
  return {there, device, deployment.expert_tensor(), 1, 1, step.positions()};
}

Multiplicity multiplicity_of(const Access& access, const Step& step) {
  const Deployment& deployment = step.deployment;
  const std::int64_t expert_parts = step.expert_parts(access.ways);
  switch (access.per) {
    case Per::token: {
      const std::int64_t parts = deployment.parts(access.ways);
      return {step.span->tokens, step.span->tokens_device, parts, deployment.tensor / parts, 1, step.positions()};
    }
    case Per::rank: {
      const std::int64_t parts = deployment.parts(access.ways);
      return {1, 1, parts, deployment.tensor / parts, step.ranks, step.positions()};
    }
    case Per::sequence:
    case Per::resumed: {
      const std::int64_t parts = deployment.parts(access.ways);
      return {step.tally.point.batch, step.requests, parts, deployment.tensor / parts, 1, 1};
    }
    case Per::expert:
      return of_experts(access, step);
    case Per::routed:
      return {step.pairs(access.experts),
              step.pairs_device(access.experts, access.at_home),
              expert_parts,
              deployment.expert_tensor() / expert_parts,
              1,
              step.positions()};
  }
  return {};
}

AccessBytes bytes_of(const Access& access, const Cost& cost, const Step& step) {
  if (step.span->tokens == 0) return {};
  const Multiplicity many = multiplicity_of(access, step);
  AccessBytes bytes = once(cost, many.total, many.positions);
  copy(bytes, many.tensor_copies, many.data_copies);
  const std::int64_t divisor = checked_multiply(cost.per, many.positions);
  bytes.device = on_device(cost.sectors, many.device, divisor, many.parts);
  bytes.footprint =
      cost.footprint == cost.sectors ? bytes.device : on_device(cost.footprint, many.device, divisor, many.parts);
  return bytes;
}

// Arithmetic of `work` on the fullest device, and in the whole deployment with what is copied counted once.
struct Flops {
  double device = 0;
  double total = 0;
};

Flops flops_of(const Work& work, const Step& step) {
  if (step.span->tokens == 0) return {};
  if (work.per == Per::sequence) {
    const double each = work.flops * static_cast<double>(entries_per_sequence(work.per, work.count, step.span->at));
    return {each * static_cast<double>(step.requests) / static_cast<double>(step.deployment.parts(work.ways)),
            each * static_cast<double>(step.tally.point.batch)};
  }
  const std::int64_t entries = entries_over(work.count, step.span->at);
  const double unit = work.flops * static_cast<double>(entries) / static_cast<double>(step.positions());
  const auto share = [&](std::int64_t device, std::int64_t parts, std::int64_t total) {
    return Flops{unit * static_cast<double>(device) / static_cast<double>(parts), unit * static_cast<double>(total)};
  };
  switch (work.per) {
    case Per::token:
      return share(step.span->tokens_device, step.deployment.parts(work.ways), step.span->tokens);
    case Per::rank:
      return share(1, step.deployment.parts(work.ways), 1);
    case Per::routed:
      return share(step.pairs_device(work.experts), step.expert_parts(work.ways), step.pairs(work.experts));
    case Per::expert:
    case Per::sequence:
    case Per::resumed:
      break;
  }
  throw std::logic_error("arithmetic is not done per distinct expert or resumed sequence");
}

// A ring: each of `devices` sends all but its own part twice, once summed on the way and once as the result.
void all_reduce(std::int64_t devices, std::int64_t device_bytes, std::int64_t total_bytes, OperationWork& work) {
  work.sent = ceil_divide(checked_multiply(2 * (devices - 1), device_bytes), devices);
  work.sent_total = checked_multiply(2 * (devices - 1), total_bytes);
}

// Tokens go to the expert groups of their experts, once for each (token, expert) pair; one device of a tensor group
// sends. A tensor group smaller than an expert group sends to all the tensor groups in it but itself; a larger one
// holds several expert groups, which cost nothing. One expert group in all is reached by sending each token once.
// Links carry both ways at once: where routing is drawn, what the group with the most pairs receives (and in a combine
// sends back) may be more than what any sends of its own tokens.
void to_experts(const Step& step, std::int64_t bytes_per_token, std::uint32_t experts, OperationWork& work) {
  const Deployment& where = step.deployment;
  const std::int64_t groups = where.expert;
  const std::int64_t spans =
      std::max<std::int64_t>(1, where.expert_tensor() / where.tensor);  // tensor groups an expert group covers
  const std::int64_t held =
      std::max<std::int64_t>(1, where.tensor / where.expert_tensor());  // expert groups a tensor group holds
  const std::int64_t copies = groups == 1 ? 1 : step.expert_sets[experts].active;
  const auto sent = [&](std::int64_t tokens) {
    const std::int64_t messages = checked_multiply(checked_multiply(tokens, copies), spans * groups - held);
    return ceil_divide(checked_multiply(messages, bytes_per_token), groups);
  };
  work.sent = sent(step.span->tokens_device);
  work.sent_total = sent(step.span->tokens);
  const ExpertLoad* drawn = step.drawn(experts);
  if (drawn == nullptr || groups == 1) return;
  const std::int64_t from_others = checked_multiply(drawn->pairs_rank, where.data - 1);
  work.sent = std::max(work.sent, ceil_divide(checked_multiply(from_others, bytes_per_token), where.data));
}

void add_messages(const Operation& operation, const Step& step, OperationWork& work) {
  const std::int64_t unit = operation.collective.bytes_per_token;
  const std::int64_t device_bytes = checked_multiply(step.span->tokens_device, unit);
  const std::int64_t total_bytes = checked_multiply(step.span->tokens, unit);
  const Deployment& deployment = step.deployment;
  switch (operation.collective.kind) {
    case Collective::Kind::none:
      return;
    case Collective::Kind::all_reduce:
      return all_reduce(deployment.tensor, device_bytes, total_bytes, work);
    case Collective::Kind::dispatch:  // with one data rank every device has every token already
      if (deployment.data > 1) to_experts(step, unit, operation.experts, work);
      return;
    case Collective::Kind::combine:
      if (deployment.data > 1) return to_experts(step, unit, operation.experts, work);
      return all_reduce(deployment.devices, device_bytes, total_bytes, work);
  }
}

// Positions before `first` take part where they are replayed; a tail ends at the end of the prompt. Windows reach back
// to where the replay or the tail begins, because nothing before has refilled them.
Positions positions_of(const Span& span, const Point& point) {
  Positions at{point.first, point.last, 0};
  if (span.replays && point.replay > 0) {
    at.first -= point.replay;
    at.origin = at.first - 1;
  }
  if (span.tail > 0) {
    at.origin = std::max(at.origin, point.context - span.tail);
    at.first = std::min(std::max(at.first, at.origin + 1), at.last + 1);
  }
  return at;
}

// Which sets of experts the operations of each span ask for, as in Tally::distinct_experts: only these are drawn.
std::vector<bool> experts_asked_for(const StepGraph& graph) {
  const std::size_t sets = graph.expert_sets().size();
  std::vector<bool> asked(graph.spans().size() * sets);
  for (const Operation& operation : graph.operations()) {
    const std::size_t first = operation.span * sets;
    for (const Access& access : operation.accesses) {
      if (access.per == Per::expert || access.per == Per::routed) asked[first + access.experts] = true;
    }
    for (const Work& work : operation.work) {
      if (work.per == Per::routed) asked[first + work.experts] = true;
    }
    const Collective::Kind kind = operation.collective.kind;
    if (kind == Collective::Kind::dispatch || kind == Collective::Kind::combine) {
      asked[first + operation.experts] = true;
    }
  }
  return asked;
}

void draw_experts(const StepGraph& graph, Tally& tally) {
  const std::vector<bool> asked = experts_asked_for(graph);
  const std::size_t sets = graph.expert_sets().size();
  tally.drawn.assign(asked.size(), {});
  for (std::size_t i = 0; i < asked.size(); ++i) {
    const SpanTokens& span = tally.spans[i / sets];
    if (asked[i] && span.tokens > 0) {
      const ExpertSet& set = graph.expert_sets()[i % sets];
      const auto chunk = static_cast<std::uint64_t>(tally.point.chunk);
      const DrawKey key{i % sets, chunk * graph.spans().size() + i / sets};
      const auto tokens_of = draw_tokens(set, tally.point.routing, key, span.tokens);
      tally.drawn[i] = load_of(tokens_of, set, tally.deployment);
    }
    tally.distinct_experts[i] = tally.drawn[i].distinct.total;
    tally.distinct_experts_device[i] = tally.drawn[i].distinct.device;
  }
}

void count_tokens(const StepGraph& graph, Tally& tally) {
  const Point& point = tally.point;
  const std::int64_t requests = tally.deployment.fullest_requests(point.batch);
  tally.spans.clear();
  tally.distinct_experts.clear();
  tally.distinct_experts_device.clear();
  for (const Span& span : graph.spans()) {
    const Positions at = positions_of(span, point);
    tally.spans.push_back(
        {at, times(point.batch, at.count(), point.divisor), times(requests, at.count(), point.divisor)});
    for (const ExpertSet& set : graph.expert_sets()) {
      const std::int64_t distinct = expected_distinct_experts(set, tally.spans.back().tokens);
      tally.distinct_experts.push_back(distinct);
      tally.distinct_experts_device.push_back(ceil_divide(distinct, tally.deployment.expert));
    }
  }
  tally.drawn.clear();
  if (tally.point.routing.is_drawn) draw_experts(graph, tally);
  tally.tokens = tally.spans.front().tokens;
  tally.tokens_device = tally.spans.front().tokens_device;
}

// Where an access of a span takes place.
Positions positions_of(const Charge& charge, const Tally& tally) {
  Positions at = tally.spans[charge.span].at;
  if (charge.only_new) at.first = std::max(at.first, tally.point.first);
  return at;
}

void choose_span(const StepGraph& graph, const Operation& operation, const Tally& tally, Step& step) {
  step.span = &tally.spans[operation.span];
  step.first_set = operation.span * graph.expert_sets().size();
}

void fill_accesses(const StepGraph& graph, Step step, Tally& tally) {
  tally.costs.clear();
  for (const Charge& charge : graph.charges()) {
    tally.costs.push_back(graph.cost(charge, positions_of(charge, tally)));
  }
  tally.accesses.clear();
  for (const Operation& operation : graph.operations()) {
    choose_span(graph, operation, tally, step);
    for (const Access& access : operation.accesses) {
      const std::uint32_t charge = graph.charge_of(static_cast<std::uint32_t>(tally.accesses.size()));
      tally.accesses.push_back(bytes_of(access, tally.costs[charge], step));
    }
  }
}

void fill_operations(const StepGraph& graph, Step step, Tally& tally) {
  tally.operations.assign(graph.operations().size(), {});
  for (std::size_t i = 0; i < graph.operations().size(); ++i) {
    const Operation& operation = graph.operations()[i];
    choose_span(graph, operation, tally, step);
    for (const Work& work : operation.work) {
      const Flops flops = flops_of(work, step);
      tally.operations[i].flops[static_cast<std::size_t>(work.precision)] += flops.device;
      tally.operations[i].flops_total[static_cast<std::size_t>(work.precision)] += flops.total;
    }
    add_messages(operation, step, tally.operations[i]);
  }
}

}  // namespace

Point Point::decode(std::int64_t batch, std::int64_t context, std::int64_t period) {
  Point point{batch, context, context, context, period};
  if (period > 1) {
    point.first = (context - 1) / period * period + 1;
    point.last = point.first + period - 1;
  }
  return point;
}

Point Point::prefill(std::int64_t batch, std::int64_t context, std::int64_t first, std::int64_t last,
                     std::int64_t replay) {
  return {batch, context, first, last, 1, replay};
}

std::int64_t Tally::distinct_in(Place place, const StepGraph& graph, std::uint32_t span, std::uint32_t experts) const {
  const std::size_t at = span * graph.expert_sets().size() + experts;
  return drawn.empty() ? graph.expert_sets()[experts].part_in(place, distinct_experts[at]) : drawn[at].in(place).total;
}

std::int64_t expected_distinct_experts(const ExpertSet& set, std::int64_t tokens) {
  if (tokens <= 0 || set.routed <= 0) return 0;
  const std::int64_t reach = tokens > set.routed ? set.routed : std::min(set.routed, set.active * tokens);
  const auto routed = static_cast<double>(set.routed);
  const double missed = std::pow(1.0 - static_cast<double>(set.active) / routed, static_cast<double>(tokens));
  return std::min(reach, static_cast<std::int64_t>(std::llround(routed * (1.0 - missed))));
}

void tally_point(const StepGraph& graph, const Deployment& deployment, const Point& point, Tally& tally) {
  if (point.batch < 1 || point.first < 1 || point.last < point.first || point.divisor < 1) {
    throw std::logic_error("a point needs a batch and positions");
  }
  if (point.last > point.context && point.divisor == 1) throw std::logic_error("a chunk ends beyond its prompt");
  if (point.replay < 0 || point.replay >= point.first) throw std::logic_error("more is replayed than is cached");
  tally.point = point;
  tally.deployment = deployment;
  count_tokens(graph, tally);
  const Step step{tally.deployment, graph.expert_sets(), tally, deployment.active_data_ranks(point.batch),
                  deployment.fullest_requests(point.batch)};
  fill_accesses(graph, step, tally);
  fill_operations(graph, step, tally);
}

}  // namespace kvtraffic::sim
