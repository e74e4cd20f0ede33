// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pleat::bench {

/// Options of a benchmark that the user may choose; unset means the benchmark's own default.
struct benchmark_options {
  std::optional<std::size_t> n;
  std::optional<std::size_t> repetitions;
  std::vector<std::string> rivals;      ///< only these; empty: all but those that take very long
  std::vector<std::string> operations;  ///< of collectives only these; empty: all
  std::string type;                     ///< of the elements; empty: the benchmark's own default
  std::string shape;                    ///< of matrices; empty: the benchmark's own default
  std::string distribution = "random";
  std::uint64_t seed = 1;

  [[nodiscard]] std::string type_or(std::string_view usual) const {
    return type.empty() ? std::string(usual) : type;
  }

  /// Tells whether a rival takes part: asked for, or no rival was and it does by default.
  [[nodiscard]] bool wants(std::string_view rival, bool by_default = true) const {
    return rivals.empty() ? by_default : std::ranges::find(rivals, rival) != rivals.end();
  }
};

}  // namespace pleat::bench
