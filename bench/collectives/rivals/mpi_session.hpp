// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mpi_rival.hpp"

namespace pleat::bench {

/// One of the MPIs for as long as a benchmark takes: there, or lost with a reason.
class mpi_session {
 public:
  /// Starts `rival` ("openmpi", "mpich"), which this build must have. If that fails it is lost.
  mpi_session(std::string_view rival, std::span<const unsigned> pus);

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  /// Why it is not there any more, or never was; empty if it is there.
  [[nodiscard]] const std::string& lost() const noexcept { return lost_; }

  /// Verifies and times as mpi_rival does. After pleat::environment_error it is lost.
  void verify(const collective& one);
  [[nodiscard]] std::vector<double> time(const collective& one, std::size_t repetitions);

 private:
  template <class Attempt> auto attempt(const Attempt& what);

  std::string name_;
  std::unique_ptr<mpi_rival> rival_;
  std::string lost_;
};

}  // namespace pleat::bench
