// SPDX-License-Identifier: Apache-2.0
#include <cstddef>

#include <pleat/oblivious/detail/sort/index_sort.hpp>
#include <pleat/oblivious/detail/sort/program.hpp>
#include <pleat/oblivious/detail/sort/value_column.hpp>

namespace pleat::detail::sorting {

run_report sort_by_words_and_values(machine& on, const index_ends<wide_index>& ends, std::size_t n,
                                    std::size_t vps, epilogue* then) {
  return sort_by<wide_index>(on, ends, tied_order<index_ends<wide_index>>{&ends}, n, vps, then);
}

}  // namespace pleat::detail::sorting
