// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <sched.h>

#include <pleat/runtime/error.hpp>

#include "ranked_program.hpp"
#include "tool/tool.hpp"

namespace pleat::bench {

rank_group::rank_group(MPI_Comm processes) : processes_(processes) {
  MPI_Comm_rank(processes_, &rank_);
  MPI_Comm_size(processes_, &ranks_);
}

void rank_group::each(const std::function<void()>& act) const {
  const outcome here = outcome_of(act);
  const bool failed = here.exit_code != 0;
  // The lowest rank that failed, and the lowest that did not.
  std::array<int, 2> lowest{failed ? rank_ : ranks_, failed ? ranks_ : rank_};
  MPI_Allreduce(MPI_IN_PLACE, lowest.data(), 2, MPI_INT, MPI_MIN, processes_);
  const int loser = lowest[0];
  if (loser == ranks_) return;
  const bool others_go_on = lowest[1] != ranks_;
  end_as(loser, here, others_go_on ? "rank " + std::to_string(loser) + ": " : "");
}

void rank_group::first(const std::function<void()>& act) const {
  const outcome here = is_first() ? outcome_of(act) : outcome{};
  int code = here.exit_code;
  MPI_Bcast(&code, 1, MPI_INT, 0, processes_);
  if (code != 0) end_as(0, here, "");
}

void rank_group::end_as(int loser, const outcome& here, const std::string& before) const {
  int code = here.exit_code;
  MPI_Bcast(&code, 1, MPI_INT, loser, processes_);
  const std::string why = before + text_of(loser, here.why);
  if (code == 2) throw usage_error(why);
  throw error(why);
}

std::string rank_group::text_of(int rank, std::string text) const {
  unsigned long long length = text.size();
  MPI_Bcast(&length, 1, MPI_UNSIGNED_LONG_LONG, rank, processes_);
  text.resize(length);
  MPI_Bcast(text.data(), static_cast<int>(length), MPI_CHAR, rank, processes_);
  return text;
}

unsigned long long rank_group::greatest(unsigned long long number) const {
  MPI_Allreduce(MPI_IN_PLACE, &number, 1, MPI_UNSIGNED_LONG_LONG, MPI_MAX, processes_);
  return number;
}

void wait_yielding(MPI_Request& asked) {
  int done = 0;
  MPI_Test(&asked, &done, MPI_STATUS_IGNORE);
  while (done == 0) {
    ::sched_yield();
    MPI_Test(&asked, &done, MPI_STATUS_IGNORE);
  }
}

void rank_clock::start() {
  MPI_Request all_here = MPI_REQUEST_NULL;
  MPI_Ibarrier(all_.processes(), &all_here);
  wait_yielding(all_here);
  start_ = benchmark_clock::now();
}

double rank_clock::stop() const {
  const double here = seconds_since(start_);
  double longest = here;
  MPI_Request all_told = MPI_REQUEST_NULL;
  MPI_Iallreduce(&here, &longest, 1, MPI_DOUBLE, MPI_MAX, all_.processes(), &all_told);
  wait_yielding(all_told);
  return longest;
}

}  // namespace pleat::bench
