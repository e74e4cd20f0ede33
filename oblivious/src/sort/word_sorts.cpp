// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>

#include <pleat/oblivious/detail/sort/program.hpp>
#include <pleat/oblivious/detail/sort/run.hpp>
#include <pleat/oblivious/detail/sort/word_column.hpp>
#include <pleat/oblivious/detail/sort/word_source.hpp>

namespace pleat::detail::sorting {

template <sort_word U>
run_report sort_words(machine& on, const word_source<U>& keys, std::size_t n, std::size_t vps) {
  columnsort_program<word_column<U>> program(keys, n);
  return sort_with(on, program, vps);
}

template run_report sort_words(machine&, const word_source<std::uint8_t>&, std::size_t,
                               std::size_t);
template run_report sort_words(machine&, const word_source<std::uint16_t>&, std::size_t,
                               std::size_t);
template run_report sort_words(machine&, const word_source<std::uint32_t>&, std::size_t,
                               std::size_t);
template run_report sort_words(machine&, const word_source<std::uint64_t>&, std::size_t,
                               std::size_t);

}  // namespace pleat::detail::sorting
