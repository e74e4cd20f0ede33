// SPDX-License-Identifier: Apache-2.0
// MPI_Bcast, MPI_Allgather, MPI_Allgatherv: the cases of MPICH's tests of collectives (bcasttest,
// bcastzerotype, allgather2, allgatherv2 to 4), in our own words.

#include <gtest/gtest.h>

#include "int_types.hpp"
#include "ranks.hpp"

namespace pleat::testing_ranks {
namespace moving_test {

TEST(bcast, reaches_all_ranks_from_any_root) {
  each_size(all_sizes, [](MPI_Comm comm) {
    for (const int root : roots_of(comm)) {
      for (const std::size_t count : {1U, 19U, 1000U, 60001U}) {
        std::vector<int> data(count, -1);
        if (rank_in(comm) == root) {
          for (std::size_t i = 0; i < count; ++i) data[i] = number(root, i);
        }
        EXPECT_EQ(MPI_Bcast(data.data(), static_cast<int>(count), MPI_INT, root, comm),
                  MPI_SUCCESS);
        std::size_t wrong = 0;
        for (std::size_t i = 0; i < count; ++i) wrong += data[i] != number(root, i) ? 1 : 0;
        EXPECT_EQ(wrong, 0U) << size_of(comm) << " ranks, root " << root << ", " << count;
      }
    }
  });
}

TEST(bcast, places_may_be_absolute) {
  each_size({2, 5}, [](MPI_Comm comm) {
    std::vector<int> data(5000, rank_in(comm) == 0 ? 3 : 0);
    const int count = 5000;
    MPI_Aint place = 0;
    MPI_Get_address(data.data(), &place);
    MPI_Datatype there = MPI_DATATYPE_NULL;
    MPI_Type_create_hindexed(1, &count, &place, MPI_INT, &there);
    MPI_Type_commit(&there);
    EXPECT_EQ(MPI_Bcast(MPI_BOTTOM, 1, there, 0, comm), MPI_SUCCESS);
    EXPECT_EQ(data, std::vector<int>(5000, 3));
    MPI_Type_free(&there);
  });
}

// The types say that the two do not overlap; only the first rank has such addresses.
TEST(allgather, both_sides_may_have_one_address) {
  each_size({2, 5, 17}, [](MPI_Comm comm) {
    const auto p = static_cast<std::size_t>(size_of(comm));
    const int one = 1;
    const MPI_Aint place = sizeof(int);
    MPI_Datatype second = MPI_DATATYPE_NULL, later = MPI_DATATYPE_NULL;
    MPI_Type_create_hindexed(1, &one, &place, MPI_INT, &second);
    MPI_Type_create_resized(second, 0, sizeof(int), &later);
    MPI_Type_commit(&later);
    const bool shares = rank_in(comm) == 0;
    int mine = number(rank_in(comm), 0);
    std::vector<int> all(1 + p, mine);
    EXPECT_EQ(
        MPI_Allgather(shares ? all.data() : &mine, 1, MPI_INT, shares ? all.data() : all.data() + 1,
                      1, shares ? later : MPI_INT, comm),
        MPI_SUCCESS);
    for (std::size_t r = 0; r < p; ++r) EXPECT_EQ(all[1 + r], number(static_cast<int>(r), 0));
    EXPECT_EQ(all[0], mine);
    MPI_Type_free(&second);
    MPI_Type_free(&later);
  });
}

/// Numbers of ints of each rank.
std::vector<std::vector<int>> irregular(int p) {
  const auto ranks = static_cast<std::size_t>(p);
  std::vector<std::vector<int>> shapes;
  std::vector<int> counts(ranks, 0);
  counts.back() = 5000;
  shapes.push_back(counts);  // one rank has all
  counts.assign(ranks, 1);
  shapes.push_back(counts);
  for (std::size_t r = 0; r < ranks; ++r) counts[r] = r % 3 == 1 ? 0 : static_cast<int>(r) * 37;
  counts.front() = 1;
  shapes.push_back(counts);  // some have none
  for (std::size_t r = 0; r < ranks; ++r) counts[r] = 3000 >> std::min<std::size_t>(r, 13);
  shapes.push_back(counts);  // halving
  shapes.emplace_back(ranks, 0);
  return shapes;
}

// Parts lie in the opposite order of the ranks, with gaps that nobody writes to.
// With one rank MPICH 4.0 ignores the place.
TEST(allgatherv, counts_and_places_are_free) {
  each_size({2, 3, 4, 6, 9, 17}, [](MPI_Comm comm) {
    const int p = size_of(comm);
    const int rank = rank_in(comm);
    for (const std::vector<int>& counts : irregular(p)) {
      for (const bool in_place : {false, true}) {
        std::vector<int> places(counts.size());
        int end = 2;
        for (std::size_t r = counts.size(); r-- > 0;) {
          places[r] = end;
          end += counts[r] + static_cast<int>(r % 2) * 3;
        }
        std::vector<int> expected(static_cast<std::size_t>(end), -1);
        std::vector<int> all = expected;
        for (std::size_t r = 0; r < counts.size(); ++r) {
          for (int i = 0; i < counts[r]; ++i) {
            expected[static_cast<std::size_t>(places[r] + i)] =
                number(static_cast<int>(r), static_cast<std::size_t>(i));
          }
        }
        const auto own = static_cast<std::size_t>(rank);
        std::vector<int> mine(expected.begin() + places[own],
                              expected.begin() + places[own] + counts[own]);
        if (in_place) std::ranges::copy(mine, all.begin() + places[own]);
        EXPECT_EQ(MPI_Allgatherv(in_place ? MPI_IN_PLACE : mine.data(), counts[own], MPI_INT,
                                 all.data(), counts.data(), places.data(), MPI_INT, comm),
                  MPI_SUCCESS);
        EXPECT_EQ(all, expected) << p << " ranks" << (in_place ? ", in place" : "");
      }
    }
  });
}

}  // namespace moving_test
}  // namespace pleat::testing_ranks
