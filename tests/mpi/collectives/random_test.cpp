// SPDX-License-Identifier: Apache-2.0
// Random programs: calls of every kind, one after the other without a barrier, on communicators of
// several orders. All ranks draw the same program; each knows what it must have in the end.
#include <numeric>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "ranks.hpp"
#include "seed.hpp"

namespace pleat::testing_ranks {
namespace random_test {

class random_program {
 public:
  explicit random_program(std::uint64_t seed) : draw_(seed) {
    const int rank = rank_in(MPI_COMM_WORLD);
    comms_.resize(3);
    MPI_Comm_dup(MPI_COMM_WORLD, &comms_[0]);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &comms_[1]);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 3 == 0 ? 0 : 1, rank, &comms_[2]);
  }
  random_program(const random_program&) = delete;
  random_program& operator=(const random_program&) = delete;
  ~random_program() {
    for (MPI_Comm& comm : comms_) MPI_Comm_free(&comm);
  }

  // Groups of the same communicator have different numbers of ranks, so draws are reduced to them
  // only after they were drawn.
  void step() {
    const MPI_Comm comm = comms_[below(comms_.size())];
    const auto p = static_cast<std::size_t>(size_of(comm));
    const auto rank = static_cast<std::size_t>(rank_in(comm));
    const std::size_t what = below(12);
    const std::size_t root = below(1000) % p;
    const std::size_t count = below(2) == 0 ? below(30) : below(6000);
    std::vector<int> counts(p);
    const std::size_t most = below(2) == 0 ? 3 : 900;
    std::vector<int> places(p);
    for (std::size_t r = 0; r < 17; ++r) {
      const std::size_t drawn = below(most);
      if (r < p) counts[r] = static_cast<int>(drawn);
    }
    std::exclusive_scan(counts.begin(), counts.end(), places.begin(), 0);
    const auto total = static_cast<std::size_t>(places.back() + counts.back());
    const auto own = static_cast<std::size_t>(counts[rank]);
    const auto first = static_cast<std::size_t>(places[rank]);
    const int n = static_cast<int>(count);
    const auto sum_to = [](std::size_t ranks) {
      return [ranks](std::size_t i) {
        int result = 0;
        for (std::size_t r = 0; r < ranks; ++r) result += number(static_cast<int>(r), i);
        return result;
      };
    };
    const auto sum = sum_to(p);
    const auto mine = [&](std::size_t i) { return number(static_cast<int>(rank), i); };
    if (what == 0) {
      std::vector<int> data(count);
      if (rank == root) data = made(count, mine);
      MPI_Bcast(data.data(), n, MPI_INT, static_cast<int>(root), comm);
      EXPECT_EQ(data,
                made(count, [&](std::size_t i) { return number(static_cast<int>(root), i); }));
    } else if (what == 1) {
      std::vector<int> all(total);
      std::vector<int> expected(total);
      for (std::size_t r = 0; r < p; ++r) {
        for (std::size_t i = 0; i < static_cast<std::size_t>(counts[r]); ++i) {
          expected[static_cast<std::size_t>(places[r]) + i] = number(static_cast<int>(r), i);
        }
      }
      MPI_Allgatherv(made(own, mine).data(), counts[rank], MPI_INT, all.data(), counts.data(),
                     places.data(), MPI_INT, comm);
      EXPECT_EQ(all, expected);
    } else if (what == 2) {
      std::vector<int> all(p * 5);
      MPI_Allgather(made(5, mine).data(), 5, MPI_INT, all.data(), 5, MPI_INT, comm);
      EXPECT_EQ(all,
                made(p * 5, [&](std::size_t i) { return number(static_cast<int>(i / 5), i % 5); }));
    } else if (what == 3) {
      std::vector<int> out(count);
      MPI_Allreduce(made(count, mine).data(), out.data(), n, MPI_INT, MPI_SUM, comm);
      EXPECT_EQ(out, made(count, sum));
    } else if (what == 4) {
      std::vector<int> out(count);
      MPI_Reduce(made(count, mine).data(), out.data(), n, MPI_INT, MPI_SUM, static_cast<int>(root),
                 comm);
      if (rank == root) {
        EXPECT_EQ(out, made(count, sum));
      }
    } else if (what == 5) {
      std::vector<int> out(count);
      MPI_Scan(made(count, mine).data(), out.data(), n, MPI_INT, MPI_SUM, comm);
      EXPECT_EQ(out, made(count, sum_to(rank + 1)));
    } else if (what == 6) {
      std::vector<int> out(count);
      MPI_Exscan(made(count, mine).data(), out.data(), n, MPI_INT, MPI_SUM, comm);
      EXPECT_EQ(out, made(count, sum_to(rank)));
    } else if (what == 7) {
      std::vector<int> out(p * 5);
      MPI_Alltoall(made(p * 5, mine).data(), 5, MPI_INT, out.data(), 5, MPI_INT, comm);
      EXPECT_EQ(out, made(p * 5, [&](std::size_t i) {
                  return number(static_cast<int>(i / 5), rank * 5 + i % 5);
                }));
    } else if (what == 8) {
      if (total == 0) return;       // MPICH takes two buffers at no address for one
      std::vector<int> numbers(p);  // of the pair: the same in both directions
      std::vector<int> before(p);
      for (std::size_t r = 0; r < p; ++r) numbers[r] = counts[(rank + r) % p];
      std::exclusive_scan(numbers.begin(), numbers.end(), before.begin(), 0);
      std::vector<int> out(total);
      MPI_Alltoallv(made(total, mine).data(), numbers.data(), before.data(), MPI_INT, out.data(),
                    numbers.data(), before.data(), MPI_INT, comm);
      std::vector<int> expected;
      for (std::size_t r = 0; r < p; ++r) {
        std::size_t at = 0;  // of the block for this rank
        for (std::size_t to = 0; to < rank; ++to)
          at += static_cast<std::size_t>(counts[(r + to) % p]);
        for (std::size_t i = 0; i < static_cast<std::size_t>(numbers[r]); ++i) {
          expected.push_back(number(static_cast<int>(r), at + i));
        }
      }
      EXPECT_EQ(out, expected);
    } else if (what == 9) {
      std::vector<int> all(total);
      MPI_Gatherv(made(own, mine).data(), counts[rank], MPI_INT, all.data(), counts.data(),
                  places.data(), MPI_INT, static_cast<int>(root), comm);
      std::vector<int> expected;
      for (std::size_t r = 0; r < p; ++r) {
        for (std::size_t i = 0; i < static_cast<std::size_t>(counts[r]); ++i) {
          expected.push_back(number(static_cast<int>(r), i));
        }
      }
      if (rank == root) {
        EXPECT_EQ(all, expected);
      }
    } else if (what == 10) {
      std::vector<int> out(own);
      MPI_Scatterv(made(total, mine).data(), counts.data(), places.data(), MPI_INT, out.data(),
                   counts[rank], MPI_INT, static_cast<int>(root), comm);
      EXPECT_EQ(
          out, made(own, [&](std::size_t i) { return number(static_cast<int>(root), first + i); }));
    } else {
      std::vector<int> out(own);
      MPI_Reduce_scatter(made(total, mine).data(), out.data(), counts.data(), MPI_INT, MPI_SUM,
                         comm);
      EXPECT_EQ(out, made(own, [&](std::size_t i) { return sum(first + i); }));
    }
  }

 private:
  std::size_t below(std::size_t n) { return draw_() % n; }

  template <class Value> static std::vector<int> made(std::size_t count, const Value& value) {
    std::vector<int> data(count);
    for (std::size_t i = 0; i < count; ++i) data[i] = value(i);
    return data;
  }

  std::mt19937_64 draw_;
  std::vector<MPI_Comm> comms_;
};

TEST(random_programs, end_with_what_they_must) {
  std::uint64_t seed = 0;
  if (rank_in(MPI_COMM_WORLD) == 0) seed = ::seed();
  PMPI_Bcast(&seed, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
  random_program program(seed);
  for (int i = 0; i < 60; ++i) program.step();
}

}  // namespace random_test
}  // namespace pleat::testing_ranks
