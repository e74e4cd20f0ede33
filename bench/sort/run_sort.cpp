// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <string>

#include "arrays/sort_numbers.hpp"
#include "sort_arguments.hpp"
#include "tool/program_run.hpp"

namespace pleat::bench {
namespace {

struct sort_run {
  sort_arguments asked;
  program_run run;

  void operator()() const {
    auto array = run.read(0, {1});
    if (asked.indices) {
      auto order = make_npy(indices_descr, indices_type, array.shape, &run.on());
      run.carry_out("argsort", order, asked.done(array), [&](machine& on) {
        return arrays::argsort_numbers(on, array.numbers(), order.numbers());
      });
    } else {
      run.carry_out("sort", array, asked.done(array),
                    [&](machine& on) { return arrays::sort_numbers(on, array.numbers()); });
    }
  }
};

}  // namespace

void add_run_sort(tool_command& command) {
  const auto sort = std::make_shared<sort_run>();
  auto program = command.add_subcommand("sort", sort_arguments::help);
  sort->run.add_input(program, sort_arguments::input_help);
  sort->asked.add_to(program);
  sort->run.add_to(program, sort_arguments::output_help);
  program.footer(R"(Examples:
  pleat run sort --input keys.npy --output sorted.npy
  pleat run sort --input keys.npy --output keys.npy --processors 4
  pleat run sort --input keys.npy --output order.npy --argsort
  pleat run sort --input keys.npy --output sorted.npy --trace sort.json)");
  program.callback([sort] { (*sort)(); });
}

}  // namespace pleat::bench
