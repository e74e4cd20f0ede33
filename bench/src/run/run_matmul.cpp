// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <vector>

#include <pleat/runtime/error.hpp>

#include "matmul_numbers.hpp"
#include "run/program_run.hpp"

namespace pleat::bench {
namespace {

struct matmul_run {
  std::vector<std::string> inputs;
  std::string semiring = "plus_times";
  program_run run;

  void operator()() const {
    if (inputs.size() != 2)
      throw usage_error("run matmul: give --input twice, for the left matrix and the right one");
    const auto a = read_input(inputs[0], {2});
    const auto b = read_input(inputs[1], {2});
    check_matrices(semiring, a, inputs[0], b, inputs[1]);
    auto c = make_npy(a.descr, a.type, {a.shape[0], b.shape[1]});
    const std::string done = "multiplied " + size_text(a) + " by " + size_text(b) + " ('" +
                             a.descr + "') over " + semiring;
    run.carry_out("matmul", c, done,
                  [&](machine& on) { return multiply_matrices(on, semiring, a, b, c); });
  }
};

}  // namespace

void add_run_matmul(tool_command& command) {
  const auto matmul = std::make_shared<matmul_run>();
  auto program = command.add_subcommand("matmul", "Multiply two matrices over a semiring");
  program.add_option("--input", matmul->inputs, "The left matrix, then the right one: C order")
      .required()
      .type_name("F.npy")
      .allow_extra_args(false);
  program.add_option("--semiring", matmul->semiring, semiring_names())
      .type_name("S")
      .capture_default_str();
  matmul->run.add_to(program, "Where the product goes; may be an input");
  program.footer(R"(Examples:
  pleat run matmul --input a.npy --input b.npy --output c.npy
  pleat run matmul --input d.npy --input d.npy --output two_hops.npy --semiring min_plus)");
  program.callback([matmul] { (*matmul)(); });
}

}  // namespace pleat::bench
