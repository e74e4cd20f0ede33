// SPDX-License-Identifier: Apache-2.0
#include "matmul_arguments.hpp"

#include <pleat/runtime/error.hpp>

#include "checked_matrices.hpp"

namespace pleat::bench {

const char* const matmul_arguments::about_no_path =
    R"(Over min_plus and max_plus integers of M/4 and more, M the greatest number of their type, are
unreachable: matrices may hold lengths from -M/8 to M/4 (max_plus: -M/4 to M/8) and one number
that says "no path", in inputs and in the result. Floating-point matrices say np.inf.
Over max_min every number is a width; the type's least number, or -np.inf, says "no path".)";

void matmul_arguments::add_to(tool_command& program) {
  program.add_option("--semiring", semiring, semiring_names()).type_name("S").capture_default_str();
  program
      .add_option("--infinity", infinity,
                  "The integer that says \"no path\" over min_plus and max_plus, or max or min "
                  "(default: half the type's greatest number, of max_plus its negative)")
      .type_name("V");
}

void matmul_arguments::check_inputs(const std::vector<std::string>& inputs) {
  if (inputs.size() != 2)
    throw usage_error("run matmul: give --input twice, for the left matrix and the right one");
}

std::string matmul_arguments::done(const npy_contents& a, const npy_contents& b) const {
  return "multiplied " + size_text(a) + " by " + size_text(b) + " ('" + a.descr + "') over " +
         semiring;
}

}  // namespace pleat::bench
