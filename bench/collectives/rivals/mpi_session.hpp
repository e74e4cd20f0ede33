// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mpi_rival.hpp"

namespace pleat::bench {

/// Processes of one MPI during a benchmark. If they fail to start or fail later, the session is
/// lost for good, and lost() has the reason.
class mpi_session {
 public:
  /// Starts `rival`, "openmpi" or "mpich". If that fails, the session is lost. Requires: this build
  /// has that rival.
  mpi_session(std::string_view rival, std::span<const unsigned> pus);

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  /// Reason why the session is lost; empty if it is not.
  [[nodiscard]] const std::string& lost() const noexcept { return lost_; }

  /// Verifies as mpi_rival does; `time` times as mpi_rival does. If either throws
  /// pleat::environment_error, the session is lost.
  void verify(const collective& one);
  [[nodiscard]] std::vector<double> time(const collective& one, std::size_t repetitions);

 private:
  template <class Attempt> auto attempt(const Attempt& what);

  std::string name_;
  std::unique_ptr<mpi_rival> rival_;
  std::string lost_;
};

}  // namespace pleat::bench
