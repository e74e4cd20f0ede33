// SPDX-License-Identifier: Apache-2.0
// MPI_Gather, MPI_Gatherv, MPI_Scatter, MPI_Scatterv: the cases of MPICH's tests of collectives
// (gather, gather2, gather_big, scattern, scatter2, scatter3, scatterv, coll2, coll3), in our own
// words.
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "int_types.hpp"
#include "ranks.hpp"

namespace pleat::testing_ranks {
namespace rooted_test {

std::vector<int> numbers_of(int rank, int count) {
  std::vector<int> numbers(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = number(rank, i);
  return numbers;
}

/// The parts of all ranks, each of so many ints, one behind the other.
std::vector<int> numbers_of_all(int p, int count) {
  std::vector<int> all;
  for (int r = 0; r < p; ++r) {
    const std::vector<int> part = numbers_of(r, count);
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

// Arguments that mean nothing on the other ranks are wrong there.
TEST(gather, brings_the_parts_of_all_ranks_to_any_root) {
  each_size(all_sizes, [](MPI_Comm comm) {
    const int p = size_of(comm);
    const int rank = rank_in(comm);
    for (const int root : roots_of(comm)) {
      for (const int count : {1, 30, 5001}) {
        for (const bool in_place : {false, true}) {
          const std::vector<int> expected = numbers_of_all(p, count);
          const std::vector<int> mine = numbers_of(rank, count);
          std::vector<int> all(expected.size(), -1);
          const bool here = in_place && rank == root;
          if (here) std::ranges::copy(mine, all.begin() + rank * count);
          EXPECT_EQ(MPI_Gather(here ? MPI_IN_PLACE : mine.data(), here ? -1 : count,
                               here ? MPI_DATATYPE_NULL : MPI_INT,
                               rank == root ? all.data() : nullptr, rank == root ? count : -1,
                               rank == root ? MPI_INT : MPI_DATATYPE_NULL, root, comm),
                    MPI_SUCCESS);
          EXPECT_EQ(all, rank == root ? expected : std::vector<int>(expected.size(), -1))
              << p << " ranks, root " << root << ", " << count;
        }
      }
    }
  });
}

TEST(scatter, brings_each_rank_its_part_of_any_root) {
  each_size(all_sizes, [](MPI_Comm comm) {
    const int p = size_of(comm);
    const int rank = rank_in(comm);
    for (const int root : roots_of(comm)) {
      for (const int count : {1, 30, 5001}) {
        for (const bool in_place : {false, true}) {
          const std::vector<int> all = numbers_of_all(p, count);
          std::vector<int> mine(static_cast<std::size_t>(count), -1);
          const bool here = in_place && rank == root;
          EXPECT_EQ(MPI_Scatter(rank == root ? all.data() : nullptr, rank == root ? count : -1,
                                rank == root ? MPI_INT : MPI_DATATYPE_NULL,
                                here ? MPI_IN_PLACE : mine.data(), here ? -1 : count,
                                here ? MPI_DATATYPE_NULL : MPI_INT, root, comm),
                    MPI_SUCCESS);
          EXPECT_EQ(mine, here ? std::vector<int>(mine.size(), -1) : numbers_of(rank, count))
              << p << " ranks, root " << root << ", " << count;
        }
      }
    }
  });
}

/// Numbers of ints of each rank.
std::vector<std::vector<int>> irregular(int p) {
  const auto ranks = static_cast<std::size_t>(p);
  std::vector<std::vector<int>> shapes{std::vector<int>(ranks, 0), std::vector<int>(ranks, 0)};
  shapes[0].back() = 5000;  // one rank has all; of the second shape none has any
  shapes.emplace_back(ranks, 1);
  std::vector<int> counts(ranks);
  for (std::size_t r = 0; r < ranks; ++r) counts[r] = r % 3 == 1 ? 0 : static_cast<int>(r) * 37;
  shapes.push_back(counts);
  for (std::size_t r = 0; r < ranks; ++r) counts[r] = 30000 >> r;
  shapes.push_back(counts);
  return shapes;
}

/// Places in the opposite order of the ranks, with gaps; and the end of all.
std::vector<int> places_backwards(const std::vector<int>& counts, std::size_t& end) {
  std::vector<int> places(counts.size());
  int at = 2;
  for (std::size_t r = counts.size(); r-- > 0;) {
    places[r] = at;
    at += counts[r] + static_cast<int>(r % 2) * 3;
  }
  end = static_cast<std::size_t>(at);
  return places;
}

TEST(gatherv, and_scatterv_take_any_counts_and_places) {
  each_size({1, 2, 3, 4, 6, 9, 16, 17}, [](MPI_Comm comm) {
    const int p = size_of(comm);
    const int rank = rank_in(comm);
    for (const std::vector<int>& counts : irregular(p)) {
      for (const int root : roots_of(comm)) {
        for (const bool in_place : {false, true}) {
          std::size_t end = 0;
          const std::vector<int> places = places_backwards(counts, end);
          std::vector<int> expected(end, -1), all(end, -1);
          for (std::size_t r = 0; r < counts.size(); ++r) {
            std::ranges::copy(numbers_of(static_cast<int>(r), counts[r]),
                              expected.begin() + places[r]);
          }
          const auto own = static_cast<std::size_t>(rank);
          const std::vector<int> mine = numbers_of(rank, counts[own]);
          const bool at_root = rank == root;
          const bool here = in_place && at_root;
          if (here) std::ranges::copy(mine, all.begin() + places[own]);
          EXPECT_EQ(
              MPI_Gatherv(here ? MPI_IN_PLACE : mine.data(), counts[own], MPI_INT, all.data(),
                          at_root ? counts.data() : nullptr, at_root ? places.data() : nullptr,
                          at_root ? MPI_INT : MPI_DATATYPE_NULL, root, comm),
              MPI_SUCCESS);
          EXPECT_EQ(all, at_root ? expected : std::vector<int>(end, -1))
              << p << " ranks, root " << root;

          std::vector<int> part(mine.size(), -1);
          EXPECT_EQ(
              MPI_Scatterv(expected.data(), at_root ? counts.data() : nullptr,
                           at_root ? places.data() : nullptr, at_root ? MPI_INT : MPI_DATATYPE_NULL,
                           here ? MPI_IN_PLACE : part.data(), counts[own], MPI_INT, root, comm),
              MPI_SUCCESS);
          EXPECT_EQ(part, here ? std::vector<int>(mine.size(), -1) : mine)
              << p << " ranks, root " << root;
        }
      }
    }
  });
}

TEST(gatherv, and_scatterv_leave_holes_of_types) {
  each_size({2, 5, 17}, [](MPI_Comm comm) {
    const int p = size_of(comm);
    const int rank = rank_in(comm);
    for (std::size_t way = 0; way < int_types().size(); ++way) {
      const int_type& at_root = int_types()[way];
      const int_type& mine_type =
          int_types()[(way + static_cast<std::size_t>(rank)) % int_types().size()];
      std::vector<int> counts(static_cast<std::size_t>(p));  // of twelve ints
      for (std::size_t r = 0; r < counts.size(); ++r) counts[r] = 1 + static_cast<int>(r % 4) * 9;
      std::vector<int> elements(counts.size()), places(counts.size()), before(counts.size());
      for (std::size_t r = 0; r < counts.size(); ++r) {
        elements[r] = counts[r] * 12 / static_cast<int>(at_root.ints());
      }
      std::exclusive_scan(elements.begin(), elements.end(), places.begin(), 0);
      std::exclusive_scan(counts.begin(), counts.end(), before.begin(), 0);
      const auto own = static_cast<std::size_t>(rank);
      const auto value = [](std::size_t i) { return number(1, i); };
      const auto own_value = [&](std::size_t i) {
        return number(1, static_cast<std::size_t>(before[own]) * 12 + i);
      };
      const auto own_count = static_cast<std::size_t>(counts[own]) * 12 / mine_type.ints();
      typed_buffer mine(mine_type, own_count), part(mine_type, own_count);
      mine.fill(own_value);
      const auto total = static_cast<std::size_t>(places.back() + elements.back());
      typed_buffer all(at_root, total);
      const int root = p / 2;
      EXPECT_EQ(MPI_Gatherv(mine.get(), mine.count(), mine_type.type, all.get(), elements.data(),
                            places.data(), at_root.type, root, comm),
                MPI_SUCCESS);
      EXPECT_TRUE(rank != root || all.is(value)) << mine_type.name << " to " << at_root.name;
      all.fill(value);
      EXPECT_EQ(MPI_Scatterv(all.get(), elements.data(), places.data(), at_root.type, part.get(),
                             part.count(), mine_type.type, root, comm),
                MPI_SUCCESS);
      EXPECT_TRUE(part.is(own_value)) << at_root.name << " to " << mine_type.name;
    }
  });
}

}  // namespace rooted_test
}  // namespace pleat::testing_ranks
