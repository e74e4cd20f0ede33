// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <memory>
#include <string>

#include "distributed_run.hpp"
#include "matmul/checked_matrices.hpp"
#include "matmul/matmul_arguments.hpp"
#include "matmul/path_lengths.hpp"
#include "tool/terminal.hpp"

namespace pleat::bench {
namespace {

struct distributed_matmul {
  matmul_arguments asked;
  distributed_arguments files;

  void operator()(const rank_group& all) const {
    // All ranks have the same words and files with the same headers, so they throw the same.
    matmul_arguments::check_inputs(files.inputs);
    distributed_run run(all, files, {2});
    const npy_contents &a = run.input(0), &b = run.input(1);
    check_matrices(asked.semiring, a, files.inputs[0], b, files.inputs[1]);
    const path_lengths lengths(asked.semiring, a, asked.infinity);
    run.begin(a.descr, a.type, {a.shape[0], b.shape[1]});

    unsigned long long longest = 0;
    const auto reader = [&](std::size_t which) {
      return [&, which](std::span<std::byte> numbers, const interval<>& rows,
                        const interval<>& columns) {
        run.read(which, numbers, rows, columns);
        unsigned long long here = 0;
        all.each([&] {
          here = lengths.read({numbers, rows.first, columns.first, columns.size()},
                              files.inputs[which]);
        });
        longest += all.greatest(here);
      };
    };
    const auto writer = [&](std::span<std::byte> numbers, const interval<>& rows,
                            const interval<>& columns) {
      std::size_t without_path = 0;
      all.each([&] {
        without_path = lengths.write({numbers, rows.first, columns.first, columns.size()});
      });
      const auto in_all = static_cast<std::size_t>(all.sum(without_path));
      const std::string doubt = lengths.doubt(files.output, in_all, longest);
      if (all.is_first() && !doubt.empty()) warn(doubt);
      run.write(numbers, rows, columns);
    };
    arrays::multiply_distributed_numbers(run.on(), parse_semiring(asked.semiring), a.type,
                                         a.shape[0], a.shape[1], b.shape[1], reader(0), reader(1),
                                         writer);
    run.finish(asked.done(a, b));
  }
};

}  // namespace

void add_distributed_matmul(tool_command& command, chosen_run& chosen) {
  const auto matmul = std::make_shared<distributed_matmul>();
  auto program = command.add_subcommand("matmul", matmul_arguments::help);
  program.add_option("--input", matmul->files.inputs, matmul_arguments::input_help)
      .required()
      .type_name("F.npy")
      .allow_extra_args(false);
  matmul->asked.add_to(program);
  matmul->files.add_to(program, matmul_arguments::output_help);
  program.footer(matmul_arguments::about_no_path);
  program.callback([matmul, &chosen] { chosen = *matmul; });
}

}  // namespace pleat::bench
