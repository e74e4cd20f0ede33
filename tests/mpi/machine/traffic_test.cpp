// SPDX-License-Identifier: Apache-2.0
// Messages of a link over MPI: whole, once, and in order, by rings on a node and by MPI between
// nodes. The nodes here are parts of one.
#include "../../../ranks/mpi/src/traffic.hpp"

#include <cstddef>
#include <cstdint>
#include <mpi.h>
#include <optional>
#include <random>
#include <sched.h>
#include <span>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/runtime/detail/memory.hpp>

#include "on_ranks_of_mpi.hpp"
#include "seed.hpp"

namespace traffic_test {

using pleat::detail::byte_buffer, pleat::detail::link;

std::byte content(std::size_t from, std::size_t number, std::size_t i) {
  return static_cast<std::byte>(from * 101 + number * 31 + i * 7 + i / 251);
}

/// The message of that number from one rank to another: the bytes of its parts, and of its
/// enclosures, some of which are loans. All ranks make the same.
struct planned {
  std::vector<std::size_t> parts, owned, lent;
  planned(std::uint64_t seed, std::size_t from, std::size_t to, std::size_t number) {
    std::seed_seq words{seed, std::uint64_t{from}, std::uint64_t{to}, std::uint64_t{number}};
    std::mt19937_64 random(words);
    const auto length = [&]() -> std::size_t {
      switch (random() % 4) {
        case 0:
          return 1 + random() % 60;
        case 1:
          return 4000 + random() % 300;
        case 2:
          return 15'000 + random() % 20'000;
        default:
          return random() % 8 == 0 ? 100'000 + random() % 10'000 : 1 + random() % 5000;
      }
    };
    for (std::size_t i = 0; i < 1 + random() % 3; ++i) parts.push_back(length());
    if (random() % 3 != 0) return;
    const std::size_t most = random() % 4 == 0 ? 12 : 3;
    for (std::size_t i = random() % most; i > 0; --i) owned.push_back(length());
    for (std::size_t i = random() % most; i > 0; --i) lent.push_back(length());
  }
};

/// Memory that a rank lends until the end.
struct lenders {
  std::vector<std::vector<std::byte>> blocks;
  std::span<std::byte> make(std::size_t bytes) { return blocks.emplace_back(bytes); }
};

void fill(std::byte* at, std::size_t bytes, std::size_t from, std::size_t number) {
  for (std::size_t i = 0; i < bytes; ++i) at[i] = content(from, number, i);
}
void expect_filled(std::span<const std::byte> bytes, std::size_t from, std::size_t number) {
  for (std::size_t i = 0; i < bytes.size(); ++i)
    ASSERT_EQ(bytes[i], content(from, number, i)) << "from " << from << ", message " << number;
}

void post(pleat::mpi::traffic& by, const planned& what, std::size_t self, std::size_t to,
          std::size_t number, lenders& memory) {
  std::vector<byte_buffer> parts(what.parts.size());
  std::vector<byte_buffer*> all;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    fill(parts[i].append(what.parts[i]), what.parts[i], self, number);
    all.push_back(&parts[i]);
  }
  std::vector<link::enclosure> beside;
  for (const std::size_t bytes : what.owned) {
    auto* const block = static_cast<std::byte*>(pleat::detail::take_memory(bytes, 64));
    fill(block, bytes, self, number);
    beside.push_back({byte_buffer::of(block, bytes), {}, 64});
  }
  for (const std::size_t bytes : what.lent) {
    const std::span<std::byte> block = memory.make(bytes);
    fill(block.data(), bytes, self, number);
    beside.push_back({{}, {block.data(), 1, bytes, bytes, 1, 0, false}, 64});
  }
  by.post(to, all, beside);
}

void expect_whole(const link::arrival& got, const planned& what, std::size_t number) {
  std::span<const std::byte> rest(got.bytes.begin(), got.bytes.size());
  for (const std::size_t bytes : what.parts) {
    ASSERT_LE(bytes, rest.size());
    expect_filled(rest.first(bytes), got.from, number);
    rest = rest.subspan(bytes);
  }
  EXPECT_TRUE(rest.empty());
  std::vector<std::size_t> beside = what.owned;
  beside.insert(beside.end(), what.lent.begin(), what.lent.end());
  ASSERT_EQ(got.beside.size(), beside.size());
  for (std::size_t i = 0; i < beside.size(); ++i) {
    ASSERT_EQ(got.beside[i].size(), beside[i]);
    expect_filled({got.beside[i].begin(), beside[i]}, got.from, number);
  }
}

/// Every rank sends as many messages to every other one, some at a time, more than a ring holds.
void all_to_all(pleat::mpi::traffic& by, std::uint64_t seed, std::size_t self, std::size_t size) {
  const std::size_t count = 6 + 60 / size;
  std::vector<std::size_t> sent(size, 0), come(size, 0);
  std::mt19937_64 random(seed + self);
  lenders memory;
  std::size_t left = (size - 1) * count, missing = left;
  while (left + missing != 0) {
    for (std::size_t burst = random() % 8; burst > 0 && left > 0; --burst) {
      std::size_t to = random() % size;
      while (to == self || sent[to] == count) to = (to + 1) % size;
      const std::size_t number = sent[to]++;
      post(by, planned(seed, self, to, number), self, to, number, memory);
      --left;
    }
    while (std::optional<link::arrival> got = by.poll()) {
      const std::size_t number = come[got->from]++;
      expect_whole(*got, planned(seed, got->from, self, number), number);
      by.recycle(*std::move(got));
      --missing;
    }
    ::sched_yield();
  }
  MPI_Request all = MPI_REQUEST_NULL;  // have come, before the loans end
  MPI_Ibarrier(MPI_COMM_WORLD, &all);
  for (int done = 0; done == 0; MPI_Test(&all, &done, MPI_STATUS_IGNORE))
    EXPECT_FALSE(by.poll().has_value());
}

TEST(messages_of_a_link, arrive_whole_and_in_order_with_rings_and_without) {
  int rank = 0, size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  std::uint64_t common = rank == 0 ? seed() : 0;
  MPI_Bcast(&common, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
  const auto play = [&](int nodes, bool reads) {
    MPI_Comm own = MPI_COMM_NULL, node = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &own);
    MPI_Comm_split(MPI_COMM_WORLD, rank * nodes / size, rank, &node);
    {
      pleat::mpi::traffic by(own, node, reads, 0);
      all_to_all(by, common, static_cast<std::size_t>(rank), static_cast<std::size_t>(size));
      by.begin_to_leave();
      while (!by.settled()) {
      }
    }
    MPI_Comm_free(&node);
  };
  play(1, true);
  play(1, false);
  play(2, true);
}

}  // namespace traffic_test
