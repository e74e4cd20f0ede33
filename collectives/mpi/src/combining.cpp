// SPDX-License-Identifier: Apache-2.0
// MPI_Reduce, MPI_Allreduce, MPI_Reduce_scatter and MPI_Reduce_scatter_block of a program, where
// the operator commutes: all ranks know that alike.
#include <algorithm>
#include <limits>
#include <optional>
#include <vector>

#include "elements.hpp"
#include "engines.hpp"
#include "interposed.hpp"
#include "operators.hpp"
#include "split.hpp"

namespace pleat::preloaded {

namespace {

/// What a reduction's call has in common on all ranks.
struct reduction {
  operation what;
  MPI_Datatype type;
  MPI_Op op;

  /// Is it ours, with `total` elements of which a message has up to `ranks` single ones?
  [[nodiscard]] bool ours(const communicator& on, std::size_t total, std::size_t ranks) const {
    constexpr std::size_t largest = std::size_t{1} << 29;
    const std::size_t size = bytes_of(1, type);
    return size != 0 && size <= largest / ranks && on.chosen().ours(what, total * size) &&
           commutes(op, type);
  }
  [[nodiscard]] std::size_t blocks(const communicator& on, std::size_t total,
                                   std::size_t longest) const {
    const std::size_t size = bytes_of(1, type);
    return best_blocks(on.chosen(), what, {total * size, longest * size}, on.size(), longest);
  }
};

bool reduce_call(communicator& on, const reduction& call, const void* from, void* to, int count,
                 int root) {
  if (root < 0 || static_cast<std::uint32_t>(root) >= on.size()) return false;
  const bool at_root = on.rank() == static_cast<std::uint32_t>(root);
  if ((at_root ? to : from) == MPI_IN_PLACE) return false;
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

/// The sums of all ranks' parts are here: each on its rank, at its place of `all`.
void share(communicator& on, operation what, elements all, std::span<const int> counts,
           std::size_t blocks) {
  const element_type& of = all.of();
  std::size_t total = 0;
  std::size_t first_of_mine = 0;
  for (std::size_t r = 0; r < counts.size(); ++r) {
    if (r == on.rank()) first_of_mine = total;
    total += static_cast<std::size_t>(counts[r]);
  }
  std::vector<std::byte> packed(of.dense ? 0 : total * of.size);
  std::byte* const bytes = of.dense ? all.bytes() : packed.data();
  std::vector<part> parts(counts.size());
  std::size_t before = 0;
  for (std::size_t r = 0; r < counts.size(); ++r) {
    parts[r] = {bytes + before, static_cast<std::size_t>(counts[r]) * of.size};
    before += parts[r].bytes;
  }
  if (!of.dense) {
    all.from(static_cast<std::ptrdiff_t>(first_of_mine))
        .pack(static_cast<std::size_t>(counts[on.rank()]), parts[on.rank()].data, on.own());
  }
  all_broadcast(on, what, parts, blocks);
  all.unpack(total, bytes, on.own());
}

bool allreduce(communicator& on, const reduction& call, const void* from, void* to, int count) {
  const auto number = static_cast<std::size_t>(count);
  if (!call.ours(on, number, on.size())) return false;
  const element_type of(call.type);
  const elements sum(to, of);
  std::vector<int> counts(on.size());
  for (std::size_t r = 0; r < counts.size(); ++r) {
    counts[r] = static_cast<int>(split(number, counts.size(), r).count);
  }
  const std::size_t blocks = call.blocks(on, number, static_cast<std::size_t>(counts.front()));
  reduce_parts(on, call.what, from == MPI_IN_PLACE ? sum : elements(from, of), sum, counts,
               {call.op, &of}, blocks);
  share(on, call.what, sum, counts, blocks);
  return true;
}

bool reduce_scatter(communicator& on, const reduction& call, const void* from, void* to,
                    std::span<const int> counts) {
  if (std::ranges::any_of(counts, [](int count) { return count < 0; })) return false;
  std::size_t total = 0;
  std::size_t first_of_mine = 0;
  for (std::size_t r = 0; r < counts.size(); ++r) {
    if (r == on.rank()) first_of_mine = total;
    total += static_cast<std::size_t>(counts[r]);
  }
  if (!call.ours(on, total, on.size())) return false;
  const element_type of(call.type);
  const elements out(to, of);
  const element_memory sums(total, of);
  reduce_parts(on, call.what, from == MPI_IN_PLACE ? out : elements(from, of), sums.get(), counts,
               {call.op, &of},
               call.blocks(on, total, static_cast<std::size_t>(std::ranges::max(counts))));
  const auto mine = static_cast<std::size_t>(counts[on.rank()]);
  const elements own = sums.get().from(static_cast<std::ptrdiff_t>(first_of_mine));
  if (of.dense) {
    own.pack(mine, out.bytes(), on.own());
    return true;
  }
  std::vector<std::byte> packed(mine * of.size);
  own.pack(mine, packed.data(), on.own());
  out.unpack(mine, packed.data(), on.own());
  return true;
}

}  // namespace

}  // namespace pleat::preloaded

using namespace pleat::preloaded;

#pragma GCC visibility push(default)
extern "C" {

int MPI_Reduce(const void* from, void* to, int count, MPI_Datatype type, MPI_Op op, int root,
               MPI_Comm comm) {
  const auto own = [&] { return PMPI_Reduce(from, to, count, type, op, root, comm); };
  if (!proper(count, type)) return own();
  const reduction call{operation::reduce, type, op};
  return interposed(
      comm, [&](communicator& on) { return reduce_call(on, call, from, to, count, root); }, own);
}

int MPI_Allreduce(const void* from, void* to, int count, MPI_Datatype type, MPI_Op op,
                  MPI_Comm comm) {
  const auto own = [&] { return PMPI_Allreduce(from, to, count, type, op, comm); };
  if (!proper(count, type) || to == MPI_IN_PLACE) return own();
  const reduction call{operation::allreduce, type, op};
  return interposed(
      comm, [&](communicator& on) { return allreduce(on, call, from, to, count); }, own);
}

int MPI_Reduce_scatter(const void* from, void* to, const int* counts, MPI_Datatype type, MPI_Op op,
                       MPI_Comm comm) {
  const auto own = [&] { return PMPI_Reduce_scatter(from, to, counts, type, op, comm); };
  if (!proper(0, type) || to == MPI_IN_PLACE || counts == nullptr) return own();
  const reduction call{operation::reduce_scatter, type, op};
  return interposed(
      comm,
      [&](communicator& on) {
        return reduce_scatter(on, call, from, to, {counts, on.size()});
      },
      own);
}

int MPI_Reduce_scatter_block(const void* from, void* to, int count, MPI_Datatype type, MPI_Op op,
                             MPI_Comm comm) {
  const auto own = [&] { return PMPI_Reduce_scatter_block(from, to, count, type, op, comm); };
  if (!proper(count, type) || to == MPI_IN_PLACE) return own();
  const reduction call{operation::reduce_scatter_block, type, op};
  return interposed(
      comm,
      [&](communicator& on) {
        const std::vector<int> counts(on.size(), count);
        return reduce_scatter(on, call, from, to, counts);
      },
      own);
}

}  // extern "C"
#pragma GCC visibility pop
