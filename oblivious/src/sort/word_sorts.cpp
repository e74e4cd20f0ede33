// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>
#include <memory>

#include <pleat/oblivious/detail/sort/word_column.hpp>
#include <pleat/oblivious/detail/sort/word_source.hpp>

#include "sort/erased.hpp"

namespace pleat::detail::sorting {

template <sort_word U>
std::unique_ptr<array_sort> sort_of_words(const word_source<U>& keys, std::size_t n) {
  return std::make_unique<erased<word_column<U>>>(keys, n);
}

template std::unique_ptr<array_sort> sort_of_words(const word_source<std::uint8_t>&, std::size_t);
template std::unique_ptr<array_sort> sort_of_words(const word_source<std::uint16_t>&, std::size_t);
template std::unique_ptr<array_sort> sort_of_words(const word_source<std::uint32_t>&, std::size_t);
template std::unique_ptr<array_sort> sort_of_words(const word_source<std::uint64_t>&, std::size_t);

}  // namespace pleat::detail::sorting
