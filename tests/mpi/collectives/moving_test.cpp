// SPDX-License-Identifier: Apache-2.0
// MPI_Bcast, MPI_Allgather, MPI_Allgatherv, MPI_Gather, MPI_Gatherv, MPI_Scatter, MPI_Scatterv: the
// cases of MPICH's tests of collectives (bcasttest, bcastzerotype, allgather2, allgatherv2 to 4,
// gather, gather2, gather_big, scattern, scatter2, scatter3, scatterv, coll2, coll3), in our own
// words.
#include <gtest/gtest.h>

#include "parts.hpp"
#include "ranks.hpp"

namespace pleat::testing_ranks {
namespace moving_test {

TEST(bcast, reaches_all_ranks_from_any_root) {
  each_size(all_sizes, [](MPI_Comm comm) {
    for (const int root : roots_of(comm)) {
      for (const int count : {1, 19, 1000, 60001}) {
        const std::vector<int> expected = numbers_of(root, count);
        std::vector<int> data(expected.size(), -1);
        if (rank_in(comm) == root) data = expected;
        EXPECT_EQ(MPI_Bcast(data.data(), count, MPI_INT, root, comm), MPI_SUCCESS);
        EXPECT_TRUE(data == expected) << size_of(comm) << " ranks, root " << root << ", " << count;
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

// With one rank MPICH 4.0 ignores the place.
TEST(allgatherv, counts_and_places_are_free) {
  each_size({2, 3, 4, 6, 9, 17}, [](MPI_Comm comm) {
    const int rank = rank_in(comm);
    for (const std::vector<int>& counts : irregular(size_of(comm))) {
      for (const bool in_place : {false, true}) {
        parts expected(counts), all(counts);
        expected.fill(number);
        const std::vector<int> mine = numbers_of(rank, counts[static_cast<std::size_t>(rank)]);
        if (in_place) all.put(rank, mine);
        EXPECT_EQ(MPI_Allgatherv(in_place ? MPI_IN_PLACE : mine.data(),
                                 static_cast<int>(mine.size()), MPI_INT, all.data.data(),
                                 counts.data(), all.places.data(), MPI_INT, comm),
                  MPI_SUCCESS);
        EXPECT_TRUE(all.data == expected.data)
            << size_of(comm) << " ranks" << (in_place ? ", in place" : "");
      }
    }
  });
}

// Arguments that mean nothing on the other ranks are wrong there.
TEST(gather, and_scatter_take_any_root) {
  each_size(all_sizes, [](MPI_Comm comm) {
    const int p = size_of(comm), rank = rank_in(comm);
    for (const int root : roots_of(comm)) {
      for (const int count : {1, 5001}) {
        for (const bool in_place : {false, true}) {
          const bool at_root = rank == root;
          const bool here = in_place && at_root;
          const std::vector<int> mine = numbers_of(rank, count);
          std::vector<int> expected;
          for (int r = 0; r < p; ++r) {
            const std::vector<int> part = numbers_of(r, count);
            expected.insert(expected.end(), part.begin(), part.end());
          }
          const std::vector<int> untouched(expected.size(), -1);
          std::vector<int> all = untouched;
          if (here) std::ranges::copy(mine, all.begin() + rank * count);
          EXPECT_EQ(
              MPI_Gather(here ? MPI_IN_PLACE : mine.data(), here ? -1 : count,
                         here ? MPI_DATATYPE_NULL : MPI_INT, at_root ? all.data() : nullptr,
                         at_root ? count : -1, at_root ? MPI_INT : MPI_DATATYPE_NULL, root, comm),
              MPI_SUCCESS);
          EXPECT_TRUE(all == (at_root ? expected : untouched))
              << p << " ranks, root " << root << ", " << count;

          std::vector<int> part(mine.size(), -1);
          EXPECT_EQ(
              MPI_Scatter(at_root ? expected.data() : nullptr, at_root ? count : -1,
                          at_root ? MPI_INT : MPI_DATATYPE_NULL, here ? MPI_IN_PLACE : part.data(),
                          here ? -1 : count, here ? MPI_DATATYPE_NULL : MPI_INT, root, comm),
              MPI_SUCCESS);
          EXPECT_TRUE(here ? part == std::vector<int>(part.size(), -1) : part == mine)
              << p << " ranks, root " << root << ", " << count;
        }
      }
    }
  });
}

TEST(gatherv, and_scatterv_take_any_counts_and_places) {
  each_size({1, 2, 3, 4, 6, 9, 16, 17}, [](MPI_Comm comm) {
    const int p = size_of(comm), rank = rank_in(comm);
    for (const std::vector<int>& counts : irregular(p)) {
      for (const int root : roots_of(comm)) {
        for (const bool in_place : {false, true}) {
          parts expected(counts), all(counts);
          const parts untouched(counts);
          expected.fill(number);
          const int own = counts[static_cast<std::size_t>(rank)];
          const std::vector<int> mine = numbers_of(rank, own);
          const bool at_root = rank == root;
          const bool here = in_place && at_root;
          const int* const root_counts = at_root ? counts.data() : nullptr;
          const int* const root_places = at_root ? all.places.data() : nullptr;
          const MPI_Datatype root_type = at_root ? MPI_INT : MPI_DATATYPE_NULL;
          if (here) all.put(rank, mine);
          EXPECT_EQ(MPI_Gatherv(here ? MPI_IN_PLACE : mine.data(), own, MPI_INT, all.data.data(),
                                root_counts, root_places, root_type, root, comm),
                    MPI_SUCCESS);
          EXPECT_TRUE(all.data == (at_root ? expected : untouched).data)
              << p << " ranks, root " << root;

          std::vector<int> part(mine.size(), -1);
          EXPECT_EQ(MPI_Scatterv(expected.data.data(), root_counts, root_places, root_type,
                                 here ? MPI_IN_PLACE : part.data(), own, MPI_INT, root, comm),
                    MPI_SUCCESS);
          EXPECT_TRUE(here ? part == std::vector<int>(part.size(), -1) : part == mine)
              << p << " ranks, root " << root;
        }
      }
    }
  });
}

}  // namespace moving_test
}  // namespace pleat::testing_ranks
