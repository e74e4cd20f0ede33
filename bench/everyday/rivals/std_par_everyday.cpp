// SPDX-License-Identifier: Apache-2.0
#include <execution>

#include "in_arena.hpp"
#include "standard_everyday.hpp"

namespace pleat::bench {

namespace {

template <class T, everyday what> std::uint64_t in_parallel(std::span<T> in, std::span<T> out) {
  return standard_everyday<T>(what, {in, out}, std::execution::par);
}

/// Lists a function for each algorithm.
template <class T, std::size_t... i> constexpr auto all_parallel(std::index_sequence<i...>) {
  return std::array<everyday_call<T>, sizeof...(i)>{
      in_arena<T, in_parallel<T, everyday_works[i].what>>...};
}

}  // namespace

template <class T> everyday_call<T> std_par_everyday(everyday what) {
  static constexpr auto all = all_parallel<T>(std::make_index_sequence<everyday_works.size()>());
  return all[static_cast<std::size_t>(what)];
}
template everyday_call<double> std_par_everyday(everyday);
template everyday_call<std::uint32_t> std_par_everyday(everyday);

}  // namespace pleat::bench
