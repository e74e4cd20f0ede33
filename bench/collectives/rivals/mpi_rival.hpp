// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <sys/types.h>
#include <vector>

#include "collectives/collective.hpp"
#include "measure/child_process.hpp"

namespace pleat::bench {

/// Command that starts ranks of one MPI.
struct mpi_launch {
  enum class kind { openmpi, mpich };

  kind what = kind::openmpi;
  std::filesystem::path launcher;  ///< its mpirun or mpiexec
  std::filesystem::path program;   ///< mpi_main.cpp, linked with it

  std::chrono::seconds start_limit{60};   ///< for all ranks to be there
  std::chrono::seconds order_limit{600};  ///< for one order to be carried out
};

/// Ranks of an MPI that perform collective operations, one on each of some processors, in processes
/// of their own. Between orders they sleep: others can be measured meanwhile.
///
/// Every failure throws once the processes are gone: a launcher that is not there or gives up,
/// ranks that end or do not answer in time. The message has the launcher's own words. Afterwards
/// the rival can only be destroyed.
///
/// Not thread-safe.
class mpi_rival {
 public:
  /// Starts a rank on each of `pus`, a processor given twice has two. Cost: some 0.1 s.
  /// Throws: pleat::environment_error.
  mpi_rival(const mpi_launch& how, std::span<const unsigned> pus);
  /// Ends the ranks and waits for them.
  ~mpi_rival();
  mpi_rival(const mpi_rival&) = delete;
  mpi_rival& operator=(const mpi_rival&) = delete;

  /// Performs it once and checks every element of every rank's result.
  /// Throws: pleat::error if one is wrong; pleat::usage_error if there is a fault (fault_of).
  void verify(const collective& one);

  /// Seconds of each of `repetitions` on fresh input, after one that is not kept; of the rank that
  /// took longest. Throws: pleat::usage_error if there is a fault, or no
  /// repetition.
  [[nodiscard]] std::vector<double> time(const collective& one, std::size_t repetitions);

  /// The launcher's process.
  [[nodiscard]] pid_t process() const noexcept { return child_->id(); }

 private:
  [[nodiscard]] std::string ask(const std::string& order);
  /// The next line that is an answer.
  [[nodiscard]] std::string next_answer(std::chrono::seconds limit);
  /// Ends what is left of the processes and throws, with why.
  [[noreturn]] void give_up(const std::string& why);
  [[nodiscard]] std::string first_words_of_stderr() const;

  std::string name_;
  std::size_t ranks_;
  std::chrono::seconds order_limit_;
  file_descriptor errors_;              // memory
  std::optional<child_process> child_;  // none once it has ended
};

}  // namespace pleat::bench
