// The loop visits exactly the instants that were asked for, and says by name who broke time or who waits for whom.
// Leaves out the order within an instant (order_test.cpp) and allocation (allocation_test.cpp).
#include "sim/kernel/loop.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>

#include "sim/kernel/port.hpp"

namespace kvtraffic::sim {
namespace {

Instant at(std::int64_t femtoseconds) { return Instant::at_femtoseconds(femtoseconds); }

std::string failure_of(Loop& loop, const std::function<bool()>& done = {}) {
  try {
    loop.run(Instant::never(), done);
  } catch (const KernelError& error) {
    return error.what();
  }
  return "no failure";
}

// Hits the ball back `pause` after it came, as long as it has strokes left.
class Player : public Component {
 public:
  Player(std::string name, Duration flight, int strokes)
      : Component(std::move(name)), flight_(flight), left_(strokes) {}
  Instant wake() const override { return ball.next(); }
  void advance(Instant now) override {
    seen.push_back(now);
    const int hits = *ball.receive(now);
    if (left_-- > 0) opponent.send(now, hits + 1, flight_);
  }
  std::string waiting_for() const override { return "the ball of " + opponent.name(); }

  Port<int> ball{"ball", *this};
  Outlet<int> opponent;
  std::vector<Instant> seen;

 private:
  Duration flight_;
  int left_;
};

struct Match {
  Match(int ping_strokes, int pong_strokes)
      : ping("ping", tick * 30, ping_strokes), pong("pong", tick * 70, pong_strokes) {
    ping.opponent = pong.ball.connect(ping, 1);
    pong.opponent = ping.ball.connect(pong, 1);
    ping.opponent.send(at(0), 1, tick * 30);
    loop.add(ping);
    loop.add(pong);
  }
  Player ping;
  Player pong;
  Loop loop;
};

TEST(Loop, PlaysPingPongAtTheInstantsOfTheBall) {
  Match match(1, 2);
  const LoopEnd outcome = match.loop.run();
  EXPECT_THAT(match.pong.seen, ::testing::ElementsAre(at(30), at(30 + 70 + 30)));
  EXPECT_THAT(match.ping.seen, ::testing::ElementsAre(at(30 + 70), at(30 + 70 + 30 + 70)));
  EXPECT_EQ(outcome.ending, Ending::Idle);
  EXPECT_EQ(outcome.now, at(2 * (30 + 70)));
  EXPECT_EQ(outcome.advances, 4u);
}

TEST(Loop, RunsUpToAndIncludingTheLimitAndContinues) {
  Match match(1, 2);
  EXPECT_EQ(match.loop.run(at(99)).ending, Ending::Limit);
  EXPECT_TRUE(match.ping.seen.empty());
  const LoopEnd outcome = match.loop.run(at(100));
  EXPECT_EQ(outcome.ending, Ending::Limit);
  EXPECT_EQ(outcome.now, at(100));
  EXPECT_EQ(match.ping.seen.size(), 1u);
  EXPECT_EQ(match.loop.run().ending, Ending::Idle);
}

TEST(Loop, EndsAsSoonAsTheQuestionIsAnsweredWithYes) {
  Match match(1000, 1000);
  const LoopEnd outcome = match.loop.run(Instant::never(), [&] { return match.ping.seen.size() == 3; });
  EXPECT_EQ(outcome.ending, Ending::Done);
  EXPECT_EQ(outcome.now, at(3 * (30 + 70)));
}

TEST(Loop, WithoutComponentsIsIdle) {
  Loop loop;
  EXPECT_EQ(loop.run().ending, Ending::Idle);
}

TEST(Loop, SaysWhoWaitsForWhomWhenNobodyCanMove) {
  Match match(1, 1);  // the second ball dies at pong
  EXPECT_EQ(failure_of(match.loop, [] { return false; }),
            "deadlock at 130 fs: nobody wants to run again, but the run is not done\n"
            "  ping waits for the ball of pong.ball\n"
            "  pong waits for the ball of ping.ball\n");
}

TEST(Loop, ShortensTheListOfThoseWhoWait) {
  std::deque<Player> players;
  Loop loop;
  for (int i = 0; i < 25; ++i) {
    Player& player = players.emplace_back("p", tick, 0);
    player.opponent = player.ball.connect(player, 1);
    loop.add(player);
  }
  EXPECT_THAT(loop.who_waits(), ::testing::EndsWith("  p waits for the ball of p.ball\n  and 5 more\n"));
}

// Wakes at the instants of a list, whatever they are.
struct Scripted : Component {
  Scripted(std::string name, std::vector<std::int64_t> script) : Component(std::move(name)), wakes(std::move(script)) {}
  Instant wake() const override { return done == wakes.size() ? Instant::never() : at(wakes[done]); }
  void advance(Instant) override { ++done; }
  std::vector<std::int64_t> wakes;
  std::size_t done = 0;
};

TEST(Loop, RefusesAWakeInThePast) {
  Scripted fine("fine", {1, 5, 9});
  Scripted late("late", {5, 4});
  Loop loop;
  loop.add(fine);
  loop.add(late);
  EXPECT_EQ(failure_of(loop), "late asks to wake at 4 fs, but it is 5 fs already");
}

TEST(Loop, NamesTheComponentThatDoesNotLetTimePass) {
  Scripted fine("fine", {1, 5, 9});
  Scripted stuck("stuck", std::vector<std::int64_t>(2 * Loop::most_rounds, 5));
  Loop loop;
  loop.add(fine);
  loop.add(stuck);
  EXPECT_EQ(failure_of(loop), "time stands still at 5 fs: advanced 1000 times and due again: stuck");
  EXPECT_EQ(fine.done, 2u);
  EXPECT_EQ(stuck.done, std::size_t{Loop::most_rounds} + 1);
}

TEST(Loop, AllowsSomeRoundsWithinAnInstant) {
  Scripted busy("busy", std::vector<std::int64_t>(Loop::most_rounds, 5));
  Loop loop;
  loop.add(busy);
  EXPECT_EQ(loop.run().ending, Ending::Idle);
}

TEST(Loop, AsksAgainWhenAComponentSaysThatItChanged) {
  struct Sleeper : Component {
    using Component::Component;
    Instant wake() const override { return alarm; }
    void advance(Instant) override { alarm = Instant::never(); }
    Instant alarm = Instant::never();
  };
  struct Setter : Component {
    explicit Setter(Sleeper& other) : Component("setter"), sleeper(other) {}
    Instant wake() const override { return next; }
    void advance(Instant now) override {
      next = Instant::never();
      sleeper.alarm = now + tick * 10;
      sleeper.wake_changed();
    }
    Sleeper& sleeper;
    Instant next = at(3);
  };
  Sleeper sleeper("sleeper");
  Setter setter(sleeper);
  Loop loop;
  loop.add(sleeper);
  loop.add(setter);
  EXPECT_EQ(loop.run().now, at(13));
}

TEST(Loop, FindsTheEarliestAmongAnyNumberOfComponents) {
  for (const int count : {1, 2, 3, 8, 9, 100, 1000}) {
    std::deque<Scripted> all;
    Loop loop;
    for (int i = 0; i < count; ++i)
      loop.add(all.emplace_back("s", std::vector<std::int64_t>{count - i, count + 7 * i}));
    const LoopEnd outcome = loop.run();
    EXPECT_EQ(outcome.advances, 2u * static_cast<unsigned>(count));
    EXPECT_EQ(outcome.now, at(count + 7 * (count - 1)));
  }
}

TEST(Loop, EndsWhenTheInterruptFlagIsSet) {
  Match match(1'000'000, 1'000'000);
  std::atomic<bool> flag = false;
  match.loop.set_interrupt(&flag);
  const auto raise_at_ten = [&] {
    if (match.ping.seen.size() == 10) flag = true;
    return false;
  };
  EXPECT_EQ(match.loop.run(Instant::never(), raise_at_ten).ending, Ending::Interrupted);
  EXPECT_LT(match.ping.seen.size(), 10'000u);
}

}  // namespace
}  // namespace kvtraffic::sim
