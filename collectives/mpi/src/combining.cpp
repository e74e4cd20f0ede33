// SPDX-License-Identifier: Apache-2.0
// Reductions, where the operator commutes: all ranks know that alike.
#include <algorithm>
#include <limits>
#include <optional>
#include <vector>

#include "elements.hpp"
#include "engines.hpp"
#include "interposed.hpp"
#include "operations.hpp"
#include "operators.hpp"
#include "split.hpp"

namespace pleat::preloaded {

bool reduction::ours(const communicator& on, std::size_t total, std::size_t ranks) const {
  constexpr std::size_t largest = std::size_t{1} << 29;
  const std::size_t size = bytes_of(1, type);
  return size != 0 && size <= largest / ranks && on.chosen().ours(what, total * size) &&
         commutes(op, type);
}

std::size_t reduction::blocks(const communicator& on, std::size_t total,
                              std::size_t longest) const {
  const std::size_t size = bytes_of(1, type);
  return best_blocks(on.chosen(), what, {total * size, longest * size}, on.size(), longest);
}

bool reduce_call(communicator& on, const reduction& call, const void* from, void* to,
                 MPI_Count count, int root) {
  if (root < 0 || static_cast<std::uint32_t>(root) >= on.size()) return false;
  const bool at_root = on.rank() == static_cast<std::uint32_t>(root);
  if ((at_root ? to : from) == MPI_IN_PLACE || (at_root && from == to)) return false;
  if (absent(from, count, call.type) || (at_root && absent(to, count, call.type))) return false;
  const auto number = static_cast<std::size_t>(count);
  if (!call.ours(on, number, 1)) return false;
  const element_type of(call.type);
  std::optional<element_memory> sums;
  if (!at_root) sums.emplace(number, of);
  const elements sum = at_root ? elements(to, of) : sums->get();
  const elements in = from == MPI_IN_PLACE ? sum : elements(from, of);
  reduce(on, call.what, static_cast<std::uint32_t>(root), in, sum, number, {call.op, &of},
         call.blocks(on, number, number));
  return true;
}

namespace {

/// Shares the sums of all ranks' parts: each is on its rank, at its place of `all`.
void share(communicator& on, operation what, elements all, std::span<const std::size_t> counts,
           std::size_t blocks) {
  const element_type& of = all.of();
  std::size_t total = 0;
  std::size_t first_of_mine = 0;
  for (std::size_t r = 0; r < counts.size(); ++r) {
    if (r == on.rank()) first_of_mine = total;
    total += counts[r];
  }
  std::vector<std::byte> packed(of.dense ? 0 : total * of.size);
  std::byte* const bytes = of.dense ? all.bytes() : packed.data();
  std::vector<part> parts(counts.size());
  std::size_t before = 0;
  for (std::size_t r = 0; r < counts.size(); ++r) {
    parts[r] = {bytes + before, counts[r] * of.size};
    before += parts[r].bytes;
  }
  if (!of.dense) {
    all.from(static_cast<std::ptrdiff_t>(first_of_mine))
        .pack(counts[on.rank()], parts[on.rank()].data, on);
  }
  all_broadcast(on, what, parts, blocks);
  all.unpack(total, bytes, on);
}

}  // namespace

bool allreduce(communicator& on, const reduction& call, const void* from, void* to,
               MPI_Count count) {
  const auto number = static_cast<std::size_t>(count);
  if (!call.ours(on, number, on.size())) return false;
  const element_type of(call.type);
  const elements sum(to, of);
  std::vector<std::size_t> counts(on.size());
  for (std::size_t r = 0; r < counts.size(); ++r) {
    counts[r] = split(number, counts.size(), r).count;
  }
  const std::size_t blocks = call.blocks(on, number, counts.front());
  reduce_parts(on, call.what, from == MPI_IN_PLACE ? sum : elements(from, of), sum, counts,
               {call.op, &of}, blocks);
  share(on, call.what, sum, counts, blocks);
  return true;
}

bool reduce_scatter(communicator& on, const reduction& call, const void* from, void* to,
                    std::span<const std::size_t> counts) {
  std::size_t total = 0;
  std::size_t first_of_mine = 0;
  for (std::size_t r = 0; r < counts.size(); ++r) {
    if (r == on.rank()) first_of_mine = total;
    total += counts[r];
  }
  if (!call.ours(on, total, on.size())) return false;
  const std::size_t mine = counts[on.rank()];
  if (absent(to, static_cast<MPI_Count>(mine), call.type) ||
      absent(from, static_cast<MPI_Count>(total), call.type))
    return false;
  const element_type of(call.type);
  const elements out(to, of);
  const element_memory sums(total, of);
  reduce_parts(on, call.what, from == MPI_IN_PLACE ? out : elements(from, of), sums.get(), counts,
               {call.op, &of}, call.blocks(on, total, std::ranges::max(counts)));
  const elements own = sums.get().from(static_cast<std::ptrdiff_t>(first_of_mine));
  if (of.dense) {
    own.pack(mine, out.bytes(), on);
    return true;
  }
  std::vector<std::byte> packed(mine * of.size);
  own.pack(mine, packed.data(), on);
  out.unpack(mine, packed.data(), on);
  return true;
}

}  // namespace pleat::preloaded
