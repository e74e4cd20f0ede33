// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

namespace pleat::bench {

/// Exception that ends the tool with that exit code; everything there is to say has been said.
struct finished {
  int exit_code;
};

/// Outcome of a command: 0 done, 1 failed, 2 misused; and what is wrong, empty if all has been
/// said.
struct outcome {
  int exit_code = 0;
  std::string why;
};

/// Carries a command out: what it throws becomes its outcome.
[[nodiscard]] outcome outcome_of(const std::function<void()>& command);

/// One line on stderr that says what is wrong, if there is something to say.
void complain(const outcome& end);

}  // namespace pleat::bench
