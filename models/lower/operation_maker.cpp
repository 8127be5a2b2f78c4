// From the model's words to accesses and work.
#include "models/lower/operation_maker.hpp"

#include <fmt/format.h>

namespace kvtraffic::models {

using sim::Access;
using sim::DataKind;
using sim::Direction;
using sim::Layout;
using sim::Per;

namespace {

// "5120 x 1280 x 8 bit + 6400 scales x 8 bit"
std::string arithmetic_of(const Weight& weight, const WeightFormat& format) {
  std::string text = fmt::format("{} x {} x {} bit", weight.rows, weight.columns, format.bits);
  if (format.scale_bits == 0) return text;
  const std::int64_t scales = sim::ceil_divide(weight.values(), format.scale_group);
  return text + fmt::format(" + {} scales x {} bit", scales, format.scale_bits);
}

}  // namespace

OperationMaker::OperationMaker(Context& context, std::string name, sim::OperationKind kind, sim::Place weights)
    : context_(context), weights_(weights) {
  operation_.name = std::move(name);
  operation_.kind = kind;
}

OperationMaker& OperationMaker::multiplies(const Weight& weight) { return multiplies(weight, Per::token, {}); }

OperationMaker& OperationMaker::multiplies_each_sequence(const Weight& weight, sim::Count count) {
  return multiplies(weight, Per::sequence, count);
}

OperationMaker& OperationMaker::multiplies(const Weight& weight, Per per, sim::Count count) {
  const WeightFormat& format = context_.model.format(weight.type);
  const std::int64_t bytes = format.bytes(weight.values());
  const std::int64_t ways = weight.split == sim::StoredTensor::Split::tensor ? sim::divides_freely : whole;
  Access read;
  read.kind = DataKind::weight;
  read.place = weights_;
  read.per = Per::rank;
  read.ways = ways;
  access(read, weight.name,
         Layout::blob(fmt::format("{} {} B", weight.name, bytes), bytes, arithmetic_of(weight, format)));
  operation_.work.push_back({format.compute, 2.0 * static_cast<double>(weight.values()), per, count, ways, 0});
  operation_.shape.columns += weight.columns;
  operation_.shape.depth = weight.rows;
  return *this;
}

void OperationMaker::read_experts(const Weight& weight, std::uint32_t experts, sim::Place place) {
  const WeightFormat& format = context_.model.format(weight.type);
  const std::int64_t bytes = format.bytes(weight.values());
  Access read;
  read.kind = DataKind::weight;
  read.place = place;
  read.per = Per::expert;
  read.experts = experts;
  read.dependent = true;  // which experts are read is known only once the router has run
  read.ways = sim::divides_freely;
  const std::string_view where = place == sim::Place::host ? " in host memory" : "";  // other experts, other bytes
  access(read, fmt::format("{}{}", weight.name, where),
         Layout::blob(fmt::format("{} {} B", weight.name, bytes), bytes, arithmetic_of(weight, format)));
}

OperationMaker& OperationMaker::multiplies_routed(const Weight& weight, std::uint32_t experts) {
  const WeightFormat& format = context_.model.format(weight.type);
  const sim::ExpertSet& set = context_.graph.expert_sets()[experts];
  if (set.hosted < set.routed) read_experts(weight, experts, sim::Place::device);
  if (set.hosted > 0) read_experts(weight, experts, sim::Place::host);
  operation_.work.push_back(
      {format.compute, 2.0 * static_cast<double>(weight.values()), Per::routed, {}, sim::divides_freely, experts});
  operation_.shape.columns += weight.columns;
  operation_.shape.depth = weight.rows;
  operation_.experts = experts;
  return *this;
}

OperationMaker& OperationMaker::activation(Direction direction, Per per, std::string_view role, std::int64_t values,
                                           std::int64_t ways, std::uint32_t experts) {
  const std::int64_t bytes = sim::ceil_divide(values * context_.plan.activation_bits, 8);
  Access access_of;
  access_of.kind = DataKind::activation;
  access_of.direction = direction;
  access_of.per = per;
  access_of.owner = sim::Owner::step;
  access_of.transient = true;
  access_of.dependent = direction == Direction::read;
  access_of.ways = ways;
  access_of.experts = experts;
  return access(access_of, role,
                Layout::blob(fmt::format("activation {} B", bytes), bytes,
                             fmt::format("{} x {} bit", values, context_.plan.activation_bits)));
}

OperationMaker& OperationMaker::reads(std::string_view role, std::int64_t values, std::int64_t ways) {
  return activation(Direction::read, Per::token, role, values, ways, 0);
}
OperationMaker& OperationMaker::writes(std::string_view role, std::int64_t values, std::int64_t ways) {
  return activation(Direction::write, Per::token, role, values, ways, 0);
}
OperationMaker& OperationMaker::reads_routed(std::string_view role, std::int64_t values, std::uint32_t experts) {
  return activation(Direction::read, Per::routed, role, values, whole, experts);
}
OperationMaker& OperationMaker::writes_routed(std::string_view role, std::int64_t values, std::uint32_t experts) {
  return activation(Direction::write, Per::routed, role, values, whole, experts);
}

OperationMaker& OperationMaker::list(Direction direction, std::string_view role, std::int64_t bytes, sim::Count count,
                                     sim::Owner owner) {
  Access access_of;
  access_of.kind = DataKind::selection;
  access_of.direction = direction;
  access_of.owner = owner;
  access_of.transient = true;
  access_of.dependent = direction == Direction::read;
  access_of.count = count;
  return access(access_of, role,
                Layout::packed(fmt::format("list of {} B", bytes), bytes, fmt::format("{} bit", bytes * 8)));
}

OperationMaker& OperationMaker::reads_list(std::string_view role, std::int64_t bytes, sim::Count count,
                                           sim::Owner owner) {
  return list(Direction::read, role, bytes, count, owner);
}
OperationMaker& OperationMaker::writes_list(std::string_view role, std::int64_t bytes, sim::Count count,
                                            sim::Owner owner) {
  return list(Direction::write, role, bytes, count, owner);
}

OperationMaker& OperationMaker::reads_cache(DataKind kind, std::string_view role, const Layout& layout,
                                            sim::Count count, sim::Pattern pattern, sim::Owner owner,
                                            std::int64_t ways) {
  Access read;
  read.ways = ways;
  read.kind = kind;
  read.pattern = pattern;
  read.owner = owner;
  read.count = count;
  read.dependent = pattern == sim::Pattern::gather && kind == DataKind::kv_main;  // a selection made in this step
  return access(read, role, layout);
}

OperationMaker& OperationMaker::writes_cache(DataKind kind, std::string_view role, const Layout& layout,
                                             sim::Count count, std::int64_t ways) {
  Access write;
  write.ways = ways;
  write.kind = kind;
  write.direction = Direction::write;
  write.pattern = sim::Pattern::gather;  // one entry, wherever in its page it stands
  write.count = count;
  write.only_new = kind != DataKind::kv_local;  // what is replayed is replayed for the windows' sake
  return access(write, role, layout);
}

OperationMaker& OperationMaker::each_sequence(Per per, sim::Count count) {
  operation_.accesses.back().per = per;
  operation_.accesses.back().count = count;
  return *this;
}

OperationMaker& OperationMaker::at_home() {
  operation_.accesses.back().at_home = true;
  return *this;
}

OperationMaker& OperationMaker::shared_by(std::int64_t queries) {
  operation_.accesses.back().queries = queries;
  return *this;
}

OperationMaker& OperationMaker::access(Access access, std::string_view role, const Layout& layout) {
  access.role = context_.graph.add_role(role);
  access.layout = context_.graph.add_layout(layout);
  operation_.accesses.push_back(access);
  return *this;
}

OperationMaker& OperationMaker::computes(sim::Precision precision, double flops, sim::Count count, std::int64_t ways) {
  operation_.work.push_back({precision, flops, Per::token, count, ways, 0});
  return *this;
}

OperationMaker& OperationMaker::shape(sim::Shape shape) {
  operation_.shape = shape;
  return *this;
}

OperationMaker& OperationMaker::batches(std::int64_t matrices) {
  operation_.shape.batches = matrices;
  return *this;
}

OperationMaker& OperationMaker::launches(std::int64_t kernels) {
  operation_.launches = kernels;
  return *this;
}

OperationMaker& OperationMaker::sends(sim::Collective::Kind kind, std::int64_t bytes_per_token, std::uint32_t experts) {
  operation_.collective = {kind, bytes_per_token};
  operation_.experts = experts;
  return *this;
}

}  // namespace kvtraffic::models
