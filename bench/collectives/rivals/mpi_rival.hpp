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
  std::filesystem::path program;   ///< mpi_main.cpp, linked with this MPI

  std::chrono::seconds start_limit{60};   ///< until all ranks have started
  std::chrono::seconds order_limit{600};  ///< until an order is carried out
};

/// Processes of an MPI that perform collective operations, one rank on each of given processors.
/// Ranks sleep between orders, so that other libraries can be measured meanwhile.
///
/// If the launcher is missing or fails, or if ranks end or do not answer in time, a call ends the
/// processes and throws an environment_error with the first line of text on their standard error.
/// Afterwards the rival can only be destroyed.
///
/// Not thread-safe.
class mpi_rival {
 public:
  /// Starts a rank on each of `pus`; a processor given twice gets two ranks. Cost: about 0.1 s.
  /// Throws: pleat::environment_error.
  mpi_rival(const mpi_launch& how, std::span<const unsigned> pus);
  /// Ends the ranks and waits for them.
  ~mpi_rival();
  mpi_rival(const mpi_rival&) = delete;
  mpi_rival& operator=(const mpi_rival&) = delete;

  /// Performs the operation once and checks every element of every rank's result.
  /// Throws: pleat::error if an element is wrong; pleat::usage_error if fault_of finds a fault.
  void verify(const collective& one);

  /// Returns the slowest rank's seconds in each of `repetitions`. Each repetition has fresh input;
  /// one more goes first and is not counted. Throws: pleat::usage_error if fault_of finds a fault,
  /// or for 0 repetitions.
  [[nodiscard]] std::vector<double> time(const collective& one, std::size_t repetitions);

  /// The launcher's process.
  [[nodiscard]] pid_t process() const noexcept { return child_->id(); }

 private:
  [[nodiscard]] std::string ask(const std::string& order);
  /// Returns the next answer, and skips other lines that the MPI prints.
  [[nodiscard]] std::string next_answer(std::chrono::seconds limit);
  /// Ends the remaining processes and throws an error that says why.
  [[noreturn]] void give_up(const std::string& why);
  [[nodiscard]] std::string first_words_of_stderr() const;

  std::string name_;
  std::size_t ranks_;
  std::chrono::seconds order_limit_;
  file_descriptor errors_;              // standard error of the processes
  std::optional<child_process> child_;  // none once it has ended
};

}  // namespace pleat::bench
