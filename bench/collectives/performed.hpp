// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <span>

#include <pleat/collectives/all_gather.hpp>
#include <pleat/collectives/all_to_all.hpp>
#include <pleat/collectives/broadcast.hpp>
#include <pleat/collectives/gather.hpp>
#include <pleat/collectives/reduce.hpp>
#include <pleat/collectives/reduce_scatter.hpp>
#include <pleat/collectives/scan.hpp>
#include <pleat/collectives/scatter.hpp>

#include "collective.hpp"

namespace pleat::bench {

/// Performs one of Pleat's operations with the input and result of this VP (collective_share), on
/// doubles if it combines, else on elements of type T; `counts` of all ranks (counts_of) are of
/// operations that take them. Its arguments must live until it is done.
template <class T>
[[nodiscard]] task<> perform(vp& me, const collective& one, std::span<const std::size_t> counts,
                             std::span<std::byte> in_bytes, std::span<std::byte> out_bytes,
                             const collective_options& how = {}) {
  const std::span<T> in = elements_in<T>(in_bytes), out = elements_in<T>(out_bytes);
  const std::span<double> numbers = elements_in<double>(in_bytes),
                          sums = elements_in<double>(out_bytes);
  switch (one.what) {
    case operation::broadcast:
      return broadcast(me, me.rank() == 0 ? in : out, how);
    case operation::scatter:
      return scatter(me, in, out, how);
    case operation::gather:
      return gather(me, in, out, how);
    case operation::all_gather:
      return all_gather(me, in, out, how);
    case operation::all_gather_v:
      return all_gather_v(me, in, out, counts, how);
    case operation::all_to_all:
      return all_to_all(me, in, out, how);
    case operation::reduce:
      return reduce(me, numbers, sums, std::plus<>{}, how);
    case operation::reduce_scatter:
      return reduce_scatter(me, numbers, sums, std::plus<>{}, how);
    case operation::reduce_scatter_v:
      return reduce_scatter_v(me, numbers, sums, counts, std::plus<>{}, how);
    case operation::all_reduce:
      return all_reduce(me, numbers, sums, std::plus<>{}, how);
    case operation::scan:
      break;
  }
  return scan(me, numbers, sums, std::plus<>{}, how);
}

}  // namespace pleat::bench
