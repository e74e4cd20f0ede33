// SPDX-License-Identifier: Apache-2.0
// The calls of MPI 4 with large counts, which MPICH has. That counts are large is tried with a type
// of nothing alone: 2^31 bytes on every rank would be more than most machines for tests have.
#include <mpi.h>
#if MPI_VERSION >= 4

#include <numeric>

#include <gtest/gtest.h>

#include "counted_messages.hpp"
#include "ranks.hpp"
#include "reductions.hpp"

namespace pleat::testing_ranks {
namespace large_counts_test {

/// Tells whether the elements from `at` on are those of a rank.
bool are_of(int rank, const int* at, MPI_Count count) {
  for (MPI_Count i = 0; i < count; ++i)
    if (at[i] != number(rank, static_cast<std::size_t>(i))) return false;
  return true;
}
std::vector<int> numbers_of(int rank, MPI_Count count) {
  std::vector<int> numbers(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = number(rank, i);
  return numbers;
}

TEST(large_counts, bcast_reaches_all_ranks_in_our_messages) {
  each_size(some_sizes, [](MPI_Comm comm) {
    const MPI_Count count = 1001;
    const int root = size_of(comm) / 2;
    std::vector<int> data = numbers_of(rank_in(comm), count);
    const message_count messages =
        counted([&] { MPI_Bcast_c(data.data(), count, MPI_INT, root, comm); });
    EXPECT_TRUE(are_of(root, data.data(), count));
    EXPECT_EQ(messages.received_bytes, rank_in(comm) == root ? 0 : 4 * 1001);
  });
}

TEST(large_counts, bcast_of_nothing_takes_more_than_an_int_counts) {
  each_size({2, 5}, [](MPI_Comm comm) {
    MPI_Datatype empty = MPI_DATATYPE_NULL;
    MPI_Type_contiguous(0, MPI_INT, &empty);
    MPI_Type_commit(&empty);
    int untouched = 7;
    EXPECT_EQ(MPI_Bcast_c(&untouched, MPI_Count{1} << 33, empty, 0, comm), MPI_SUCCESS);
    EXPECT_EQ(untouched, 7);
    MPI_Type_free(&empty);
  });
}

TEST(large_counts, types_may_be_made_with_them) {
  each_size({2, 5}, [](MPI_Comm comm) {
    MPI_Datatype three = MPI_DATATYPE_NULL;
    MPI_Datatype apart = MPI_DATATYPE_NULL;
    MPI_Type_contiguous_c(3, MPI_INT, &three);
    MPI_Type_vector_c(2, 1, 2, three, &apart);
    for (MPI_Datatype* const type : {&three, &apart}) {
      MPI_Type_commit(type);
      std::vector<int> data = numbers_of(rank_in(comm), 900);
      EXPECT_EQ(MPI_Bcast(data.data(), 100, *type, 1, comm), MPI_SUCCESS);
      EXPECT_TRUE(are_of(1, data.data(), 3));
      EXPECT_EQ(data[3], number(type == &three ? 1 : rank_in(comm), 3));  // apart: in a hole
      data = numbers_of(rank_in(comm), 900);
      EXPECT_EQ(MPI_Bcast_c(data.data(), 100, *type, 0, comm), MPI_SUCCESS);
      EXPECT_TRUE(are_of(0, data.data(), 3));
    }
    MPI_Type_free(&apart);
    MPI_Type_free(&three);
  });
}

TEST(large_counts, gathers_are_in_the_order_of_ranks_in_our_messages) {
  each_size(some_sizes, [](MPI_Comm comm) {
    const int p = size_of(comm);
    const MPI_Count each = 70;
    const std::vector<int> mine = numbers_of(rank_in(comm), 2 * each);
    std::vector<int> all(static_cast<std::size_t>(2 * each * p), -1);
    const message_count equal = counted(
        [&] { MPI_Allgather_c(mine.data(), each, MPI_INT, all.data(), each, MPI_INT, comm); });
    for (int r = 0; r < p; ++r) EXPECT_TRUE(are_of(r, all.data() + r * each, each));
    EXPECT_EQ(equal.received_bytes, static_cast<std::uint64_t>(4 * each * (p - 1)));

    std::vector<MPI_Count> counts(static_cast<std::size_t>(p));
    std::vector<MPI_Aint> places(counts.size());
    for (std::size_t r = 0; r < counts.size(); ++r) {  // in the opposite order, every third none
      counts[r] = static_cast<MPI_Count>(r % 3) * each;
      places[r] = static_cast<MPI_Aint>(2 * each) * (p - 1 - static_cast<MPI_Aint>(r));
    }
    const MPI_Count own = counts[static_cast<std::size_t>(rank_in(comm))];
    const message_count irregular = counted([&] {
      MPI_Allgatherv_c(mine.data(), own, MPI_INT, all.data(), counts.data(), places.data(), MPI_INT,
                       comm);
    });
    for (std::size_t r = 0; r < counts.size(); ++r)
      EXPECT_TRUE(are_of(static_cast<int>(r), all.data() + places[r], counts[r]));
    const MPI_Count total = std::accumulate(counts.begin(), counts.end(), MPI_Count{0});
    EXPECT_EQ(irregular.received_bytes, static_cast<std::uint64_t>(4 * (total - own)));
  });
}

TEST(large_counts, exchanges_are_in_the_order_of_ranks) {
  each_size(some_sizes, [](MPI_Comm comm) {
    const auto p = static_cast<std::size_t>(size_of(comm));
    const std::size_t rank = static_cast<std::size_t>(rank_in(comm));
    const std::size_t each = 3;
    const std::vector<int> in = numbers_of(rank_in(comm), static_cast<MPI_Count>(each * p));
    std::vector<int> expected;
    for (std::size_t i = 0; i < in.size(); ++i) {
      expected.push_back(number(static_cast<int>(i / each), rank * each + i % each));
    }
    const std::vector<MPI_Count> counts(p, each);
    std::vector<MPI_Aint> places, bytes;
    for (std::size_t r = 0; r < p; ++r) places.push_back(static_cast<MPI_Aint>(r * each));
    for (const MPI_Aint place : places) bytes.push_back(4 * place);
    const std::vector<MPI_Datatype> types(p, MPI_INT);
    const auto expect = [&](const auto& call) {
      std::vector<int> out(in.size(), -1);
      EXPECT_GE(counted([&] { call(out.data()); }).sent, 1U);
      EXPECT_EQ(out, expected);
    };
    expect([&](int* out) { MPI_Alltoall_c(in.data(), each, MPI_INT, out, each, MPI_INT, comm); });
    expect([&](int* out) {
      MPI_Alltoallv_c(in.data(), counts.data(), places.data(), MPI_INT, out, counts.data(),
                      places.data(), MPI_INT, comm);
    });
    expect([&](int* out) {
      MPI_Alltoallw_c(in.data(), counts.data(), bytes.data(), types.data(), out, counts.data(),
                      bytes.data(), types.data(), comm);
    });
  });
}

TEST(large_counts, gathers_and_scatters_have_a_root) {
  each_size(some_sizes, [](MPI_Comm comm) {
    const auto p = static_cast<std::size_t>(size_of(comm));
    const int rank = rank_in(comm);
    const int root = size_of(comm) - 1;
    const MPI_Count each = 5;
    const std::vector<int> mine = numbers_of(rank, each);
    const std::vector<MPI_Count> counts(p, each);
    std::vector<MPI_Aint> places;
    for (std::size_t r = 0; r < p; ++r) places.push_back(static_cast<MPI_Aint>(r) * each);
    std::vector<int> all(5 * p);
    const auto expect = [&](const auto& call, const int* at, int of) {
      const message_count count = counted(call);
      EXPECT_GE(count.sent + count.received, 1U);
      EXPECT_TRUE(are_of(of, at, each));
    };
    const int first = rank == root ? 0 : rank;  // whose part is looked at
    const int* const there = rank == root ? all.data() : mine.data();
    expect([&] { MPI_Gather_c(mine.data(), each, MPI_INT, all.data(), each, MPI_INT, root, comm); },
           there, first);
    expect(
        [&] {
          MPI_Gatherv_c(mine.data(), each, MPI_INT, all.data(), counts.data(), places.data(),
                        MPI_INT, root, comm);
        },
        there, first);
    std::vector<int> part(5);
    expect(
        [&] { MPI_Scatter_c(all.data(), each, MPI_INT, part.data(), each, MPI_INT, root, comm); },
        part.data(), rank);
    part.assign(5, -1);
    expect(
        [&] {
          MPI_Scatterv_c(all.data(), counts.data(), places.data(), MPI_INT, part.data(), each,
                         MPI_INT, root, comm);
        },
        part.data(), rank);
  });
}

TEST(large_counts, reductions_combine_the_same) {
  for (const reduction& one : reductions()) {
    each_size(one.light ? some_sizes : std::initializer_list<int>{3}, [&](MPI_Comm comm) {
      const int p = size_of(comm);
      const int rank = rank_in(comm);
      const auto ranks = static_cast<std::size_t>(p);
      const std::size_t each = 30;
      one_rank_s in(one, rank, each * ranks);
      one_rank_s out(one, each * ranks);
      const auto total = static_cast<MPI_Count>(each * ranks);
      EXPECT_EQ(MPI_Reduce_c(in.get(), out.get(), total, one.type, one.op, p - 1, comm),
                MPI_SUCCESS);
      EXPECT_TRUE(rank != p - 1 || out.is_sum(0, each * ranks, p)) << one.name;
      EXPECT_EQ(MPI_Allreduce_c(in.get(), out.get(), total, one.type, one.op, comm), MPI_SUCCESS);
      EXPECT_TRUE(out.is_sum(0, each * ranks, p)) << one.name;
      EXPECT_EQ(MPI_Scan_c(in.get(), out.get(), total, one.type, one.op, comm), MPI_SUCCESS);
      EXPECT_TRUE(out.is_sum(0, each * ranks, rank + 1)) << one.name;
      EXPECT_EQ(MPI_Exscan_c(in.get(), out.get(), total, one.type, one.op, comm), MPI_SUCCESS);
      EXPECT_TRUE(rank == 0 || out.is_sum(0, each * ranks, rank)) << one.name;
      const std::size_t before = each * static_cast<std::size_t>(rank);
      EXPECT_EQ(MPI_Reduce_scatter_block_c(in.get(), out.get(), each, one.type, one.op, comm),
                MPI_SUCCESS);
      EXPECT_TRUE(out.is_sum(before, each, p)) << one.name;
      const std::vector<MPI_Count> counts(ranks, each);
      EXPECT_EQ(MPI_Reduce_scatter_c(in.get(), out.get(), counts.data(), one.type, one.op, comm),
                MPI_SUCCESS);
      EXPECT_TRUE(out.is_sum(before, each, p)) << one.name;
    });
  }
}

}  // namespace large_counts_test
}  // namespace pleat::testing_ranks

#endif
