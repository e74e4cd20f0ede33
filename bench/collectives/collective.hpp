// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pleat::bench {

/// The collective operations that are compared; rank 0 is the root of those that have one. The
/// _v ones take any count of elements for each rank, the others equal ones.
enum class operation {
  broadcast,
  scatter,
  gather,
  all_gather,
  all_gather_v,
  all_to_all,
  reduce,
  reduce_scatter,
  reduce_scatter_v,
  all_reduce,
  scan,
};

/// Distribution of the elements of a _v operation over P ranks, in Träff's names: evenly (counts
/// differ by one at most); linearly decreasing, rank r having its share P − r of P(P+1)/2; all of
/// them at rank 0; half of them at rank 0, the others evenly.
enum class spread { regular, irregular, degenerate, spike };

/// One collective operation with its size.
///
/// `bytes` is, on each rank: broadcast: the message. scatter, gather: what the root has of all.
/// all_gather(_v): the result. all_to_all: all that is sent, a P-th to each. reduce, all_reduce,
/// scan: the vector. reduce_scatter(_v): the vector that is combined, of which each rank keeps its
/// share. Elements of those that combine are doubles, the operator their sum; else bytes.
struct collective {
  operation what = operation::broadcast;
  std::size_t bytes = 0;
  spread how = spread::regular;

  friend bool operator==(const collective&, const collective&) = default;
};

[[nodiscard]] std::span<const operation> all_operations();
[[nodiscard]] std::span<const spread> all_spreads();
[[nodiscard]] std::string_view name_of(operation what);
[[nodiscard]] std::string_view name_of(spread how);
[[nodiscard]] std::optional<operation> operation_named(std::string_view name);
[[nodiscard]] std::optional<spread> spread_named(std::string_view name);

/// Tells whether its elements are doubles that are added up.
[[nodiscard]] bool combines(operation what);
/// Tells whether each rank may have another count.
[[nodiscard]] bool takes_counts(operation what);

/// Why `one` cannot be performed by `ranks` ranks, in one line; nothing if it can. What is not
/// whole elements, or not equal shares where it must be, is not rounded.
[[nodiscard]] std::optional<std::string> fault_of(const collective& one, std::size_t ranks);

/// Numbers of elements that belong to each rank: of the result of all_gather(_v) and
/// reduce_scatter(_v), of what scatter, gather and all_to_all send, of the whole vector of the
/// others (regular shares). Their sum is bytes / element size. Requires: no fault.
[[nodiscard]] std::vector<std::size_t> counts_of(const collective& one, std::size_t ranks);

}  // namespace pleat::bench
