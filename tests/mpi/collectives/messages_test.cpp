// SPDX-License-Identifier: Apache-2.0
// Rounds and bytes of every call, counted by the layer below the collectives.
#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "counted_messages.hpp"
#include "ranks.hpp"

namespace pleat::testing_ranks {
namespace messages_test {

/// With one rank there are no messages.
constexpr auto sizes = {2, 3, 4, 5, 6, 7, 8, 9, 12, 16, 17};

std::size_t log2_up(int p) {
  std::size_t q = 0;
  while ((1 << q) < p) ++q;
  return q;
}

/// The number that the environment asks for by a word such as blocks=7.
std::optional<std::size_t> asked(const std::string& name) {
  const char* const all = std::getenv("PLEAT_MPI_COLLECTIVES");
  const std::string text = all == nullptr ? "" : all;
  const std::size_t at = text.find(name + "=");
  if (at == std::string::npos) return std::nullopt;
  return std::stoul(text.substr(at + name.size() + 1));
}

std::size_t blocks() { return asked("blocks").value_or(1); }

// The root sends in every round, and nobody in more.
TEST(messages, bcast_takes_the_fewest_rounds) {
  each_size(sizes, [](MPI_Comm comm) {
    const int p = size_of(comm);
    const std::size_t rounds = blocks() - 1 + log2_up(p);
    for (const int root : roots_of(comm)) {
      std::vector<char> data(1400);
      const message_count count = counted(
          [&] { MPI_Bcast(data.data(), static_cast<int>(data.size()), MPI_CHAR, root, comm); });
      const bool is_root = rank_in(comm) == root;
      EXPECT_TRUE(is_root ? count.sent == rounds : count.sent <= rounds) << p << " ranks";
      EXPECT_EQ(count.received, is_root ? 0 : blocks());
      EXPECT_EQ(count.received_bytes, is_root ? 0 : data.size());
      std::uint64_t all = 0;
      PMPI_Allreduce(&count.sent_bytes, &all, 1, MPI_UINT64_T, MPI_SUM, comm);
      EXPECT_EQ(all, data.size() * (static_cast<std::size_t>(p) - 1));
    }
  });
}

TEST(messages, reduce_takes_the_fewest_rounds) {
  each_size(sizes, [](MPI_Comm comm) {
    const int p = size_of(comm);
    const std::size_t rounds = blocks() - 1 + log2_up(p);
    for (const int root : roots_of(comm)) {
      std::vector<int> in(700), out(700);
      const message_count count =
          counted([&] { MPI_Reduce(in.data(), out.data(), 700, MPI_INT, MPI_SUM, root, comm); });
      const bool is_root = rank_in(comm) == root;
      EXPECT_TRUE(is_root ? count.received == rounds : count.received <= rounds) << p << " ranks";
      EXPECT_EQ(count.sent, is_root ? 0 : blocks());
      EXPECT_EQ(count.sent_bytes, is_root ? 0 : 2800U);
    }
  });
}

/// The parts of the ranks: equal ones, then all of it with one rank.
std::vector<std::vector<int>> two_shapes(int p) {
  std::vector<int> one(static_cast<std::size_t>(p), 0);
  one[one.size() / 2] = 70 * p;
  return {std::vector<int>(static_cast<std::size_t>(p), 70), one};
}

TEST(messages, gathers_move_every_byte_once) {
  each_size(sizes, [](MPI_Comm comm) {
    const int p = size_of(comm);
    const std::size_t rounds = blocks() - 1 + log2_up(p);
    for (const std::vector<int>& counts : two_shapes(p)) {
      std::vector<int> places(counts.size());
      std::exclusive_scan(counts.begin(), counts.end(), places.begin(), 0);
      const int own = counts[static_cast<std::size_t>(rank_in(comm))];
      std::vector<char> mine(static_cast<std::size_t>(own));
      std::vector<char> all(static_cast<std::size_t>(70 * p));
      const message_count count = counted([&] {
        MPI_Allgatherv(mine.data(), own, MPI_CHAR, all.data(), counts.data(), places.data(),
                       MPI_CHAR, comm);
      });
      EXPECT_EQ(count.received_bytes, static_cast<std::uint64_t>(70 * p - own));
      EXPECT_TRUE(counts.front() == 70 ? count.sent == rounds : count.sent <= rounds)
          << p << " ranks";
    }
  });
}

TEST(messages, reduce_scatter_gives_every_byte_away_once) {
  each_size(sizes, [](MPI_Comm comm) {
    const int p = size_of(comm);
    const std::size_t rounds = blocks() - 1 + log2_up(p);
    for (const std::vector<int>& counts : two_shapes(p)) {
      const int own = counts[static_cast<std::size_t>(rank_in(comm))];
      std::vector<int> in(static_cast<std::size_t>(70 * p));
      std::vector<int> out(static_cast<std::size_t>(own));
      const message_count count = counted([&] {
        MPI_Reduce_scatter(in.data(), out.data(), counts.data(), MPI_INT, MPI_SUM, comm);
      });
      EXPECT_EQ(count.sent_bytes, static_cast<std::uint64_t>(70 * p - own) * sizeof(int));
      EXPECT_TRUE(counts.front() == 70 ? count.sent == rounds : count.sent <= rounds)
          << p << " ranks";
    }
  });
}

TEST(messages, allreduce_scatters_and_gathers) {
  each_size(sizes, [](MPI_Comm comm) {
    const int p = size_of(comm), each = 70;
    std::vector<int> in(static_cast<std::size_t>(p * each));
    std::vector<int> out(in.size());
    const message_count count =
        counted([&] { MPI_Allreduce(in.data(), out.data(), p * each, MPI_INT, MPI_SUM, comm); });
    EXPECT_EQ(count.sent, 2 * (blocks() - 1 + log2_up(p)));
    const auto others = static_cast<std::uint64_t>((p - 1) * each) * sizeof(int);
    EXPECT_EQ(count.received_bytes, 2 * others);
  });
}

/// Messages of a rank in an exchange in a radix, the blocks in them, and those that are sent on.
struct digits {
  std::size_t messages = 0, blocks = 0, sent_on = 0;

  digits(std::size_t p, std::size_t radix) {
    std::set<std::pair<std::size_t, std::size_t>> steps;
    for (std::size_t j = 1; j < p; ++j) {
      std::size_t moves = 0;
      for (std::size_t place = 1; place <= j; place *= radix) {
        if (j / place % radix == 0) continue;
        steps.emplace(place, j / place % radix);
        ++moves;
      }
      blocks += moves;
      sent_on += moves - 1;
    }
    messages = steps.size();
  }
};

// Small blocks take the fewest rounds, large ones go straight to their ranks.
TEST(messages, exchanges_go_by_the_radix) {
  each_size(sizes, [](MPI_Comm comm) {
    const auto p = static_cast<std::size_t>(size_of(comm));
    const auto given = asked("radix");
    for (const std::size_t each : {1U, 100'000U}) {
      const std::size_t radix = given.value_or(each == 1 ? 2 : p);
      const digits all(p, std::min(radix, p));
      std::vector<char> in(each * p), out(each * p);
      const auto n = static_cast<int>(each);
      std::vector<int> counts(p, n), places(p);
      std::exclusive_scan(counts.begin(), counts.end(), places.begin(), 0);
      const message_count equal =
          counted([&] { MPI_Alltoall(in.data(), n, MPI_CHAR, out.data(), n, MPI_CHAR, comm); });
      const message_count irregular = counted([&] {
        MPI_Alltoallv(in.data(), counts.data(), places.data(), MPI_CHAR, out.data(), counts.data(),
                      places.data(), MPI_CHAR, comm);
      });
      EXPECT_EQ(equal.sent, all.messages) << p << " ranks, radix " << radix;
      const std::size_t agreeing = log2_up(size_of(comm));  // on the sizes, of 16 bytes each
      EXPECT_EQ(irregular.sent, agreeing + all.messages);
      EXPECT_EQ(irregular.sent_bytes, irregular.received_bytes);
      if (!given && each == 1) continue;  // radices with as many rounds may have fewer bytes
      EXPECT_EQ(equal.sent_bytes, all.blocks * each);
      EXPECT_EQ(irregular.sent_bytes,
                16 * agreeing + all.blocks * each + all.sent_on * sizeof(std::size_t));
    }
  });
}

TEST(messages, sparse_exchanges_go_straight) {
  if (asked("radix")) return;
  each_size(sizes, [](MPI_Comm comm) {
    const int p = size_of(comm), rank = rank_in(comm);
    std::vector<int> to_next(static_cast<std::size_t>(p), 0), from_last = to_next;
    to_next[static_cast<std::size_t>((rank + 1) % p)] = 5;
    from_last[static_cast<std::size_t>((rank + p - 1) % p)] = 5;
    const std::vector<int> places(to_next.size(), 0);
    std::vector<int> in(5), out(5);
    const message_count count = counted([&] {
      MPI_Alltoallv(in.data(), to_next.data(), places.data(), MPI_INT, out.data(), from_last.data(),
                    places.data(), MPI_INT, comm);
    });
    EXPECT_EQ(count.sent, log2_up(p) + 1);
    EXPECT_EQ(count.sent_bytes, 16 * log2_up(p) + 20);
  });
}

// Operators that do not commute: parts are exchanged, then gathered at the root or everywhere.
TEST(messages, reductions_in_order_exchange_their_parts) {
  MPI_Op op = MPI_OP_NULL;
  MPI_Op_create([](void*, void*, int*, MPI_Datatype*) {}, 0, &op);
  each_size(sizes, [&](MPI_Comm comm) {
    const auto p = static_cast<std::size_t>(size_of(comm));
    const auto given = asked("radix");
    const digits all(p, std::min(given.value_or(2), p));
    const int n = 7 * size_of(comm);
    std::vector<int> in(7 * p), out(7 * p);
    const message_count scattered =
        counted([&] { MPI_Reduce_scatter_block(in.data(), out.data(), 7, MPI_INT, op, comm); });
    const message_count everywhere =
        counted([&] { MPI_Allreduce(in.data(), out.data(), n, MPI_INT, op, comm); });
    const message_count at_root =
        counted([&] { MPI_Reduce(in.data(), out.data(), n, MPI_INT, op, 0, comm); });
    EXPECT_EQ(scattered.sent, all.messages);
    EXPECT_EQ(everywhere.sent, all.messages + blocks() - 1 + log2_up(size_of(comm)));
    EXPECT_EQ(at_root.sent, all.messages + (rank_in(comm) == 0 ? 0 : 1));
    EXPECT_EQ(everywhere.sent_bytes - scattered.sent_bytes, 28 * (p - 1));
    if (!given) return;  // else radices with as many rounds may have fewer bytes
    EXPECT_EQ(scattered.sent_bytes, 28 * all.blocks);
  });
  MPI_Op_free(&op);
}

// The root of a binomial tree has q children, and a rank sends or receives all parts below it once.
// Sizes of the parts below but its own travel in front of those of a scatterv.
TEST(messages, gathers_and_scatters_take_the_rounds_of_a_tree) {
  each_size(sizes, [](MPI_Comm comm) {
    const int p = size_of(comm);
    for (const int root : roots_of(comm)) {
      const int place = (rank_in(comm) - root + p) % p;
      const bool is_root = place == 0;
      const auto below =
          static_cast<std::uint64_t>(is_root ? p : std::min(place & -place, p - place));
      std::vector<char> mine(70), all(static_cast<std::size_t>(70 * p));
      const std::vector<int> counts(static_cast<std::size_t>(p), 70);
      std::vector<int> places(counts.size());
      std::exclusive_scan(counts.begin(), counts.end(), places.begin(), 0);
      const auto expect_gathered = [&](const message_count& count) {
        EXPECT_EQ(count.sent, is_root ? 0 : 1);
        EXPECT_EQ(count.sent_bytes, is_root ? 0 : 70 * below);
        EXPECT_EQ(count.received_bytes, 70 * (below - 1));
        EXPECT_TRUE(!is_root || count.received == log2_up(p));
      };
      const auto expect_scattered = [&](const message_count& count, std::uint64_t size) {
        EXPECT_EQ(count.received, is_root ? 0 : 1);
        EXPECT_EQ(count.received_bytes, is_root ? 0 : 70 * below + size * (below - 1));
        EXPECT_TRUE(!is_root || count.sent == log2_up(p));
      };
      expect_gathered(counted(
          [&] { MPI_Gather(mine.data(), 70, MPI_CHAR, all.data(), 70, MPI_CHAR, root, comm); }));
      expect_gathered(counted([&] {
        MPI_Gatherv(mine.data(), 70, MPI_CHAR, all.data(), counts.data(), places.data(), MPI_CHAR,
                    root, comm);
      }));
      expect_scattered(counted([&] {
                         MPI_Scatter(all.data(), 70, MPI_CHAR, mine.data(), 70, MPI_CHAR, root,
                                     comm);
                       }),
                       0);
      expect_scattered(counted([&] {
                         MPI_Scatterv(all.data(), counts.data(), places.data(), MPI_CHAR,
                                      mine.data(), 70, MPI_CHAR, root, comm);
                       }),
                       sizeof(std::size_t));
    }
  });
}

// The exclusive scan takes ⌈log2(p − 1) + log2(4/3)⌉ rounds: the first q with 3 · 2^(q − 2) ≥ p −
// 1, and 1 for two ranks.
TEST(messages, scans_take_the_rounds_of_the_last_rank) {
  each_size(sizes, [](MPI_Comm comm) {
    const int p = size_of(comm);
    std::size_t exclusive = 1;
    for (int before = 1; before < p - 1; ++exclusive) before = exclusive == 1 ? 3 : 2 * before;
    std::vector<int> in(700), out(700);
    for (const bool inclusive : {false, true}) {
      const message_count count = counted([&] {
        (inclusive ? MPI_Scan : MPI_Exscan)(in.data(), out.data(), 700, MPI_INT, MPI_SUM, comm);
      });
      const std::size_t rounds = inclusive ? log2_up(p) : exclusive;
      EXPECT_EQ(count.sent_bytes, count.sent * 2800);
      EXPECT_EQ(count.received_bytes, count.received * 2800);
      EXPECT_TRUE(rank_in(comm) == p - 1 ? count.received == rounds : count.sent <= rounds);
      EXPECT_LE(count.received, rounds);
    }
  });
}

}  // namespace messages_test
}  // namespace pleat::testing_ranks
