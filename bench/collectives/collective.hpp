// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pleat::bench {

/// Collective operations that are compared; rank 0 is the root of those that have one. Operations
/// in _v take any number of elements for each rank, the others equal numbers.
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
/// `bytes` is the size of: the message (broadcast); the root's buffer with the blocks of all ranks
/// (scatter, gather); the result (all_gather(_v)); what each rank sends, a P-th to each rank
/// (all_to_all); each rank's vector (reduce, all_reduce, scan, reduce_scatter(_v)). Operations that
/// combine add doubles; the elements of all others are bytes.
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

/// Tells whether the operation adds up doubles.
[[nodiscard]] bool combines(operation what);
/// Tells whether ranks may have different numbers of elements.
[[nodiscard]] bool takes_counts(operation what);
/// Tells whether all ranks have equal parts of `bytes`.
[[nodiscard]] bool has_equal_parts(operation what);

/// Says in one line why `ranks` ranks cannot perform `one`; nothing if they can. Sizes that are no
/// whole number of elements, or of equal shares where these are needed, are not rounded.
[[nodiscard]] std::optional<std::string> fault_of(const collective& one, std::size_t ranks);

/// Returns each rank's number of elements in the result of all_gather(_v) and reduce_scatter(_v),
/// in what scatter, gather and all_to_all send, in the vector of the others (regular shares). Their
/// sum is bytes / element size. Requires: no fault.
[[nodiscard]] std::vector<std::size_t> counts_of(const collective& one, std::size_t ranks);

/// Input of one rank in a collective operation and the result it must have, the same for every
/// implementation. A broadcast happens in place: the root has an input only, the others a result
/// only.
///
/// Doubles are small whole numbers, so their sum is the same in any order.
struct collective_share {
  collective one;
  std::size_t ranks = 1;
  std::size_t rank = 0;

  [[nodiscard]] std::size_t input_bytes() const;
  [[nodiscard]] std::size_t result_bytes() const;

  /// Writes this rank's input, another one for every seed. Requires: input_bytes, aligned to 8.
  /// Cost: one pass that writes.
  void fill_input(std::span<std::byte> input, std::uint64_t seed) const;

  /// Makes a result that was not written wrong. Requires: result_bytes, aligned to 8.
  void spoil(std::span<std::byte> result) const;

  /// The first element of the result that is wrong, in one line; nothing if all are right.
  /// Requires: result_bytes, aligned to 8; every rank filled its input with `seed`.
  [[nodiscard]] std::optional<std::string> first_wrong(std::span<const std::byte> result,
                                                       std::uint64_t seed) const;
};

/// Bytes as elements.
template <class T> [[nodiscard]] std::span<T> elements_in(std::span<std::byte> bytes) {
  return {reinterpret_cast<T*>(bytes.data()), bytes.size() / sizeof(T)};
}

}  // namespace pleat::bench
