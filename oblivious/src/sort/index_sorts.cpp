// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <memory>

#include <pleat/oblivious/detail/sort/index_sort.hpp>
#include <pleat/oblivious/detail/sort/value_column.hpp>

#include "sort/erased.hpp"

namespace pleat::detail::sorting {

template <class Order> struct kept_order { Order kept; };

/// With the order it refers to.
template <class Key, class Order>
class index_sort final : private kept_order<Order>,
                         public erased<value_column<index_source<Key, index_ends<Key>, Order>>> {
 public:
  index_sort(const index_ends<Key>& ends, const Order& order, std::size_t n)
      : kept_order<Order>{order},
        erased<value_column<index_source<Key, index_ends<Key>, Order>>>({&ends, &this->kept}, n) {}
};

namespace {

template <class Key, class Order>
std::unique_ptr<array_sort> sort_of(const index_ends<Key>& ends, const Order& order,
                                    std::size_t n) {
  return std::make_unique<index_sort<Key, Order>>(ends, order, n);
}

}  // namespace

std::unique_ptr<array_sort> sort_by_words(const index_ends<narrow_index>& ends, std::size_t n) {
  return sort_of(ends, exact_order(), n);
}
std::unique_ptr<array_sort> sort_by_words(const index_ends<wide_index>& ends, std::size_t n) {
  return sort_of(ends, exact_order(), n);
}
std::unique_ptr<array_sort> sort_by_words_and_values(const index_ends<wide_index>& ends,
                                                     std::size_t n) {
  return sort_of(ends, tied_order<index_ends<wide_index>>{&ends}, n);
}

}  // namespace pleat::detail::sorting
