// SPDX-License-Identifier: Apache-2.0
// MPI_Bcast, MPI_Allgather, MPI_Allgatherv: the cases of MPICH's tests of collectives (bcasttest,
// bcastzerotype, allgather2, allgatherv2 to 4), in our own words.
#include <numeric>

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

TEST(bcast, of_nothing_does_nothing) {
  each_size(some_sizes, [](MPI_Comm comm) {
    MPI_Datatype empty = MPI_DATATYPE_NULL;
    MPI_Type_contiguous(0, MPI_INT, &empty);
    MPI_Type_commit(&empty);
    int untouched = 7;
    EXPECT_EQ(MPI_Bcast(&untouched, 0, MPI_INT, 0, comm), MPI_SUCCESS);
    EXPECT_EQ(MPI_Bcast(&untouched, 1000, empty, 0, comm), MPI_SUCCESS);
    EXPECT_EQ(untouched, 7);
    MPI_Type_free(&empty);
  });
}

// Broadcasts the same ints, which each rank keeps in a layout of its own.
TEST(bcast, types_may_differ_from_rank_to_rank) {
  each_size({2, 5, 17}, [](MPI_Comm comm) {
    for (const int root : roots_of(comm)) {
      for (const std::size_t sixes : {1U, 500U, 9000U}) {
        const std::size_t shift = static_cast<std::size_t>(rank_in(comm)) + sixes;
        const int_type& type = int_types()[shift % int_types().size()];
        typed_buffer data(type, sixes * 6 / type.ints());
        const auto sent = [&](std::size_t i) { return number(root, i); };
        if (rank_in(comm) == root) data.fill(sent);
        EXPECT_EQ(MPI_Bcast(data.get(), data.count(), type.type, root, comm), MPI_SUCCESS);
        EXPECT_TRUE(data.is(sent)) << type.name << ", " << size_of(comm) << " ranks";
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

TEST(allgather, gathers_in_the_order_of_ranks) {
  each_size({1, 2, 3, 4, 5, 7, 11, 17}, [](MPI_Comm comm) {
    const int p = size_of(comm);
    for (const int count : {1, 250, 4001}) {
      for (const bool in_place : {false, true}) {
        const auto each = static_cast<std::size_t>(count);
        std::vector<int> mine(each);
        for (std::size_t i = 0; i < each; ++i) mine[i] = number(rank_in(comm), i);
        std::vector<int> all(each * static_cast<std::size_t>(p), -1);
        if (in_place) std::ranges::copy(mine, all.begin() + rank_in(comm) * count);
        EXPECT_EQ(
            MPI_Allgather(in_place ? MPI_IN_PLACE : mine.data(), in_place ? 0 : count,
                          in_place ? MPI_DATATYPE_NULL : MPI_INT, all.data(), count, MPI_INT, comm),
            MPI_SUCCESS);
        std::size_t wrong = 0;
        for (std::size_t i = 0; i < all.size(); ++i) {
          wrong += all[i] != number(static_cast<int>(i / each), i % each) ? 1 : 0;
        }
        EXPECT_EQ(wrong, 0U) << p << " ranks, " << count << (in_place ? ", in place" : "");
      }
    }
  });
}

TEST(allgather, types_may_differ_between_sides_and_ranks) {
  each_size({2, 5, 17}, [](MPI_Comm comm) {
    const int p = size_of(comm);
    for (std::size_t way = 0; way < int_types().size(); ++way) {
      const auto mine_at = (way + static_cast<std::size_t>(rank_in(comm))) % int_types().size();
      const int_type& from = int_types()[mine_at];
      const int_type& to = int_types()[way];
      const std::size_t each = 6 * 40;
      typed_buffer mine(from, each / from.ints());
      mine.fill([&](std::size_t i) { return number(rank_in(comm), i); });
      typed_buffer all(to, each / to.ints() * static_cast<std::size_t>(p));
      EXPECT_EQ(MPI_Allgather(mine.get(), mine.count(), from.type, all.get(), all.count() / p,
                              to.type, comm),
                MPI_SUCCESS);
      EXPECT_TRUE(all.is([&](std::size_t i) {
        return number(static_cast<int>(i / each), i % each);
      })) << from.name
          << " to " << to.name << ", " << p << " ranks";
    }
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

TEST(allgatherv, holes_of_types_stay_as_they_are) {
  each_size({2, 5, 17}, [](MPI_Comm comm) {
    const int p = size_of(comm);
    for (const int_type& type : int_types()) {
      std::vector<int> counts(static_cast<std::size_t>(p));
      std::vector<int> places(counts.size());
      for (std::size_t r = 0; r < counts.size(); ++r) counts[r] = static_cast<int>(r % 4) * 50;
      std::exclusive_scan(counts.begin(), counts.end(), places.begin(), 0);
      const auto own = static_cast<std::size_t>(rank_in(comm));
      const std::size_t before = static_cast<std::size_t>(places[own]) * type.ints();
      std::vector<int> mine(static_cast<std::size_t>(counts[own]) * type.ints());
      for (std::size_t i = 0; i < mine.size(); ++i) mine[i] = number(0, before + i);
      typed_buffer all(type, static_cast<std::size_t>(places.back() + counts.back()));
      EXPECT_EQ(MPI_Allgatherv(mine.data(), static_cast<int>(mine.size()), MPI_INT, all.get(),
                               counts.data(), places.data(), type.type, comm),
                MPI_SUCCESS);
      EXPECT_TRUE(all.is([](std::size_t i) { return number(0, i); })) << type.name;
    }
  });
}

}  // namespace moving_test
}  // namespace pleat::testing_ranks
