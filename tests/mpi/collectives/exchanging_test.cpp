// SPDX-License-Identifier: Apache-2.0
// MPI_Alltoall, MPI_Alltoallv, MPI_Alltoallw: the cases of MPICH's tests of collectives (alltoall1,
// alltoallv, alltoallv0, alltoallw1, alltoallw2, alltoallw_zeros), in our own words.
#include <array>
#include <functional>
#include <vector>

#include <gtest/gtest.h>

#include "int_types.hpp"
#include "parts.hpp"
#include "ranks.hpp"

namespace pleat::testing_ranks {
namespace exchanging_test {

/// The i-th int that rank `from` has for rank `to`.
int between(int from, int to, std::size_t i) { return number(from * 64 + to, i); }

/// Numbers of ints from a rank to another.
using shape = int (*)(int from, int to, int p);
constexpr std::array<shape, 6> shapes{
    [](int from, int to, int) { return (from + to) % 3 * 41; },
    [](int from, int to, int) { return from == to ? 700 : from * to % 5; },
    [](int from, int, int p) { return from == p / 2 ? 300 : 0; },  // one rank has all
    [](int, int to, int p) { return to == p - 1 ? 300 : 0; },      // one rank gets all
    [](int from, int to, int p) { return (to - from + p) % p == 1 ? 20000 : 1; },
    [](int, int, int) { return 0; }};
constexpr std::size_t symmetric_shapes = 2;

/// Parts of what a rank has for, or gets from, each rank.
parts parts_of(int p, const std::function<int(int)>& count_of) {
  std::vector<int> counts;
  for (int r = 0; r < p; ++r) counts.push_back(count_of(r));
  return parts(std::move(counts));
}

TEST(alltoallv, counts_and_places_are_free) {
  each_size({2, 3, 4, 6, 9, 16, 17}, [](MPI_Comm comm) {
    const int p = size_of(comm), rank = rank_in(comm);
    for (std::size_t s = 0; s < shapes.size(); ++s) {
      for (const bool in_place : {false, true}) {
        if (in_place && s >= symmetric_shapes) continue;
        parts in = parts_of(p, [&](int to) { return shapes[s](rank, to, p); });
        parts out = parts_of(p, [&](int from) { return shapes[s](from, rank, p); });
        parts expected = out;
        in.fill([&](int to, std::size_t i) { return between(rank, to, i); });
        expected.fill([&](int from, std::size_t i) { return between(from, rank, i); });
        if (in_place) out = in;
        EXPECT_EQ(MPI_Alltoallv(in_place ? MPI_IN_PLACE : in.data.data(),
                                in_place ? nullptr : in.counts.data(),
                                in_place ? nullptr : in.places.data(),
                                in_place ? MPI_DATATYPE_NULL : MPI_INT, out.data.data(),
                                out.counts.data(), out.places.data(), MPI_INT, comm),
                  MPI_SUCCESS);
        EXPECT_EQ(out.data, expected.data) << p << " ranks, shape " << s;
      }
    }
  });
}

/// Blocks of their own types, one behind the other in one memory.
struct typed_blocks {
  std::vector<typed_buffer> blocks;
  std::vector<int> counts, places;
  std::vector<MPI_Datatype> types;
  std::vector<unsigned char> memory;

  void add(const int_type& type, std::size_t count) {
    blocks.emplace_back(type, count);
    counts.push_back(static_cast<int>(count));
    types.push_back(type.type);
  }
  void store() {
    for (typed_buffer& one : blocks) {
      places.push_back(static_cast<int>(memory.size()) + one.origin());
      memory.insert(memory.end(), one.bytes().begin(), one.bytes().end());
    }
  }
  void load() {
    auto from = memory.begin();
    for (typed_buffer& one : blocks) {
      const auto end = from + static_cast<std::ptrdiff_t>(one.bytes().size());
      one.bytes().assign(from, end);
      from = end;
    }
  }
};

TEST(alltoallw, types_are_those_of_each_pair) {
  each_size({2, 3, 5, 8, 17}, [](MPI_Comm comm) {
    const int p = size_of(comm), rank = rank_in(comm);
    const auto type_of = [](int i) -> const int_type& {
      return int_types()[static_cast<std::size_t>(i) % int_types().size()];
    };
    for (const std::size_t most : {1U, 4U, 700U}) {
      typed_blocks in, out;
      for (int other = 0; other < p; ++other) {
        const int_type& from = type_of(rank + 2 * other);
        const int_type& to = type_of(3 * other + rank);
        in.add(from, 6 * (static_cast<std::size_t>(rank + other) % most + 1) / from.ints());
        out.add(to, 6 * (static_cast<std::size_t>(rank + other) % most + 1) / to.ints());
        in.blocks.back().fill([&](std::size_t i) { return between(rank, other, i); });
      }
      in.store();
      out.store();
      EXPECT_EQ(MPI_Alltoallw(in.memory.data(), in.counts.data(), in.places.data(), in.types.data(),
                              out.memory.data(), out.counts.data(), out.places.data(),
                              out.types.data(), comm),
                MPI_SUCCESS);
      out.load();
      for (int other = 0; other < p; ++other) {
        EXPECT_TRUE(out.blocks[static_cast<std::size_t>(other)].is([&](std::size_t i) {
          return between(other, rank, i);
        })) << p
            << " ranks, from " << other;
      }
    }
  });
}

TEST(alltoallw, in_place_and_of_nothing) {
  each_size({2, 5, 17}, [](MPI_Comm comm) {
    const int p = size_of(comm), rank = rank_in(comm);
    for (const int each : {0, 5, 4000}) {
      std::vector<int> counts(static_cast<std::size_t>(p), each);
      std::vector<int> places(counts.size());
      for (std::size_t r = 0; r < places.size(); ++r) places[r] = static_cast<int>(r) * each * 4;
      const std::vector<MPI_Datatype> types(counts.size(), MPI_INT);
      std::vector<int> data, expected;
      for (int other = 0; other < p; ++other) {
        for (std::size_t i = 0; i < static_cast<std::size_t>(each); ++i) {
          data.push_back(between(rank, other, i));
          expected.push_back(between(other, rank, i));
        }
      }
      EXPECT_EQ(MPI_Alltoallw(MPI_IN_PLACE, nullptr, nullptr, nullptr, data.data(), counts.data(),
                              places.data(), types.data(), comm),
                MPI_SUCCESS);
      EXPECT_EQ(data, expected) << p << " ranks, " << each;
    }
  });
}

}  // namespace exchanging_test
}  // namespace pleat::testing_ranks
