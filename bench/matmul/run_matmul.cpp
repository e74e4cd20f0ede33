// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <pleat/runtime/error.hpp>

#include "checked_matrices.hpp"
#include "path_lengths.hpp"
#include "tool/program_run.hpp"

namespace pleat::bench {
namespace {

struct matmul_run {
  std::string semiring = "plus_times";
  std::optional<std::string> infinity;
  program_run run;

  void operator()() const {
    const auto& inputs = run.inputs;
    if (inputs.size() != 2)
      throw usage_error("run matmul: give --input twice, for the left matrix and the right one");
    const auto a = run.read(0, {2});
    const auto b = run.read(1, {2});
    check_matrices(semiring, a, inputs[0], b, inputs[1]);
    path_lengths lengths(semiring, a.type, infinity);
    lengths.read(a, inputs[0]);
    lengths.read(b, inputs[1]);
    auto c = make_npy(a.descr, a.type, {a.shape[0], b.shape[1]}, &run.on());
    const std::string done = "multiplied " + size_text(a) + " by " + size_text(b) + " ('" +
                             a.descr + "') over " + semiring;
    run.carry_out("matmul", c, done, [&](machine& on) {
      using arrays::typed_matrix;
      auto report = arrays::multiply_matrices(
          on, parse_semiring(semiring), a.type, typed_matrix::of(a.numbers()),
          typed_matrix::of(b.numbers()), typed_matrix::of(c.numbers()));
      lengths.write(c, run.output);
      return report;
    });
  }
};

}  // namespace

void add_run_matmul(tool_command& command) {
  const auto matmul = std::make_shared<matmul_run>();
  auto program = command.add_subcommand("matmul", "Multiply two matrices over a semiring");
  program
      .add_option("--input", matmul->run.inputs,
                  "The left matrix, then the right one: C order; - is standard input")
      .required()
      .type_name("F.npy")
      .allow_extra_args(false);
  program.add_option("--semiring", matmul->semiring, semiring_names())
      .type_name("S")
      .capture_default_str();
  program
      .add_option("--infinity", matmul->infinity,
                  "The integer that says \"no path\" over min_plus and max_plus, or max or min "
                  "(default: half the type's greatest number, of max_plus its negative)")
      .type_name("V");
  matmul->run.add_to(program, "Where the product goes; may be an input");
  program.footer(R"(Examples:
  pleat run matmul --input a.npy --input b.npy --output c.npy
  pleat run matmul --input d.npy --input d.npy --output two_hops.npy --semiring min_plus
  pleat run matmul --input d.npy --input d.npy --output e.npy --semiring min_plus --infinity max
  pleat run matmul --input w.npy --input w.npy --output widest.npy --semiring max_min

Over min_plus and max_plus integers of M/4 and more, M the greatest number of their type, are
unreachable: matrices may hold lengths from -M/8 to M/4 (max_plus: -M/4 to M/8) and one number
that says "no path", in inputs and in the result. Floating-point matrices say np.inf.
Over max_min every number is a width; the type's least number, or -np.inf, says "no path".)");
  program.callback([matmul] { (*matmul)(); });
}

}  // namespace pleat::bench
