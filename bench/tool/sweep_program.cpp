// SPDX-License-Identifier: Apache-2.0
#include "sweep_program.hpp"

#include <algorithm>

#include <pleat/runtime/error.hpp>

#include "words.hpp"

namespace pleat::bench {

const std::vector<sweep_program>& sweep_programs() {
#define PLEAT_CALLED(problem) problem##_sweeps(),
  static const auto all = joined<sweep_program>({PLEAT_SWEEP_PROBLEMS(PLEAT_CALLED)});
#undef PLEAT_CALLED
  return all;
}

const sweep_program& find_sweep_program(std::string_view name) {
  const auto found = std::ranges::find(sweep_programs(), name, &sweep_program::name);
  if (found == sweep_programs().end())
    throw usage_error("--programs: '" + std::string(name) + "' is no program; known: " +
                      names_of(sweep_programs(), &sweep_program::name));
  return *found;
}

swept_operation operation_of(const sweep_case& at) {
  if (at.command)
    return {"a run of " + *at.command, at.n == 0 ? "runs" : "n",
            at.n == 0 ? 1 : static_cast<double>(at.n)};
  const sweep_program& program = find_sweep_program(at.program);
  return {std::string(program.operation), std::string(program.step), program.steps(at.n)};
}

}  // namespace pleat::bench
