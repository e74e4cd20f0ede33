// SPDX-License-Identifier: Apache-2.0
#include "tune.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <vector>

#include <pleat/runtime/error.hpp>

#include "calls.hpp"
#include "process.hpp"
#include "settings.hpp"
#include "timing.hpp"
#include "tuned_calls.hpp"

namespace pleat::preloaded {

namespace {

#define PLEAT_CALL(name, lower) our_##name
#define PLEAT_FORM(name, lower) blocking<PMPI_##name, PMPI_I##lower>()
#define PLEAT_MORE
#define PLEAT_COUNT int
#define PLEAT_PLACE int
#include "signatures.inc"

#define PLEAT_OPERATION(name, call) our_##call,
constexpr collective_calls our_calls{PLEAT_OPERATIONS(PLEAT_OPERATION)};
#undef PLEAT_OPERATION

template <class... Values> std::string line(const char* format, Values... values) {
  std::array<char, 200> text{};
  const int length = std::snprintf(text.data(), text.size(), format, values...);
  return {text.data(), static_cast<std::size_t>(length)};
}

// Sends from every rank to the next one, and receives from the one before.
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

}  // namespace

std::string begin_tuning(MPI_Comm all, const std::string& writer) {
  const rank_message_cost cost = measured_cost(all);
  // The calls measured below are all ours, with blocks by that cost.
  begin();
  process_settings() = read_settings("all", nullptr, nullptr, nullptr);
  process_settings().cost = cost;
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
    for (unsigned k = asked.least; k <= asked.most; ++k) {
      if (what == operation::alltoallw && k > 30) break;  // places are bytes, which are int
      tuned_call call(what, std::size_t{1} << k, comm);
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
    text += name + " " + std::to_string(ranks) + intervals(sizes) + "\n";
  }
  return text;
}

}  // namespace pleat::preloaded
