// SPDX-License-Identifier: Apache-2.0
#include "evaluated_program.hpp"

#include <algorithm>

#include <pleat/runtime/error.hpp>

#include "joined.hpp"
#include "names.hpp"

namespace pleat::bench {

const std::vector<evaluated_program>& evaluated_programs() {
#define PLEAT_CALLED(problem) problem##_evaluations(),
  static const auto all = joined<evaluated_program>({PLEAT_EVALUATE_PROBLEMS(PLEAT_CALLED)});
#undef PLEAT_CALLED
  return all;
}

std::string evaluated_program_names() {
  return names_of(evaluated_programs(), &evaluated_program::name);
}

const evaluated_program& find_evaluated_program(std::string_view name) {
  const auto found = std::ranges::find(evaluated_programs(), name, &evaluated_program::name);
  if (found == evaluated_programs().end())
    throw usage_error("'" + std::string(name) +
                      "' is no program to evaluate; known: " + evaluated_program_names());
  return *found;
}

}  // namespace pleat::bench
