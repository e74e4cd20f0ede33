// SPDX-License-Identifier: Apache-2.0
// Reductions, where the operator commutes, and scans: all ranks know the operator alike.
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

bool reduction::ours(const communicator& on, std::size_t total, std::size_t ranks) const {
  constexpr std::size_t largest = std::size_t{1} << 29;
  const std::size_t size = side{nullptr, 1, type}.bytes();
  return size != 0 && size <= largest / ranks && on.chosen().ours(what, total * size) &&
         applies(op, type) && (!in_blocks(what) || commutes(op));
}

std::size_t reduction::blocks(const communicator& on, std::size_t total,
                              std::size_t longest) const {
  const std::size_t size = side{nullptr, 1, type}.bytes();
  return best_blocks(on.chosen(), what, {total * size, longest * size}, on.size(), longest);
}

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
  if (!call.ours(on, number, 1)) return false;
  const element_type of(call.type);
  std::optional<element_memory> sums;
  if (!at_root) sums.emplace(number, of);
  const elements sum = at_root ? elements(to, of) : sums->get();
  const elements in = given.in_place() ? sum : elements(from, of);
  reduce(on, call.what, static_cast<std::uint32_t>(root), in, sum, number, {call.op, &of},
         call.blocks(on, number, number));
  return true;
}

bool allreduce(communicator& on, const reduction& call, const void* from, void* to,
               MPI_Count count) {
  const side given{from, count, call.type};
  const side result{to, count, call.type};
  if (result.in_place() || from == to || !given.is_valid() || !result.is_valid()) return false;
  const auto number = static_cast<std::size_t>(count);
  if (!call.ours(on, number, on.size())) return false;
  const element_type of(call.type);
  const elements sum(to, of);
  std::vector<std::size_t> counts(on.size());
  for (std::size_t r = 0; r < counts.size(); ++r) {
    counts[r] = split(number, counts.size(), r).count;
  }
  const std::size_t blocks = call.blocks(on, number, counts.front());
  reduce_parts(on, call.what, given.in_place() ? sum : elements(from, of), sum, counts,
               {call.op, &of}, blocks);
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
  if (!call.ours(on, total, on.size())) return false;
  const element_type of(call.type);
  const elements out(to, of);
  const element_memory sums(total, of);
  reduce_parts(on, call.what, given.in_place() ? out : elements(from, of), sums.get(), counts,
               {call.op, &of}, call.blocks(on, total, std::ranges::max(counts)));
  const auto before =
      std::accumulate(counts.begin(), counts.begin() + on.rank(), std::ptrdiff_t{0});
  sums.get().from(before).copy_to(mine, out, on);
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
  if (!call.ours(on, number, 1)) return false;
  const element_type of(call.type);
  const combining op{call.op, &of};
  const elements out(to, of);
  const elements in = given.in_place() ? out : elements(from, of);
  if (!inclusive && !given.in_place()) {
    scan_before(on, call.what, in, out, number, op);
    return true;
  }
  const element_memory aside(number, of);
  if (inclusive) {
    if (!given.in_place()) in.copy_to(number, out, on);
    scan_before(on, call.what, out, aside.get(), number, op);
    if (on.rank() > 0) op(aside.get(), out, number);
  } else {
    in.copy_to(number, aside.get(), on);
    scan_before(on, call.what, aside.get(), out, number, op);
  }
  return true;
}

}  // namespace pleat::preloaded
