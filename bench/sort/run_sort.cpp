// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <string>

#include "arrays/sort_numbers.hpp"
#include "tool/program_run.hpp"
#include "tool/readable.hpp"

namespace pleat::bench {
namespace {

struct sort_run {
  bool indices = false;
  program_run run;

  void operator()() const {
    auto array = run.read(0, {1});
    const std::string what = readable_count(array.elements) + " elements ('" + array.descr + "')";
    if (indices) {
      auto order = make_npy("<i8", {number_kind::signed_integer, 8}, array.shape, &run.on());
      run.carry_out("argsort", order, "found the order of " + what, [&](machine& on) {
        return arrays::argsort_numbers(on, array.numbers(), order.numbers());
      });
    } else {
      run.carry_out("sort", array, "sorted " + what,
                    [&](machine& on) { return arrays::sort_numbers(on, array.numbers()); });
    }
  }
};

}  // namespace

void add_run_sort(tool_command& command) {
  const auto sort = std::make_shared<sort_run>();
  auto program = command.add_subcommand("sort", "Sort a one-dimensional array in NumPy's order");
  sort->run.add_input(program, "The array: any numeric dtype");
  program.add_flag("--argsort", sort->indices,
                   "Write where each element comes from, as numpy.argsort(kind='stable') does");
  sort->run.add_to(program, "Where the result goes; may be the input");
  program.footer(R"(Examples:
  pleat run sort --input keys.npy --output sorted.npy
  pleat run sort --input keys.npy --output keys.npy --processors 4
  pleat run sort --input keys.npy --output order.npy --argsort
  pleat run sort --input keys.npy --output sorted.npy --trace sort.json)");
  program.callback([sort] { (*sort)(); });
}

}  // namespace pleat::bench
