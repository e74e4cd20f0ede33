// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <string>

#include "arrays/sort_numbers.hpp"
#include "tool/printable.hpp"
#include "tool/program_run.hpp"

namespace pleat::bench {
namespace {

// Type of indices in a file.
constexpr const char* indices_descr = "<i8";
constexpr number_type indices_type{number_kind::signed_integer, 8};

struct sort_run {
  bool indices = false;  // instead of the elements
  std::string axis = "-1";
  program_run run;

  void operator()() const {
    auto array = run.read(0, {1, any_number});
    const std::size_t along = parse_axis(axis, array, run.input());
    const auto result = [&](const npy_array& like) {
      return make_npy(indices_descr, indices_type, like.shape, &run.on());
    };
    const auto order = indices ? result(array) : npy_array{};
    const npy_array& to = indices ? order : array;
    const std::string done = (indices ? "found the order of " : "sorted ") +
                             readable_count(array.elements) + " elements ('" + array.descr + "')";
    run.carry_out(indices ? "argsort" : "sort", to, done, [&](machine& on) {
      if (along + 1 == array.shape.size()) return sort_rows(on, array, to);
      const auto rows = with_last(array, along, array.type, &on);
      const auto places = indices ? result(rows) : npy_array{};
      const npy_array& sorted = indices ? places : rows;
      auto report = sort_rows(on, rows, sorted);
      put_back(sorted, along, to);
      return report;
    });
  }

  run_report sort_rows(machine& on, const npy_array& rows, const npy_array& to) const {
    if (indices) return arrays::argsort_numbers(on, rows.numbers(), to.numbers());
    return arrays::sort_numbers(on, rows.numbers());
  }
};

}  // namespace

void add_run_sort(tool_command& command) {
  const auto sort = std::make_shared<sort_run>();
  auto program = command.add_subcommand("sort", "Sort an array along an axis, in NumPy's order");
  sort->run.add_input(program, "The array: any numeric dtype");
  program.add_flag("--argsort", sort->indices,
                   "Write where each element comes from, as numpy.argsort(kind='stable') does");
  program.add_option("--axis", sort->axis, "Sort along this axis; -1 is the last one", "N");
  sort->run.add_to(program, "Where the result goes; may be the input");
  program.footer(R"(Examples:
  pleat run sort --input keys.npy --output sorted.npy
  pleat run sort --input keys.npy --output keys.npy --processors 4
  pleat run sort --input keys.npy --output order.npy --argsort
  pleat run sort --input keys.npy --output sorted.npy --trace sort.json)");
  program.callback([sort] { (*sort)(); });
}

}  // namespace pleat::bench
