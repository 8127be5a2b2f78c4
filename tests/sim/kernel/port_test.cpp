// A port delivers and frees at least one tick later, in an order that does not depend on who ran first.
// Leaves out the loop: both ends are driven by hand.
#include "sim/kernel/port.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <tuple>
#include <vector>

namespace kvtraffic::sim {
namespace {

struct Silent : Component {
  using Component::Component;
  Instant wake() const override { return Instant::never(); }
  void advance(Instant) override {}
};

Instant at(std::int64_t femtoseconds) { return Instant::at_femtoseconds(femtoseconds); }

class PortTest : public ::testing::Test {
 protected:
  std::vector<int> receive_all(Instant now) {
    std::vector<int> all;
    while (const auto message = port.receive(now)) all.push_back(*message);
    return all;
  }

  Silent server{"server"};
  Silent client{"client"};
  Silent other{"other"};
  Port<int> port{"requests", server};
};

TEST_F(PortTest, DeliversOnTheTickAndNotOneBefore) {
  Outlet<int> out = port.connect(client, 1);
  out.send(at(100), 7, tick * 5);
  EXPECT_EQ(port.next(), at(105));
  EXPECT_EQ(port.receive(at(104)), std::nullopt);
  EXPECT_EQ(port.front(at(104)), nullptr);
  EXPECT_EQ(*port.front(at(105)), 7);
  EXPECT_EQ(port.receive(at(105)), 7);
  EXPECT_EQ(port.next(), Instant::never());
}

TEST_F(PortTest, NeverDeliversAtTheInstantOfSending) {
  Outlet<int> out = port.connect(client, 2);
  EXPECT_THROW(out.send(at(100), 7, Duration()), KernelError);
  EXPECT_THROW(out.send(at(100), 7, tick * -1), KernelError);
  out.send(at(100), 7, tick);
  EXPECT_EQ(port.receive(at(100)), std::nullopt);
  EXPECT_EQ(port.receive(at(101)), 7);
}

TEST_F(PortTest, DeliversByInstantAndThenInTheOrderOfSending) {
  Outlet<int> out = port.connect(client, 8);
  out.send(at(0), 1, tick * 9);
  out.send(at(1), 2, tick * 2);
  out.send(at(2), 3, tick * 7);
  out.send(at(2), 4, tick * 1);
  EXPECT_THAT(receive_all(at(3)), ::testing::ElementsAre(2, 4));
  EXPECT_THAT(receive_all(at(9)), ::testing::ElementsAre(1, 3));
}

TEST_F(PortTest, BreaksTiesByTheOrderOfConnectingWhoeverSendsFirst) {
  Outlet<int> first = port.connect(client, 4);
  Outlet<int> second = port.connect(other, 4);
  second.send(at(0), 20, tick * 3);
  first.send(at(0), 10, tick * 3);
  second.send(at(1), 21, tick * 2);
  first.send(at(1), 11, tick * 2);
  EXPECT_THAT(receive_all(at(3)), ::testing::ElementsAre(10, 11, 20, 21));
}

TEST_F(PortTest, KeepsOrderAroundTheEndOfTheRing) {
  Outlet<int> out = port.connect(client, 3);
  for (int round = 0; round < 10; ++round) {
    const Instant now = at(100 * round);
    out.send(now, 3 * round + 2, tick * 9);
    out.send(now, 3 * round, tick * 5);
    out.send(now, 3 * round + 1, tick * 6);
    EXPECT_THAT(receive_all(now + tick * 9), ::testing::ElementsAre(3 * round, 3 * round + 1, 3 * round + 2));
  }
}

TEST_F(PortTest, ShowsAFreedCreditOneTickLater) {
  Outlet<int> out = port.connect(client, 1);
  EXPECT_TRUE(out.can_send(at(0)));
  out.send(at(0), 7, tick * 5);
  EXPECT_FALSE(out.can_send(at(0)));
  EXPECT_EQ(out.earliest_send(), Instant::never());
  port.receive(at(5));
  EXPECT_FALSE(out.can_send(at(5)));
  EXPECT_EQ(out.earliest_send(), at(6));
  EXPECT_TRUE(out.can_send(at(6)));
}

TEST_F(PortTest, SpendsCreditsAlikeWhicheverEndRunsFirst) {
  Port<int> twin("twin", server);
  Outlet<int> sends_first = port.connect(client, 2);
  Outlet<int> sends_last = twin.connect(client, 2);
  sends_first.send(at(0), 1, tick);
  sends_last.send(at(0), 1, tick);

  sends_first.send(at(1), 2, tick);
  port.receive(at(1));
  twin.receive(at(1));
  sends_last.send(at(1), 2, tick);

  EXPECT_EQ(sends_first.can_send(at(1)), sends_last.can_send(at(1)));
  EXPECT_EQ(sends_first.earliest_send(), at(2));
  EXPECT_EQ(sends_last.earliest_send(), at(2));
}

TEST_F(PortTest, KeepsTheCreditsOfSendersApart) {
  Outlet<int> mine = port.connect(client, 1);
  Outlet<int> yours = port.connect(other, 1);
  mine.send(at(0), 1, tick);
  EXPECT_FALSE(mine.can_send(at(0)));
  EXPECT_TRUE(yours.can_send(at(0)));
}

TEST_F(PortTest, RefusesToSendWithoutACredit) {
  Outlet<int> out = port.connect(client, 1);
  out.send(at(0), 1, tick);
  try {
    out.send(at(0), 2, tick);
    FAIL() << "sent";
  } catch (const KernelError& error) {
    EXPECT_STREQ(error.what(), "server.requests: sent without a credit");
  }
}

TEST_F(PortTest, RefusesWiringAfterTheFirstMessageAndSendersWithoutCredit) {
  EXPECT_THROW(std::ignore = port.connect(client, 0), KernelError);
  Outlet<int> out = port.connect(client, 1);
  out.send(at(0), 1, tick);
  EXPECT_THROW(std::ignore = port.connect(other, 1), KernelError);
}

}  // namespace
}  // namespace kvtraffic::sim
