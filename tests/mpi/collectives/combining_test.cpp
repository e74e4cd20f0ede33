// SPDX-License-Identifier: Apache-2.0
// MPI_Reduce, MPI_Allreduce, MPI_Reduce_scatter, MPI_Reduce_scatter_block, MPI_Scan, MPI_Exscan:
// the cases of MPICH's tests of collectives (reduce, red3, red4, redscat, redscatblk, scantst,
// exscan, exscan2, opband … opminloc, op_commutative), in our own words. The oracle combines the
// ranks' inputs, which everybody knows, from left to right.
#include <cstring>

#include <gtest/gtest.h>

#include "reductions.hpp"

namespace pleat::testing_ranks {
namespace combining_test {

/// Calls call(one, comm, count, in, out) for every reduction, in place and not; expects that it
/// returns success, that the result is that of so many ranks, and that the input is as before.
template <class Call, class Ranks> void expect_combined(const Call& call, const Ranks& ranks_of) {
  for (const reduction& one : reductions()) {
    each_size(one.light ? all_sizes : some_sizes, [&](MPI_Comm comm) {
      const int rank = rank_in(comm);
      for (const std::size_t count : {1U, 501U}) {
        for (const bool in_place : {false, true}) {
          one_rank_s in(one, rank, count);
          one_rank_s out = in_place ? in : one_rank_s(one, count);
          const one_rank_s before = out;
          EXPECT_EQ(call(one, comm, static_cast<int>(count), in_place ? MPI_IN_PLACE : in.get(),
                         out.get()),
                    MPI_SUCCESS);
          const int ranks = ranks_of(comm);
          EXPECT_TRUE(ranks == 0 ? out == before : out.is_sum(0, count, ranks))
              << one.name << ", " << size_of(comm) << " ranks, " << count;
          EXPECT_TRUE(in == one_rank_s(one, rank, count)) << one.name;
        }
      }
    });
  }
}

TEST(reduce, combines_at_any_root) {
  using root = int (*)(int);
  for (const root root_of : {root([](int) { return 0; }), root([](int p) { return p / 2; }),
                             root([](int p) { return p - 1; })}) {
    const auto is_root = [&](MPI_Comm comm) { return rank_in(comm) == root_of(size_of(comm)); };
    expect_combined(
        [&](const reduction& one, MPI_Comm comm, int count, const void* in, void* out) {
          const bool here = is_root(comm);
          return MPI_Reduce(!here && in == MPI_IN_PLACE ? out : in, here ? out : nullptr, count,
                            one.type, one.op, root_of(size_of(comm)), comm);
        },
        [&](MPI_Comm comm) { return is_root(comm) ? size_of(comm) : 0; });
  }
}

TEST(allreduce, combines_on_all_ranks) {
  expect_combined([](const reduction& one, MPI_Comm comm, int count, const void* in,
                     void* out) { return MPI_Allreduce(in, out, count, one.type, one.op, comm); },
                  size_of);
}

TEST(scan, combines_the_ranks_up_to_each) {
  expect_combined([](const reduction& one, MPI_Comm comm, int count, const void* in,
                     void* out) { return MPI_Scan(in, out, count, one.type, one.op, comm); },
                  [](MPI_Comm comm) { return rank_in(comm) + 1; });
}

// The first rank has no result: its buffer stays as it is, and may be null.
TEST(exscan, combines_the_ranks_before_each) {
  expect_combined(
      [](const reduction& one, MPI_Comm comm, int count, const void* in, void* out) {
        const bool has_none = rank_in(comm) == 0 && in != MPI_IN_PLACE && size_of(comm) > 1;
        return MPI_Exscan(in, has_none ? nullptr : out, count, one.type, one.op, comm);
      },
      rank_in);
}

TEST(reduce_scatter, parts_may_be_irregular_or_empty) {
  for (const reduction& one : reductions()) {
    each_size(some_sizes, [&](MPI_Comm comm) {
      const int p = size_of(comm);
      const auto own = static_cast<std::size_t>(rank_in(comm));
      for (int shape = 0; shape < 3; ++shape) {
        std::vector<int> counts(static_cast<std::size_t>(p), 0);
        if (shape == 0) counts[counts.size() / 2] = 600;
        for (std::size_t r = 0; shape > 0 && r < counts.size(); ++r) {
          counts[r] = shape == 1 ? static_cast<int>(r % 3) * 41 : 1;
        }
        std::size_t total = 0, before = 0;
        for (std::size_t r = 0; r < counts.size(); ++r) {
          if (r == own) before = total;
          total += static_cast<std::size_t>(counts[r]);
        }
        const auto mine = static_cast<std::size_t>(counts[own]);
        for (const bool in_place : {false, true}) {
          one_rank_s in(one, rank_in(comm), total);
          one_rank_s out = in_place ? in : one_rank_s(one, mine);
          EXPECT_EQ(MPI_Reduce_scatter(in_place ? MPI_IN_PLACE : in.get(), out.get(), counts.data(),
                                       one.type, one.op, comm),
                    MPI_SUCCESS);
          EXPECT_TRUE(out.is_sum(before, mine, p)) << one.name << ", " << p << " ranks, " << shape;
          EXPECT_TRUE(in == one_rank_s(one, rank_in(comm), total)) << one.name;
        }
      }
    });
  }
}

// Sums depend on the order of their terms, and there must be one order.
TEST(allreduce, floating_sums_are_the_same_everywhere_and_again) {
  each_size(some_sizes, [](MPI_Comm comm) {
    constexpr int count = 20000;
    std::vector<double> in(count), out(count);
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = 1.0 / (1 + number(rank_in(comm), i));
    std::vector<std::vector<double>> results;
    for (int run = 0; run < 2; ++run) {
      EXPECT_EQ(MPI_Allreduce(in.data(), out.data(), count, MPI_DOUBLE, MPI_SUM, comm),
                MPI_SUCCESS);
      results.push_back(out);
    }
    EXPECT_EQ(std::memcmp(results[0].data(), results[1].data(), count * sizeof(double)), 0);
    std::vector<double> theirs = out;
    PMPI_Bcast(theirs.data(), count, MPI_DOUBLE, 0, comm);
    EXPECT_EQ(std::memcmp(theirs.data(), out.data(), count * sizeof(double)), 0);
  });
}

}  // namespace combining_test
}  // namespace pleat::testing_ranks
