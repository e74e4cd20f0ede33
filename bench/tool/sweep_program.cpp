// SPDX-License-Identifier: Apache-2.0
#include "sweep_program.hpp"

#include <algorithm>

#include <pleat/runtime/error.hpp>

#include "joined.hpp"
#include "names.hpp"

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

std::string type_of_elements(const sweep_program& program, const std::string& chosen) {
  const auto known = names_in(program.types);
  if (chosen.empty()) return known.front();
  if (std::ranges::find(known, chosen) == known.end())
    throw usage_error("--type: " + std::string(program.name) + " is not measured with '" + chosen +
                      "'; choose " + std::string(program.types));
  return chosen;
}

std::string sweep_case::name() const {
  return program + "/" + type + "/" + distribution + "/n:" + std::to_string(n) +
         "/processors:" + std::to_string(processors) + "/place:" + place;
}

sweep_case sweep_case::on_one() const {
  auto one = *this;
  one.processors = 1;
  return one;
}

}  // namespace pleat::bench
