// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <pleat/collectives/collective_options.hpp>
#include <pleat/collectives/detail/endpoint.hpp>
#include <pleat/collectives/detail/engines.hpp>
#include <pleat/collectives/detail/operations.hpp>
#include <pleat/collectives/detail/tree_rounds.hpp>
#include <pleat/runtime/task.hpp>

/// Strict mode: before anything moves, rank 0 compares the arguments of all ranks.
namespace pleat::detail {

/// Arguments of a rank in an operation.
struct call_arguments {
  std::size_t count = 0;    // elements, where all have the same number of them
  std::uint32_t parts = 0;  // a digest of the counts of all ranks, where there are such
  std::size_t root = 0, blocks = 0;
  unsigned radix = 0, ports = 0;
  schedule_form form = {};
  bool in_order = false;  // the operator is not known to commute
  // Memory this rank reads, and writes: empty where the operation does not look at it.
  const std::byte* in = nullptr;
  std::size_t in_bytes = 0;
  const std::byte* out = nullptr;
  std::size_t out_bytes = 0;

  [[nodiscard]] call_arguments reads(const_elements data) const {
    call_arguments more = *this;
    more.in = data.data;
    more.in_bytes = data.bytes();
    return more;
  }
  [[nodiscard]] call_arguments writes(elements data) const {
    call_arguments more = *this;
    more.out = data.data;
    more.out_bytes = data.bytes();
    return more;
  }
};

/// Throws, at rank 0: usage_error that names the first two that differ, or the memory that one
/// writes and another uses. Cost: two rendezvous, or between processes a gather and a broadcast.
task<> agree(endpoint& on, collective operation, call_arguments mine);

}  // namespace pleat::detail
