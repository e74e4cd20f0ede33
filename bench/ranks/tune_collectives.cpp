// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <string>
#include <system_error>

#include <pleat/runtime/error.hpp>

#include "ranked_program.hpp"
#include "tool/terminal.hpp"
#include "tool/words.hpp"
#include "tune.hpp"

namespace pleat::bench {
namespace {

unsigned power_of(const std::string& text, const char* option) {
  const std::size_t bytes = parse_count(text, option, 1);
  if (bytes > std::size_t{1} << 32)
    throw usage_error(std::string(option) + ": " + text + " bytes are too many; 2^32 at most");
  return static_cast<unsigned>(std::bit_width(bytes)) - 1;
}

// Communicator of the first p ranks; MPI_COMM_NULL on the others.
class first_ranks {
 public:
  first_ranks(const rank_group& all, int p) {
    MPI_Comm_split(all.processes(), all.rank() < p ? 0 : MPI_UNDEFINED, all.rank(), &comm_);
  }
  first_ranks(const first_ranks&) = delete;
  first_ranks& operator=(const first_ranks&) = delete;
  ~first_ranks() {
    if (comm_ != MPI_COMM_NULL) MPI_Comm_free(&comm_);
  }
  [[nodiscard]] MPI_Comm get() const { return comm_; }

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
};

struct tune_collectives {
  std::string writer;
  std::string least = "2^10", most = "2^22", repetitions = "11";

  void operator()(const rank_group& all) const {
    // All ranks parse the same options, so all throw the same error.
    const preloaded::tuning asked{power_of(least, "--least"), power_of(most, "--most"),
                                  static_cast<int>(std::min<std::size_t>(
                                      parse_count(repetitions, "--repetitions", 1), 10000))};
    if (asked.least > asked.most)
      throw usage_error("--least: " + least + " bytes are more than --most, " + most);
    if (all.ranks() < 2)
      throw usage_error(
          "mpi tune: there are no messages between fewer than two ranks; start more: "
          "mpirun -n 4 ...");
    print(all, preloaded::begin_tuning(all.processes(), writer));
    for (int p = 2; p <= all.ranks(); p = p == all.ranks() ? p + 1 : std::min(2 * p, all.ranks())) {
      const first_ranks measured(all, p);
      std::string rows;
      all.each([&] {
        if (measured.get() != MPI_COMM_NULL) rows = preloaded::tuned_rows(measured.get(), asked);
      });
      print(all, rows);
    }
  }

 private:
  // Prints rank 0's text.
  static void print(const rank_group& all, const std::string& text) {
    all.first([&] {
      errno = 0;
      if (std::fwrite(text.data(), 1, text.size(), stdout) == text.size() &&
          std::fflush(stdout) == 0)
        return;
      throw error("cannot write the table: " +
                  std::generic_category().message(errno == 0 ? EIO : errno));
    });
  }
};

}  // namespace

void add_tune_collectives(tool_command& command, const std::string& tool, chosen_run& chosen) {
  const auto tune = std::make_shared<tune_collectives>();
  tune->writer = tool + " mpi tune";
  auto program = command.add_subcommand(
      "tune",
      "Time collective operations beside the MPI's, and print a table for the library that "
      "is preloaded into MPI programs");
  program.add_option("--least", tune->least, "The fewest bytes that are timed", "N");
  program.add_option("--most", tune->most, "The most bytes; powers of two between them", "N");
  program.add_option("--repetitions", tune->repetitions,
                     "How often each is timed; the median counts", "N");
  program.footer(
      "With 2, 4, 8 ... and all ranks. PLEAT_MPI_TABLE names the table to the library:\n"
      "  mpirun -n 16 " +
      tool + " mpi tune > table");
  program.callback([tune, &chosen] { chosen = *tune; });
}

}  // namespace pleat::bench
