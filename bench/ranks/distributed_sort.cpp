// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <string>

#include "distributed_run.hpp"
#include "sort/sort_arguments.hpp"

namespace pleat::bench {
namespace {

struct distributed_sort {
  sort_arguments asked;
  distributed_arguments files;

  void operator()(const rank_group& all) const {
    distributed_run run(all, files, {1});
    const npy_contents& array = run.input();
    if (asked.indices) {
      run.begin(indices_descr, indices_type, array.shape);
      arrays::argsort_distributed_numbers(run.on(), array.type, array.elements, run.reader(),
                                          run.writer());
    } else {
      run.begin(array.descr, array.type, array.shape);
      arrays::sort_distributed_numbers(run.on(), array.type, array.elements, run.reader(),
                                       run.writer());
    }
    run.finish(asked.done(array));
  }
};

}  // namespace

void add_distributed_sort(tool_command& command, chosen_run& chosen) {
  const auto sort = std::make_shared<distributed_sort>();
  auto program = command.add_subcommand("sort", sort_arguments::help);
  sort->files.add_input(program, sort_arguments::input_help);
  sort->files.add_to(program, sort_arguments::output_help);
  sort->asked.add_to(program);
  program.callback([sort, &chosen] { chosen = *sort; });
}

}  // namespace pleat::bench
