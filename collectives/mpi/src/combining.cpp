// SPDX-License-Identifier: Apache-2.0
// Reductions and scans: all ranks know the operator alike. If it does not commute, elements are
// combined in the order of ranks.
#include <algorithm>
#include <numeric>
#include <optional>
#include <vector>

#include "elements.hpp"
#include "engines.hpp"
#include "operations.hpp"
#include "operators.hpp"
#include "split.hpp"
#include "typed_parts.hpp"

namespace pleat::preloaded {

namespace {

/// Tells whether the call is carried out here, with `total` elements of which a message has up to
/// `ranks` single ones.
bool is_ours(const communicator& on, const reduction& call, std::size_t total, std::size_t ranks) {
  constexpr std::size_t largest = std::size_t{1} << 29;
  const std::size_t size = side{nullptr, 1, call.type}.bytes();
  return size != 0 && size <= largest / ranks && on.chosen().ours(call.what, total * size) &&
         applies(call.op, call.type);
}

/// Returns the number of blocks of `total` elements whose longest part is `longest`.
std::size_t blocks_of(const communicator& on, const reduction& call, std::size_t total,
                      std::size_t longest, std::size_t size) {
  return best_blocks(on.chosen(), call.what, {total * size, longest * size}, on.size(), longest);
}

/// Returns the counts of almost equal parts for all ranks.
std::vector<std::size_t> equal_counts(std::size_t total, std::size_t ranks) {
  std::vector<std::size_t> counts(ranks);
  for (std::size_t r = 0; r < ranks; ++r) counts[r] = split(total, ranks, r).count;
  return counts;
}

/// Combines this rank's part of all ranks' elements in the order of ranks.
void combine_in_order(communicator& on, const reduction& call, elements in, elements own,
                      std::span<const std::size_t> counts) {
  const element_type& of = in.of();
  const std::size_t total = std::accumulate(counts.begin(), counts.end(), std::size_t{0});
  reduce_parts_in_order(on, call.what, in, own, counts, {call.op, &of},
                        on.radix(total * of.size / on.size() + 1));
}

/// Returns the number of elements before a rank's part.
std::ptrdiff_t before(std::span<const std::size_t> counts, std::uint32_t rank) {
  return std::accumulate(counts.begin(), counts.begin() + rank, std::ptrdiff_t{0});
}

}  // namespace

bool reduce_call(communicator& on, const reduction& call, const void* from, void* to,
                 MPI_Count count, int root) {
  const bool at_root = on.is(root);
  const side given{from, count, call.type};
  const side result{to, count, call.type};
  if (!on.has(root) || (at_root ? result : given).in_place() || (at_root && from == to) ||
      !given.is_valid() || (at_root && !result.is_valid())) {
    return false;
  }
  const auto number = static_cast<std::size_t>(count);
  if (!is_ours(on, call, number, 1)) return false;
  const element_type of(call.type);
  std::optional<element_memory> sums;
  if (!at_root) sums.emplace(number, of);
  const elements sum = at_root ? elements(to, of) : sums->get();
  const elements in = given.in_place() ? sum : elements(from, of);
  const auto at = static_cast<std::uint32_t>(root);
  if (commutes(call.op)) {
    reduce(on, call.what, at, in, sum, number, {call.op, &of},
           blocks_of(on, call, number, number, of.size));
    return true;
  }
  const std::vector<std::size_t> counts = equal_counts(number, on.size());
  combine_in_order(on, call, in, sum.from(before(counts, on.rank())), counts);
  const typed_parts parts(sum, counts);
  parts.pack(on.rank(), on);
  gather_parts(on, call.what, at, parts.get()[on.rank()], parts.get());
  if (at_root) parts.unpack(on);
  return true;
}

bool allreduce(communicator& on, const reduction& call, const void* from, void* to,
               MPI_Count count) {
  const side given{from, count, call.type};
  const side result{to, count, call.type};
  if (result.in_place() || from == to || !given.is_valid() || !result.is_valid()) return false;
  const auto number = static_cast<std::size_t>(count);
  if (!is_ours(on, call, number, on.size())) return false;
  const element_type of(call.type);
  const elements sum(to, of);
  const elements in = given.in_place() ? sum : elements(from, of);
  const std::vector<std::size_t> counts = equal_counts(number, on.size());
  const std::size_t blocks = blocks_of(on, call, number, counts.front(), of.size);
  if (commutes(call.op)) {
    reduce_parts(on, call.what, in, sum, counts, {call.op, &of}, blocks);
  } else {
    combine_in_order(on, call, in, sum.from(before(counts, on.rank())), counts);
  }
  const typed_parts parts(sum, counts);
  parts.pack(on.rank(), on);
  all_broadcast(on, call.what, parts.get(), blocks);
  parts.unpack(on);
  return true;
}

bool reduce_scatter(communicator& on, const reduction& call, const void* from, void* to,
                    std::span<const std::size_t> counts) {
  const std::size_t total = std::accumulate(counts.begin(), counts.end(), std::size_t{0});
  const std::size_t mine = counts[on.rank()];
  const side given{from, static_cast<MPI_Count>(total), call.type};
  const side result{to, static_cast<MPI_Count>(mine), call.type};
  if (result.in_place() || !given.is_valid() || !result.is_valid()) return false;
  if (!is_ours(on, call, total, on.size())) return false;
  const element_type of(call.type);
  const elements out(to, of);
  const elements in = given.in_place() ? out : elements(from, of);
  if (!commutes(call.op)) {
    combine_in_order(on, call, in, out, counts);
    return true;
  }
  const element_memory sums(total, of);
  reduce_parts(on, call.what, in, sums.get(), counts, {call.op, &of},
               blocks_of(on, call, total, std::ranges::max(counts), of.size));
  sums.get().from(before(counts, on.rank())).copy_to(mine, out, on);
  return true;
}

bool scan(communicator& on, const reduction& call, const void* from, void* to, MPI_Count count) {
  const bool inclusive = call.what == operation::scan;
  const bool has_result = inclusive || on.rank() > 0;
  const side given{from, count, call.type};
  const side result{to, count, call.type};
  if (!given.is_valid() || (has_result && (result.in_place() || from == to)) ||
      ((has_result || given.in_place()) && !result.is_valid())) {
    return false;
  }
  const auto number = static_cast<std::size_t>(count);
  if (!is_ours(on, call, number, 1)) return false;
  const element_type of(call.type);
  const combining op{call.op, &of};
  const elements out(to, of);
  const elements in = given.in_place() ? out : elements(from, of);
  if (inclusive) {
    if (!given.in_place()) in.copy_to(number, out, on);
    scan_up_to(on, call.what, out, number, op);
  } else if (given.in_place()) {
    const element_memory own(number, of);
    in.copy_to(number, own.get(), on);
    scan_before(on, call.what, own.get(), out, number, op);
  } else {
    scan_before(on, call.what, in, out, number, op);
  }
  return true;
}

}  // namespace pleat::preloaded
