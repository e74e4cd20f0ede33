// SPDX-License-Identifier: Apache-2.0
//
// pleat-rival-openmpi, pleat-rival-mpich: one source, linked with either MPI. Performs collective
// operations for `pleat compare`, which starts it through the MPI's launcher (mpi_rival.hpp):
//
//     LAUNCHER … -n P pleat-rival-… PU…                rank r runs on the r-th PU
//
// Rank 0 reads orders from standard input and answers each with one line on standard output:
//
//     verify OPERATION BYTES SPREAD                →  pleat verified | pleat wrong REASON
//     time OPERATION BYTES SPREAD REPETITIONS      →  pleat times SECONDS…
//     (end of the input)                           →  all ranks end
//
// The first line is `pleat ready`. `pleat refused REASON` answers an order that the ranks cannot
// perform. BYTES are those of collective.hpp. In a repetition each rank fills its input, waits at a
// barrier, and times its own operation; the slowest rank's time counts. One repetition that is not
// kept goes first. Between orders all ranks sleep in the kernel.

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <limits>
#include <malloc.h>
#include <mpi.h>
#include <optional>
#include <set>
#include <span>
#include <sstream>
#include <string>
#include <sys/prctl.h>
#include <vector>

#include <pleat/runtime/error.hpp>

#include "collectives/collective.hpp"
#include "control_block.hpp"
#include "host/binding.hpp"
#include "measure/big_block.hpp"
#include "measure/clock.hpp"

namespace pleat::bench {
namespace {

// Allocates at least 8 bytes, because MPI takes no null pointer as a buffer.
big_block block_for(std::size_t bytes) { return big_block(std::max<std::size_t>(bytes, 8)); }

/// Arguments and buffers of this rank for a collective operation on MPI_COMM_WORLD, which the MPI
/// function of that name performs. Every rank makes one and calls the same members in one order.
class mpi_collective {
 public:
  explicit mpi_collective(const collective_share& mine)
      : mine_(mine),
        input_(block_for(mine.input_bytes())),
        result_(block_for(mine.result_bytes())) {
    int before = 0;
    for (const std::size_t count : counts_of(mine.one, mine.ranks)) {
      counts_.push_back(static_cast<int>(count));
      begins_.push_back(before);
      before += counts_.back();
    }
  }

  /// Fills the input, which depends on the seed. Not timed.
  void prepare(std::uint64_t seed) const { mine_.fill_input(input(), seed); }
  /// Performs the operation. MPI ends the program if it fails.
  void perform() const {
    const MPI_Comm all = MPI_COMM_WORLD;
    const MPI_Datatype type = combines(mine_.one.what) ? MPI_DOUBLE : MPI_BYTE;
    const int total = begins_.back() + counts_.back(), share = counts_[mine_.rank];
    void* const in = input_.bytes().data();
    void* const out = result_.bytes().data();
    switch (mine_.one.what) {
      case operation::broadcast:
        MPI_Bcast(mine_.rank == 0 ? in : out, total, type, 0, all);
        break;
      case operation::scatter:
        MPI_Scatter(in, share, type, out, share, type, 0, all);
        break;
      case operation::gather:
        MPI_Gather(in, share, type, out, share, type, 0, all);
        break;
      case operation::all_gather:
        MPI_Allgather(in, share, type, out, share, type, all);
        break;
      case operation::all_gather_v:
        MPI_Allgatherv(in, share, type, out, counts_.data(), begins_.data(), type, all);
        break;
      case operation::all_to_all:
        MPI_Alltoall(in, share, type, out, share, type, all);
        break;
      case operation::reduce:
        MPI_Reduce(in, out, total, type, MPI_SUM, 0, all);
        break;
      case operation::reduce_scatter:
        MPI_Reduce_scatter_block(in, out, share, type, MPI_SUM, all);
        break;
      case operation::reduce_scatter_v:
        MPI_Reduce_scatter(in, out, counts_.data(), type, MPI_SUM, all);
        break;
      case operation::all_reduce:
        MPI_Allreduce(in, out, total, type, MPI_SUM, all);
        break;
      case operation::scan:
        MPI_Scan(in, out, total, type, MPI_SUM, all);
        break;
    }
  }
  /// Overwrites the result with wrong values, performs the operation and checks every element.
  /// Returns the first error found.
  [[nodiscard]] std::optional<std::string> verify(std::uint64_t seed) const {
    prepare(seed);
    mine_.spoil(result());
    perform();
    return mine_.first_wrong(result(), seed);
  }

 private:
  [[nodiscard]] std::span<std::byte> input() const {
    return input_.bytes().first(mine_.input_bytes());
  }
  [[nodiscard]] std::span<std::byte> result() const {
    return result_.bytes().first(mine_.result_bytes());
  }

  collective_share mine_;
  big_block input_, result_;
  std::vector<int> counts_, begins_;
};

void answer(const std::string& line) { std::cout << "pleat " << line << std::endl; }

// Binds the rank before MPI allocates anything, so that its memory lies where the rank runs.
void pin_by_launcher_s_rank(const std::vector<unsigned>& pus) {
  for (const char* variable : {"OMPI_COMM_WORLD_RANK", "PMI_RANK"}) {
    const char* const text = std::getenv(variable);
    if (text == nullptr) continue;
    const auto rank = static_cast<std::size_t>(std::strtoul(text, nullptr, 10));
    if (rank < pus.size()) detail::affinity::only(pus[rank]).apply();
    return;
  }
}

// Reads an order from a line, without the seed. Returns what is wrong with the line, if anything.
std::optional<std::string> read_order(const std::string& line, std::size_t ranks,
                                      mpi_order& order) {
  std::istringstream words(line);
  std::string verb, what, how;
  words >> verb >> what >> order.one.bytes >> how;
  const auto known = operation_named(what);
  const auto shape = spread_named(how);
  if (verb != "verify" && verb != "time") return "unknown order '" + verb + "'";
  if (words.fail() || !known || !shape) return "no collective in '" + line + "'";
  order.what = verb == "time" ? mpi_order::kind::time : mpi_order::kind::verify;
  order.one.what = *known;
  order.one.how = *shape;
  if (order.what == mpi_order::kind::time) {
    words >> order.repetitions;
    if (words.fail() || order.repetitions == 0) return "no repetitions in '" + line + "'";
  }
  return fault_of(order.one, ranks);
}

// Makes glibc keep freed memory. MPIs allocate temporary vectors in each call; if glibc returned
// them to the kernel, the next call would fault in their pages again. A reduction of 2 MiB then
// takes up to ten times as long, which is not what is to be measured.
void keep_freed_memory() {
  ::mallopt(M_MMAP_MAX, 0);
  ::mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
  ::mallopt(M_TOP_PAD, 64 << 20);
}

class rank_process {
 public:
  rank_process(control_block control, std::size_t ranks, std::size_t rank)
      : control_(control), ranks_(ranks), rank_(rank) {}

  void lead() {
    answer("ready");
    std::uint64_t seed = 0;
    for (std::string line; std::getline(std::cin, line);) {
      mpi_order order;
      if (const auto fault = read_order(line, ranks_, order)) {
        answer("refused " + *fault);
        continue;
      }
      order.seed = seed;
      seed += order.repetitions + 1;
      control_.post(order);
      answer(carry_out(order));
    }
    control_.post({.what = mpi_order::kind::end, .one = {}, .repetitions = 0, .seed = 0});
  }

  void follow() {
    for (;;) {
      const mpi_order order = control_.next();
      if (order.what == mpi_order::kind::end) return;
      carry_out(order);
    }
  }

 private:
  // Returns the answer of rank 0.
  std::string carry_out(const mpi_order& order) {
    // Orders for the same operation use the same memory, as a program would.
    if (!part_ || order.one != last_) part_.emplace(collective_share{order.one, ranks_, rank_});
    last_ = order.one;
    const mpi_collective& part = *part_;
    if (order.what == mpi_order::kind::verify) {
      control_.tell_fault(part.verify(order.seed).value_or(""));
      control_.barrier();
      const std::string fault(control_.fault());
      control_.barrier();
      return fault.empty() ? "verified" : "wrong " + fault;
    }
    std::ostringstream times;
    times.precision(9);
    times << "times";
    for (std::uint32_t repetition = 0; repetition <= order.repetitions; ++repetition) {
      part.prepare(order.seed + repetition);
      control_.barrier();
      const auto start = benchmark_clock::now();
      part.perform();
      control_.tell_seconds(seconds_since(start));
      control_.barrier();
      if (repetition > 0 && rank_ == 0) times << ' ' << control_.slowest();
      control_.barrier();
    }
    return times.str();
  }

  control_block control_;
  std::size_t ranks_, rank_;
  collective last_;
  std::optional<mpi_collective> part_;
};

void take_part(const std::vector<unsigned>& pus) {
  int ranks = 0, rank = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (static_cast<std::size_t>(ranks) != pus.size())
    throw environment_error(std::to_string(ranks) + " ranks were started for " +
                            std::to_string(pus.size()) + " processors");
  const auto size = static_cast<std::size_t>(ranks);
  detail::affinity::only(pus[static_cast<std::size_t>(rank)]).apply();

  constexpr std::size_t alignment = 128;
  void* memory = nullptr;
  MPI_Win window{};
  const std::size_t bytes = control_block::bytes_for(size) + alignment;
  MPI_Win_allocate_shared(rank == 0 ? static_cast<MPI_Aint>(bytes) : 0, 1, MPI_INFO_NULL,
                          MPI_COMM_WORLD, static_cast<void*>(&memory), &window);
  MPI_Aint found = 0;
  int unit = 0;
  MPI_Win_shared_query(window, 0, &found, &unit, static_cast<void*>(&memory));
  std::span<std::byte> shared(static_cast<std::byte*>(memory), bytes);
  if (rank == 0) std::ranges::fill(shared, std::byte{0});
  // The offset in a page is the same on all ranks, wherever each has mapped the window.
  const auto misplaced = reinterpret_cast<std::uintptr_t>(memory) % alignment;
  MPI_Barrier(MPI_COMM_WORLD);

  const bool crowded = std::set<unsigned>(pus.begin(), pus.end()).size() < pus.size();
  rank_process process({shared.subspan((alignment - misplaced) % alignment), size,
                        static_cast<std::size_t>(rank), crowded},
                       size, static_cast<std::size_t>(rank));
  if (rank == 0)
    process.lead();
  else
    process.follow();
  MPI_Win_free(&window);
}

int main(int argc, char** argv) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // no rank outlives its launcher
  std::vector<unsigned> pus;
  for (int i = 1; i < argc; ++i)
    pus.push_back(static_cast<unsigned>(std::strtoul(argv[i], nullptr, 10)));
  try {
    pin_by_launcher_s_rank(pus);
    keep_freed_memory();
    MPI_Init(&argc, &argv);
    take_part(pus);
    return MPI_Finalize() == MPI_SUCCESS ? 0 : 1;
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "pleat: %s\n", failure.what());
    int started = 0;
    MPI_Initialized(&started);
    if (started != 0) MPI_Abort(MPI_COMM_WORLD, 1);
    return 1;
  }
}

}  // namespace
}  // namespace pleat::bench

int main(int argc, char** argv) { return pleat::bench::main(argc, argv); }
