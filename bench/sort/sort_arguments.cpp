// SPDX-License-Identifier: Apache-2.0
#include "sort_arguments.hpp"

#include "tool/readable.hpp"

namespace pleat::bench {

void sort_arguments::add_to(tool_command& program) {
  program.add_flag("--argsort", indices,
                   "Write where each element comes from, as numpy.argsort(kind='stable') does");
}

std::string sort_arguments::done(const npy_contents& array) const {
  return (indices ? "found the order of " : "sorted ") + readable_count(array.elements) +
         " elements ('" + array.descr + "')";
}

}  // namespace pleat::bench
