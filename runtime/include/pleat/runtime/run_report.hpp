// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace pleat {

/// Where one processor of a run really was: read back from the kernel after binding.
struct binding {
  unsigned processor = 0;         ///< of the machine, 0 … p − 1
  unsigned pu = 0;                ///< asked for: index of the operating system
  std::vector<unsigned> allowed;  ///< the PUs the kernel says the thread may run on

  [[nodiscard]] bool bound() const noexcept { return allowed.size() == 1 && allowed[0] == pu; }
};

/// What a run did.
struct run_report {
  std::size_t vps = 0;                    ///< v
  unsigned processors = 0;                ///< that carried out VPs: min(v, the machine's)
  double seconds = 0;                     ///< from the call to the return, creation of VPs included
  std::vector<std::uint64_t> supersteps;  ///< [label]: i-supersteps of the clusters of VP 0
  std::uint64_t messages = 0;             ///< delivered, a span of m elements as one
  std::uint64_t bytes = 0;                ///< delivered by copy; lent memory is not counted
  std::vector<binding> bindings;          ///< one a processor that took part
};

}  // namespace pleat
