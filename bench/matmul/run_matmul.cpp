// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <string>

#include "checked_matrices.hpp"
#include "matmul_arguments.hpp"
#include "path_lengths.hpp"
#include "tool/program_run.hpp"
#include "tool/terminal.hpp"

namespace pleat::bench {
namespace {

struct matmul_run {
  matmul_arguments asked;
  program_run run;

  void operator()() const {
    const auto& inputs = run.inputs;
    matmul_arguments::check_inputs(inputs);
    const auto a = run.read(0, {2});
    const auto b = run.read(1, {2});
    check_matrices(asked.semiring, a, inputs[0], b, inputs[1]);
    const path_lengths lengths(asked.semiring, a, asked.infinity);
    unsigned long long longest = lengths.read(matrix_part::all_of(a), inputs[0]);
    longest += lengths.read(matrix_part::all_of(b), inputs[1]);
    auto c = make_npy(a.descr, a.type, {a.shape[0], b.shape[1]}, &run.on());
    run.carry_out("matmul", c, asked.done(a, b), [&](machine& on) {
      using arrays::typed_matrix;
      auto report = arrays::multiply_matrices(
          on, parse_semiring(asked.semiring), a.type, typed_matrix::of(a.numbers()),
          typed_matrix::of(b.numbers()), typed_matrix::of(c.numbers()));
      const std::size_t without_path = lengths.write(matrix_part::all_of(c));
      const std::string doubt = lengths.doubt(run.output, without_path, longest);
      if (!doubt.empty()) warn(doubt);
      return report;
    });
  }
};

}  // namespace

void add_run_matmul(tool_command& command) {
  const auto matmul = std::make_shared<matmul_run>();
  auto program = command.add_subcommand("matmul", matmul_arguments::help);
  program
      .add_option("--input", matmul->run.inputs,
                  std::string(matmul_arguments::input_help) + "; - is standard input")
      .required()
      .type_name("F.npy")
      .allow_extra_args(false);
  matmul->asked.add_to(program);
  matmul->run.add_to(program, matmul_arguments::output_help);
  program.footer(std::string(R"(Examples:
  pleat run matmul --input a.npy --input b.npy --output c.npy
  pleat run matmul --input d.npy --input d.npy --output two_hops.npy --semiring min_plus
  pleat run matmul --input d.npy --input d.npy --output e.npy --semiring min_plus --infinity max
  pleat run matmul --input w.npy --input w.npy --output widest.npy --semiring max_min

)") + matmul_arguments::about_no_path);
  program.callback([matmul] { (*matmul)(); });
}

}  // namespace pleat::bench
