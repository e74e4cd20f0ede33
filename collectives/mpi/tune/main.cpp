// SPDX-License-Identifier: Apache-2.0
//
// pleat-mpi-tune-openmpi, pleat-mpi-tune-mpich: writes a table for PLEAT_MPI_TABLE.
//
//     mpirun -n 64 pleat-mpi-tune-openmpi [MOST [LEAST [REPETITIONS]]] > table
//
// Times every operation for 2, 4, 8 … and all ranks and for powers of two of bytes from LEAST
// (2^10) to MOST (2^22), in turns by the MPI's own algorithm and by ours, whose blocks follow from
// the message cost it measures first. Sizes that are not measured are the MPI's.
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "settings.hpp"
#include "timing.hpp"
#include "tuned_calls.hpp"

namespace pleat::preloaded {
namespace {

struct request {
  unsigned least = 10;  // powers of two of bytes
  unsigned most = 22;
  int repetitions = 11;
};

// N or 2^K, as the power of two that is not above it.
bool read_power(const char* text, unsigned& power) {
  const char* const end = text + std::strlen(text);
  const bool as_power = std::strncmp(text, "2^", 2) == 0;
  std::uint64_t number = 0;
  const auto [at, error] = std::from_chars(text + (as_power ? 2 : 0), end, number);
  if (error != std::errc{} || at != end || number == 0) return false;
  power = as_power ? static_cast<unsigned>(number)
                   : static_cast<unsigned>(std::log2(static_cast<double>(number)));
  return power <= 32;
}

bool read_request(int words, char** word, request& into) {
  if (words > 4) return false;
  if (words > 1 && !read_power(word[1], into.most)) return false;
  if (words > 2 && !read_power(word[2], into.least)) return false;
  if (words > 3) into.repetitions = std::atoi(word[3]);
  return into.repetitions > 0 && into.least <= into.most;
}

// Every rank sends to the next one and receives from the one before.
double shift_s(MPI_Comm comm, std::size_t bytes, int repetitions) {
  int rank = 0;
  int ranks = 0;
  PMPI_Comm_rank(comm, &rank);
  PMPI_Comm_size(comm, &ranks);
  std::vector<char> out(bytes, 'x');
  std::vector<char> in(bytes, 'y');
  return slowest_rank_s_median(comm, repetitions, [&] {
    PMPI_Sendrecv(out.data(), static_cast<int>(bytes), MPI_BYTE, (rank + 1) % ranks, 0, in.data(),
                  static_cast<int>(bytes), MPI_BYTE, (rank + ranks - 1) % ranks, 0, comm,
                  MPI_STATUS_IGNORE);
  });
}

rank_message_cost measured_cost(MPI_Comm comm) {
  constexpr std::size_t large = std::size_t{1} << 20;
  const double small_s = shift_s(comm, 8, 101);
  const double large_s = shift_s(comm, large, 21);
  std::vector<double> a(large / sizeof(double), 1.0);
  std::vector<double> b = a;
  const double combining_s = slowest_rank_s_median(comm, 21, [&] {
    PMPI_Reduce_local(a.data(), b.data(), static_cast<int>(a.size()), MPI_DOUBLE, MPI_SUM);
  });
  constexpr double least = 1e-13;  // clocks are coarse
  return {std::max(small_s, 1e-9), std::max((large_s - small_s) / large, least),
          std::max(combining_s / large, least)};
}

std::string intervals(std::uint64_t sizes) {
  std::string text;
  for (unsigned k = 0; k < 64; ++k) {
    if ((sizes >> k & 1U) == 0) continue;
    unsigned last = k;
    while (last < 63 && (sizes >> (last + 1) & 1U) != 0) ++last;
    text += " 2^" + std::to_string(k) + "-2^" + std::to_string(last);
    k = last;
  }
  return text;
}

/// Ends the run if a result is wrong, and says which.
void tune(MPI_Comm comm, const request& asked, bool speaks) {
  int ranks = 0;
  PMPI_Comm_size(comm, &ranks);
  for (std::size_t i = 0; i < operations; ++i) {
    const auto what = static_cast<operation>(i);
    const std::string name(operation_names[i]);
    std::uint64_t sizes = 0;
    for (unsigned k = asked.least; k <= asked.most; ++k) {
      tuned_call call(what, std::size_t{1} << k, comm);
      if (!call.agree()) {
        if (speaks) std::fprintf(stderr, "pleat: %s of 2^%u bytes is wrong\n", name.c_str(), k);
        MPI_Abort(MPI_COMM_WORLD, 1);
      }
      const double own_s =
          slowest_rank_s_median(comm, asked.repetitions, [&] { call.mpi_s_own(); });
      const double ours_s = slowest_rank_s_median(comm, asked.repetitions, [&] { call.ours(); });
      if (ours_s < own_s) sizes |= std::uint64_t{1} << k;
      if (speaks) {
        std::printf("# %-20s %4d ranks  2^%-2u bytes  ours %9.2f us  own %9.2f us  ratio %.2f\n",
                    name.c_str(), ranks, k, ours_s * 1e6, own_s * 1e6, own_s / ours_s);
      }
    }
    if (speaks) std::printf("%s %d%s\n", name.c_str(), ranks, intervals(sizes).c_str());
    if (speaks) std::fflush(stdout);
  }
}

int run(const request& asked) {
  int rank = 0;
  int ranks = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (ranks < 2) {
    std::fprintf(stderr,
                 "pleat: there is nothing to tune for one rank; start more: mpirun -n 4 …\n");
    return 2;
  }
  const rank_message_cost cost = measured_cost(MPI_COMM_WORLD);
  // The calls measured below are all ours, with blocks by that cost.
  process_settings() = read_settings("all", nullptr, nullptr);
  process_settings().cost = cost;
  if (rank == 0) {
    std::printf(
        "# written by pleat-mpi-tune for PLEAT_MPI_TABLE\n"
        "# cost: seconds a message, a byte, a combined byte\n"
        "cost %.3g %.3g %.3g\n",
        cost.start, cost.per_byte, cost.combining);
  }
  for (int p = 2; p <= ranks; p = p == ranks ? p + 1 : std::min(2 * p, ranks)) {
    MPI_Comm comm = MPI_COMM_NULL;
    PMPI_Comm_split(MPI_COMM_WORLD, rank < p ? 0 : MPI_UNDEFINED, rank, &comm);
    if (comm == MPI_COMM_NULL) continue;
    tune(comm, asked, rank == 0);
    PMPI_Comm_free(&comm);
  }
  return 0;
}

}  // namespace
}  // namespace pleat::preloaded

int main(int argc, char** argv) {
  using namespace pleat::preloaded;
  MPI_Init(&argc, &argv);
  request asked;
  int status = 2;
  if (read_request(argc, argv, asked)) {
    status = run(asked);
  } else {
    int rank = 0;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
      std::fprintf(stderr,
                   "pleat: cannot use these arguments; usage: mpirun -n RANKS %s "
                   "[MOST [LEAST [REPETITIONS]]] > table, bytes such as 2^22\n",
                   argv[0]);
    }
  }
  MPI_Finalize();
  return status;
}
