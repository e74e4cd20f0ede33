// SPDX-License-Identifier: Apache-2.0
// Broadcasts, gathers and scatters. Whether a call is ours depends on the number of bytes, which
// all ranks know alike, but for irregular gathers and scatters with a root; datatypes may differ
// from rank to rank.
#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "engines/engines.hpp"
#include "operations/operations.hpp"

namespace pleat::preloaded {

plan bcast(communicator& on, const side& data, int root) {
  if (data.in_place() || !data.is_valid() || !on.has(root)) return {};
  const std::size_t bytes = data.bytes();
  if (!on.chosen().ours(operation::bcast, bytes)) return {};
  const std::size_t blocks =
      best_blocks(on.chosen(), operation::bcast, {bytes, bytes}, on.size(), bytes);
  return
      [&on, all = typed_parts(data, 1), from = static_cast<std::uint32_t>(root), blocks]() -> task {
        if (on.rank() == from) all.pack(on);
        const task sent = broadcast(on, operation::bcast, from, all.get().first<1>(), blocks);
        co_await sent;
        if (on.rank() != from) all.unpack(on);
      };
}

namespace {

std::shared_ptr<const held_type> use_of(const side& one) {
  return one.in_place() ? nullptr : preloaded::use_of(one.type);
}

plan all_gather(communicator& on, operation what, const side& mine, typed_parts all,
                std::size_t longest) {
  const std::size_t blocks =
      best_blocks(on.chosen(), what, {all.bytes(), longest}, on.size(), longest);
  return [&on, all = std::move(all), what, mine, use = use_of(mine), blocks]() -> task {
    all.put(on.rank(), mine, on);
    const task gathered = all_broadcast(on, what, all.get(), blocks);
    co_await gathered;
    all.unpack(on);
  };
}

}  // namespace

plan allgather(communicator& on, const side& mine, const side& each) {
  constexpr operation what = operation::allgather;
  if (each.in_place() || !each.is_valid() || !mine.is_valid()) return {};
  const std::size_t bytes = each.bytes();
  if (!on.chosen().ours(what, bytes * on.size()) || !(mine.in_place() || mine.bytes() == bytes))
    return {};
  return all_gather(on, what, mine, typed_parts(each, on.size()), bytes);
}

plan allgatherv(communicator& on, const side& mine, const irregular_side& theirs) {
  constexpr operation what = operation::allgatherv;
  if (!theirs.is_valid() || !mine.is_valid()) return {};
  typed_parts all(theirs);
  const std::size_t longest = std::ranges::max(all.get(), {}, &part::bytes).bytes;
  if (!on.chosen().ours(what, all.bytes()) ||
      !(mine.in_place() || mine.bytes() == all.get()[on.rank()].bytes)) {
    return {};
  }
  return all_gather(on, what, mine, std::move(all), longest);
}

namespace {

/// Gathers the ranks' sides at the root, where `all` is their place.
plan gather_at(communicator& on, operation what, std::uint32_t root, const side& mine,
               std::optional<typed_parts> all) {
  if (!all) {
    return [&on, own = typed_parts(mine, 1), what, root]() -> task {
      own.pack(on);
      const task gathered = gather_parts(on, what, root, own.get().front(), {});
      co_await gathered;
    };
  }
  return [&on, all = std::move(*all), what, root, mine, use = use_of(mine)]() -> task {
    all.put(root, mine, on);
    const task gathered = gather_parts(on, what, root, {}, all.get());
    co_await gathered;
    all.unpack(on);
  };
}

/// Scatters the parts of the root, `all`, to the ranks' sides.
plan scatter_from(communicator& on, operation what, std::uint32_t root,
                  std::optional<typed_parts> all, const side& mine,
                  std::vector<std::size_t> sizes) {
  if (!all) {
    return [&on, own = typed_parts(mine, 1), what, root, sizes = std::move(sizes)]() -> task {
      const task scattered = scatter_parts(on, what, root, {}, own.get().front(), sizes);
      co_await scattered;
      own.unpack(on);
    };
  }
  return [&on, all = std::move(*all), what, root, mine, use = use_of(mine),
          sizes = std::move(sizes)]() -> task {
    all.pack(on);
    const task scattered = scatter_parts(on, what, root, all.get(), {}, sizes);
    co_await scattered;
    all.take(root, mine, on);
  };
}

/// Tells whether a gather or scatter of equal parts is ours. At the root `each` are all ranks'
/// parts.
bool is_ours(const communicator& on, operation what, const side& mine, const side& each, int root) {
  if (!on.has(root)) return false;
  const side& known = on.is(root) ? each : mine;
  return !known.in_place() && known.is_valid() && mine.is_valid() &&
         on.chosen().ours(what, known.bytes() * on.size());
}

/// Tells whether an irregular one is ours, whose size the root alone knows.
bool is_ours(const communicator& on, operation what, const side& mine,
             const std::optional<irregular_side>& theirs) {
  return mine.is_valid() && (theirs ? theirs->is_valid() : !mine.in_place()) &&
         on.chosen().ours_at_every_size(what);
}

}  // namespace

plan gather(communicator& on, const side& mine, const side& each, int root) {
  if (!is_ours(on, operation::gather, mine, each, root)) return {};
  std::optional<typed_parts> all;
  if (on.is(root)) all.emplace(each, on.size());
  return gather_at(on, operation::gather, static_cast<std::uint32_t>(root), mine, std::move(all));
}

plan gatherv(communicator& on, const side& mine, const std::optional<irregular_side>& theirs,
             int root) {
  if (!is_ours(on, operation::gatherv, mine, theirs)) return {};
  std::optional<typed_parts> all;
  if (theirs) all.emplace(*theirs);
  return gather_at(on, operation::gatherv, static_cast<std::uint32_t>(root), mine, std::move(all));
}

plan scatter(communicator& on, const side& each, const side& mine, int root) {
  if (!is_ours(on, operation::scatter, mine, each, root)) return {};
  std::optional<typed_parts> all;
  if (on.is(root)) all.emplace(each, on.size());
  std::vector<std::size_t> sizes(on.size(), on.is(root) ? each.bytes() : mine.bytes());
  return scatter_from(on, operation::scatter, static_cast<std::uint32_t>(root), std::move(all),
                      mine, std::move(sizes));
}

plan scatterv(communicator& on, const std::optional<irregular_side>& theirs, const side& mine,
              int root) {
  if (!is_ours(on, operation::scatterv, mine, theirs)) return {};
  std::optional<typed_parts> all;
  if (theirs) all.emplace(*theirs);
  return scatter_from(on, operation::scatterv, static_cast<std::uint32_t>(root), std::move(all),
                      mine, {});
}

}  // namespace pleat::preloaded
