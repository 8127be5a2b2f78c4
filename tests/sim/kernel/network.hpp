// A random network of components that talk, fill their ports and wait for each other: the kernel's hardest customer.
// Leaves out what to expect of it; that is in the tests. Everything a node does follows from its own history.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <random>
#include <string>
#include <vector>

#include "sim/kernel/loop.hpp"
#include "sim/kernel/port.hpp"

namespace kvtraffic::sim::testing {

struct Letter {
  std::uint32_t from = 0;
  std::uint64_t payload = 0;
};

struct Received {
  Instant at;
  std::uint32_t from = 0;
  std::uint64_t payload = 0;
  bool operator==(const Received&) const = default;
};

// Reads one letter per service time and writes `budget` letters to random neighbours after random pauses.
class Node : public Component {
 public:
  Node(std::uint32_t id, std::uint64_t seed, int budget)
      : Component("node" + std::to_string(id)), id_(id), random_(seed + id), budget_(budget) {}

  Instant wake() const override { return std::min(next_read(), next_write()); }

  void advance(Instant now) override {
    if (now >= busy_until_) read(now);
    if (next_write() <= now) write(now);
  }

  Port<Letter> letters{"letters", *this};
  std::vector<Outlet<Letter>> neighbours;
  std::vector<Received> log;

 private:
  Instant next_read() const { return std::max(busy_until_, letters.next()); }
  Instant next_write() const {
    return budget_ == 0 ? Instant::never() : std::max(write_at_, neighbours[target_].earliest_send());
  }
  std::uint64_t draw(std::uint64_t choices) { return random_() % choices; }
  Duration ticks(std::uint64_t most) { return tick * static_cast<std::int64_t>(1 + draw(most)); }

  void read(Instant now) {
    const auto letter = letters.receive(now);
    if (!letter) return;
    log.push_back({now, letter->from, letter->payload});
    state_ = state_ * 31 + letter->payload;
    busy_until_ = now + ticks(3);
  }

  void write(Instant now) {
    if (!neighbours[target_].can_send(now)) return;
    neighbours[target_].send(now, {id_, state_ ^ random_()}, ticks(4));
    --budget_;
    target_ = draw(neighbours.size());
    write_at_ = now + ticks(3);
  }

  std::uint32_t id_;
  std::mt19937_64 random_;
  int budget_;
  std::uint64_t state_ = 0;
  std::size_t target_ = 0;
  Instant busy_until_;
  Instant write_at_;
};

struct Network {
  Network(std::uint32_t size, std::uint64_t seed, int budget) {
    std::mt19937_64 random(seed);
    for (std::uint32_t id = 0; id < size; ++id) nodes.emplace_back(id, seed, budget);
    for (Node& node : nodes) {
      for (int i = 0; i < 3; ++i) {
        Node& other = nodes[random() % size];
        node.neighbours.push_back(other.letters.connect(node, 1 + static_cast<std::uint32_t>(random() % 2)));
      }
      node.log.reserve(static_cast<std::size_t>(budget) * size);
    }
  }
  void join(Loop& loop) {
    for (Node& node : nodes) loop.add(node);
  }
  [[nodiscard]] std::vector<std::vector<Received>> logs() const {
    std::vector<std::vector<Received>> all;
    for (const Node& node : nodes) all.push_back(node.log);
    return all;
  }
  std::deque<Node> nodes;  // they do not move
};

}  // namespace kvtraffic::sim::testing
