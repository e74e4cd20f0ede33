// SPDX-License-Identifier: Apache-2.0
// The calls of MPI 4 with large counts, which MPICH has: they leave what the calls with ints leave,
// in as many messages. That counts are large is tried with a type of nothing alone: 2^31 bytes on
// every rank would be more than most machines for tests have.
#include <mpi.h>
#if MPI_VERSION >= 4

#include <gtest/gtest.h>

#include "counted_messages.hpp"
#include "parts.hpp"
#include "ranks.hpp"

namespace pleat::testing_ranks {
namespace large_counts_test {

/// Counts and places of three ints a rank, the last rank first.
template <class Count, class Place> struct three_each {
  std::vector<Count> counts;
  std::vector<Place> places, bytes;

  explicit three_each(std::size_t p) : counts(p, 3) {
    for (std::size_t r = 0; r < p; ++r) places.push_back(static_cast<Place>(3 * (p - 1 - r)));
    for (const Place place : places) bytes.push_back(4 * place);
  }
};

template <class Plain, class Large>
void expect_same(const char* name, const Plain& plain, const Large& large) {
  each_size(some_sizes, [&](MPI_Comm comm) {
    const auto p = static_cast<std::size_t>(size_of(comm));
    const std::vector<int> in = numbers_of(rank_in(comm), 3 * size_of(comm));
    std::vector<int> expected = numbers_of(100 + rank_in(comm), 3 * size_of(comm));
    std::vector<int> out = expected;
    const three_each<int, int> ints(p);
    const three_each<MPI_Count, MPI_Aint> counts(p);
    const message_count fewer = counted([&] { plain(in.data(), expected.data(), ints, comm); });
    const message_count same = counted([&] { large(in.data(), out.data(), counts, comm); });
    EXPECT_EQ(out, expected) << name;
    EXPECT_GE(same.sent + same.received, 1U) << name;
    EXPECT_EQ(same.sent, fewer.sent) << name;
    EXPECT_EQ(same.received_bytes, fewer.received_bytes) << name;
  });
}
// `all` has counts and places.
#define PLEAT_EXPECT_SAME(name, ...)                                                            \
  expect_same(                                                                                  \
      #name,                                                                                    \
      [&](const int* in, int* out, const three_each<int, int>& all, MPI_Comm comm) {            \
        static_cast<void>(in), static_cast<void>(all), MPI_##name(__VA_ARGS__);                 \
      },                                                                                        \
      [&](const int* in, int* out, const three_each<MPI_Count, MPI_Aint>& all, MPI_Comm comm) { \
        static_cast<void>(in), static_cast<void>(all), MPI_##name##_c(__VA_ARGS__);             \
      })

TEST(large_counts, calls_do_the_same) {
  PLEAT_EXPECT_SAME(Bcast, out, size_of(comm), MPI_INT, 1, comm);
  PLEAT_EXPECT_SAME(Allgather, in, 3, MPI_INT, out, 3, MPI_INT, comm);
  PLEAT_EXPECT_SAME(Allgatherv, in, 3, MPI_INT, out, all.counts.data(), all.places.data(), MPI_INT,
                    comm);
  PLEAT_EXPECT_SAME(Alltoall, in, 3, MPI_INT, out, 3, MPI_INT, comm);
  PLEAT_EXPECT_SAME(Alltoallv, in, all.counts.data(), all.places.data(), MPI_INT, out,
                    all.counts.data(), all.places.data(), MPI_INT, comm);
  const std::vector<MPI_Datatype> types(32, MPI_INT);
  PLEAT_EXPECT_SAME(Alltoallw, in, all.counts.data(), all.bytes.data(), types.data(), out,
                    all.counts.data(), all.bytes.data(), types.data(), comm);
  PLEAT_EXPECT_SAME(Gather, in, 3, MPI_INT, out, 3, MPI_INT, 1, comm);
  PLEAT_EXPECT_SAME(Gatherv, in, 3, MPI_INT, out, all.counts.data(), all.places.data(), MPI_INT, 1,
                    comm);
  PLEAT_EXPECT_SAME(Scatter, in, 3, MPI_INT, out, 3, MPI_INT, 1, comm);
  PLEAT_EXPECT_SAME(Scatterv, in, all.counts.data(), all.places.data(), MPI_INT, out, 3, MPI_INT, 1,
                    comm);
  PLEAT_EXPECT_SAME(Reduce, in, out, 3, MPI_INT, MPI_SUM, 1, comm);
  PLEAT_EXPECT_SAME(Allreduce, in, out, 3, MPI_INT, MPI_SUM, comm);
  PLEAT_EXPECT_SAME(Scan, in, out, 3, MPI_INT, MPI_SUM, comm);
  PLEAT_EXPECT_SAME(Exscan, in, out, 3, MPI_INT, MPI_SUM, comm);
  PLEAT_EXPECT_SAME(Reduce_scatter, in, out, all.counts.data(), MPI_INT, MPI_SUM, comm);
  PLEAT_EXPECT_SAME(Reduce_scatter_block, in, out, 3, MPI_INT, MPI_SUM, comm);
}
#undef PLEAT_EXPECT_SAME

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
      EXPECT_EQ(data[2], number(1, 2));
      EXPECT_EQ(data[3], number(type == &three ? 1 : rank_in(comm), 3));  // apart: in a hole
      data = numbers_of(rank_in(comm), 900);
      EXPECT_EQ(MPI_Bcast_c(data.data(), 100, *type, 0, comm), MPI_SUCCESS);
      EXPECT_EQ(data[2], number(0, 2));
    }
    MPI_Type_free(&apart);
    MPI_Type_free(&three);
  });
}

}  // namespace large_counts_test
}  // namespace pleat::testing_ranks

#endif
