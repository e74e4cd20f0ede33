// SPDX-License-Identifier: Apache-2.0
#include "tune.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <vector>

#include <pleat/runtime/error.hpp>

#include "calls/calls.hpp"
#include "communicator/process.hpp"
#include "settings/settings.hpp"
#include "tuned_calls.hpp"

namespace pleat::preloaded {

namespace {

#define PLEAT_OURS(name, NAME, Name, ours, n, more, most) \
  PLEAT_BLOCKING(our_MPI_##Name, PMPI_##Name, ours, n)
PLEAT_CALLS(PLEAT_OURS)
PLEAT_CALL_ALLTOALLW(PLEAT_OURS)
#undef PLEAT_OURS

#define PLEAT_OPERATION(name, call) our_MPI_##call,
constexpr collective_calls our_calls{PLEAT_OPERATIONS(PLEAT_OPERATION)};
#undef PLEAT_OPERATION

/// The median over `repetitions` of the time of the slowest rank, seconds, the same on all ranks.
/// A repetition that is not kept goes first.
template <class Work>
double slowest_rank_s_median(MPI_Comm comm, int repetitions, const Work& work) {
  std::vector<double> times;
  for (int i = 0; i <= repetitions; ++i) {
    PMPI_Barrier(comm);
    const double start = PMPI_Wtime();
    work();
    const double own = PMPI_Wtime() - start;
    double slowest = 0;
    PMPI_Allreduce(&own, &slowest, 1, MPI_DOUBLE, MPI_MAX, comm);
    if (i > 0) times.push_back(slowest);
  }
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::nth_element(times.begin(), middle, times.end());
  return *middle;
}

template <class... Values> std::string line(const char* format, Values... values) {
  std::array<char, 200> text{};
  const int length = std::snprintf(text.data(), text.size(), format, values...);
  return {text.data(), static_cast<std::size_t>(length)};
}

// Sends from every rank to the next one, and receives from the one before.
double shift_s(MPI_Comm comm, std::size_t bytes, int repetitions) {
  int rank = 0, ranks = 0;
  PMPI_Comm_rank(comm, &rank);
  PMPI_Comm_size(comm, &ranks);
  std::vector<char> out(bytes, 'x'), in(bytes, 'y');
  return slowest_rank_s_median(comm, repetitions, [&] {
    PMPI_Sendrecv(out.data(), static_cast<int>(bytes), MPI_BYTE, (rank + 1) % ranks, 0, in.data(),
                  static_cast<int>(bytes), MPI_BYTE, (rank + ranks - 1) % ranks, 0, comm,
                  MPI_STATUS_IGNORE);
  });
}

rank_message_cost measured_cost(MPI_Comm comm) {
  constexpr std::size_t large = std::size_t{1} << 20;
  const double small_s = shift_s(comm, 8, 101), large_s = shift_s(comm, large, 21);
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

/// Communicator of the same ranks, which takes the process's settings anew.
class with_settings {
 public:
  with_settings(MPI_Comm comm, const pipelining& how) {
    process_settings().how = how;
    PMPI_Comm_dup(comm, &comm_);
    communicator::made(comm_);
  }
  with_settings(const with_settings&) = delete;
  with_settings& operator=(const with_settings&) = delete;
  ~with_settings() { PMPI_Comm_free(&comm_); }
  [[nodiscard]] MPI_Comm get() const { return comm_; }

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
};

/// Logarithm of the most bytes of a call.
unsigned largest(operation what) {
  return what == operation::alltoallw ? 30 : 63;  // places are bytes, which are int
}

/// Times an operation of ours with several windows, then with several numbers of blocks, and
/// returns what takes the least time. Of three sizes, the greatest of those asked for that are
/// fourfold apart, the logarithms of the times count.
pipelining fastest_pipelining(MPI_Comm comm, operation what, const tuning& asked) {
  const unsigned most = std::min(asked.most, largest(what));
  const auto log_time = [&](const pipelining& how) {
    const with_settings changed(comm, how);
    double sum = 0;
    for (unsigned below = 0; below <= 4 && asked.least + below <= most; below += 2) {
      tuned_call call(what, std::size_t{1} << (most - below), changed.get());
      sum += std::log(
          slowest_rank_s_median(comm, asked.repetitions, [&] { call.perform(our_calls); }));
    }
    return sum;
  };
  pipelining best;
  double least = log_time(best) - 0.1;  // what is not some per cent faster is no reason for a row
  const auto attempt = [&](const pipelining& how) {
    const double time = log_time(how);
    if (time >= least) return;
    least = time;
    best = how;
  };
  for (const std::uint64_t window : {1, 2, 4, 8, 16, 24}) attempt({window, best.blocks});
  if (in_blocks(what)) {
    for (const double blocks : {0.25, 0.5, 2.0, 4.0}) attempt({best.window, blocks});
  }
  return best;
}

std::string words(const pipelining& how) {
  std::string text;
  if (how.window != 0) text += line(" window %llu", static_cast<unsigned long long>(how.window));
  if (how.blocks != 1) text += line(" blocks %g", how.blocks);
  return text;
}

}  // namespace

std::string begin_tuning(MPI_Comm all, const std::string& writer) {
  const rank_message_cost cost = measured_cost(all);
  // The calls measured below are all ours, with blocks by that cost.
  process_settings() = read_settings({.collectives = "all"});
  process_settings().cost = cost;
  begin();
  return "# written by " + writer +
         " for PLEAT_MPI_TABLE\n"
         "# cost: seconds a message, a byte, a combined byte\n" +
         line("cost %.3g %.3g %.3g\n", cost.start, cost.per_byte, cost.combining);
}

std::string tuned_rows(MPI_Comm comm, const tuning& asked) {
  int ranks = 0;
  PMPI_Comm_size(comm, &ranks);
  std::string text;
  for (std::size_t i = 0; i < operations; ++i) {
    const auto what = static_cast<operation>(i);
    const std::string name(operation_names[i]);
    std::uint64_t sizes = 0;
    double gain = 0;  // in all
    const pipelining how =
        in_blocks(what) || exchanges(what) ? fastest_pipelining(comm, what, asked) : pipelining();
    const with_settings timed(comm, how);
    for (unsigned k = asked.least; k <= std::min(asked.most, largest(what)); ++k) {
      tuned_call call(what, std::size_t{1} << k, timed.get());
      if (!call.agree(calls_of_the_mpi, our_calls))
        throw error(name + " of 2^" + std::to_string(k) +
                    " bytes is not what the MPI's own algorithm makes: please report this");
      const double own_s =
          slowest_rank_s_median(comm, asked.repetitions, [&] { call.perform(calls_of_the_mpi); });
      const double ours_s =
          slowest_rank_s_median(comm, asked.repetitions, [&] { call.perform(our_calls); });
      if (ours_s < own_s) sizes |= std::uint64_t{1} << k;
      gain += std::log(own_s / ours_s);
      text += line("# %-20s %4d ranks  2^%-2u bytes  ours %9.2f us  own %9.2f us  ratio %.2f\n",
                   name.c_str(), ranks, k, ours_s * 1e6, own_s * 1e6, own_s / ours_s);
    }
    if (sized_by_root(what)) sizes = gain > 0 ? ~std::uint64_t{0} : 0;
    text += name + " " + std::to_string(ranks) + intervals(sizes) + words(how) + "\n";
  }
  return text;
}

}  // namespace pleat::preloaded
