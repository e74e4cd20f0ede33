// SPDX-License-Identifier: Apache-2.0
#include "standard_everyday.hpp"

namespace pleat::bench {

namespace {

/// Lists a function for each algorithm.
template <class T, std::size_t... i> constexpr auto all_serial(std::index_sequence<i...>) {
  return std::array<everyday_call<T>, sizeof...(i)>{[](everyday_arrays<T> x, unsigned) {
    return standard_everyday(everyday_works[i].what, x);
  }...};
}

}  // namespace

template <class T> everyday_call<T> serial_everyday(everyday what) {
  static constexpr auto all = all_serial<T>(std::make_index_sequence<everyday_works.size()>());
  return all[static_cast<std::size_t>(what)];
}
template everyday_call<double> serial_everyday(everyday);
template everyday_call<std::uint32_t> serial_everyday(everyday);

}  // namespace pleat::bench
