// SPDX-License-Identifier: Apache-2.0
// Broadcasts and reductions along the circulant graph or trees, of one root or of all ranks at
// once. Neighbours wait for each other and for nobody else.
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>

#include <pleat/collectives/detail/engines.hpp>

#include "../schedule_engines/circulant_walk.hpp"
#include "received.hpp"
#include "rendezvous.hpp"

namespace pleat::detail {

namespace {

using schedule_engines::block, schedule_engines::direction;

/// Waits at the rendezvous of ranks that share memory: those that have chosen another engine would
/// wait for each other.
struct agreement_awaiter {
  using awaited_by_tasks = void;
  rendezvous_awaiter others;
  bool any;

  [[nodiscard]] bool await_ready() const { return !any || others.await_ready(); }
  void await_suspend(std::coroutine_handle<> self) const { others.await_suspend(self); }
  void await_resume() const {
    if (any) others.await_resume();
  }
};

/// Transport of a virtual processor, which posts no receive: it takes a message where its sender
/// has it. The data is one of parts_of_vp.
template <class Data> class vp_transport {
 public:
  using task = pleat::task<>;
  using place = endpoint;
  using data = Data;
  template <class X> using slots = schedule_engines::one_slot<X>;

  /// Throws: std::bad_alloc, as an engine does: it is made in the engine's coroutine.
  vp_transport(endpoint& on, Data moved) : on_(on), moved_(std::move(moved)) {
    if constexpr (requires { moved_.prepare(); }) moved_.prepare();
  }

  [[nodiscard]] Data& moved() noexcept { return moved_; }
  [[nodiscard]] static constexpr std::size_t window() noexcept { return 1; }
  [[nodiscard]] agreement_awaiter agreed() {
    if (on_.spread()) return {{}, false};
    return {meet(on_, moved_.bytes()), true};
  }
  void begin_round() { on_.begin_round(moved_.traffic); }
  template <class Message> void receive(std::size_t /*number*/, const Message& /*message*/) {}
  template <class Message> [[nodiscard]] edge_awaiter arrived(const Message& message) {
    return on_.value(on_.from(message.peer()));
  }
  template <class Message> void take(std::size_t /*number*/, const Message& message) {
    on_.take(on_.from(message.peer()), message.bytes(),
             [&](const std::byte* sent) { message.take(sent); });
  }
  template <class Message> [[nodiscard]] edge_awaiter room(const Message& message) {
    return on_.room(on_.to(message.peer()));
  }
  template <class Message> void send(const Message& message) {
    edge& to = on_.to(message.peer());
    if (const std::byte* const here = message.memory(); here != nullptr)
      return on_.push(to, here, message.bytes(), moved_.most_copied);
    on_.push_packed(to, message.bytes(), [&](std::byte* packed) { message.pack(packed); });
  }
  [[nodiscard]] bool lends() noexcept { return moved_.settles && on_.is_lending(); }
  [[nodiscard]] edge_awaiter returned() noexcept { return on_.returned(); }

 private:
  endpoint& on_;
  Data moved_;
};

/// Data in parts of all ranks, or in the one of a root.
struct parts_of_vp {
  layout parts;
  std::size_t ranks;        // that have parts
  std::size_t blocks;       // of a part
  std::uint32_t own;        // part of this rank
  std::size_t most_copied;  // bytes that are not lent
  bool settles;             // nothing is lent when the engine ends
  collective_traffic& traffic;

  [[nodiscard]] std::size_t bytes() const noexcept { return parts.total(ranks); }
  [[nodiscard]] piece at(std::uint32_t part, std::size_t number) const noexcept {
    return parts.at(part, number, blocks);
  }
  /// Place of a block in memory that has this rank's part alone.
  [[nodiscard]] std::size_t inside_own(const schedule_engines::block& one) const noexcept {
    return one.at.offset - parts.part(own).offset;
  }
};

/// Parts that are copied to their places in `all`. The own one is `mine` meanwhile, if not null.
struct copied_parts : parts_of_vp {
  std::byte* all;
  const std::byte* mine;

  [[nodiscard]] const std::byte* sent(const block& one) const noexcept {
    if (mine == nullptr || one.part != own) return all + one.at.offset;
    return mine + inside_own(one);
  }
  [[nodiscard]] const std::byte* received(const block& one) const noexcept {
    return all + one.at.offset;
  }
  void take(const block& one, const std::byte* from) const {
    if (one.at.bytes != 0) std::memcpy(all + one.at.offset, from, one.at.bytes);
    count_received(traffic, one.at.bytes);
  }
  void while_sent() const {
    const piece place = parts.part(own);
    if (mine != nullptr) copy(all + place.offset, mine, place.bytes, traffic);
  }
};

/// Sums of parts: of the own one in `out`, of others in `others`. A block is that of `in` until
/// something has been added to it.
struct partial_sums : parts_of_vp {
  endpoint& on;
  combiner op;
  const std::byte* in;
  std::byte* out;
  std::byte* others = nullptr;
  std::span<const std::byte*> so_far = {};  // [part and block]: sum, or null

  void prepare() {
    so_far = on.pointers(ranks * blocks);
    if (ranks > 2) others = on.scratch(parts.total(ranks));
  }

  [[nodiscard]] const std::byte*& sum_of(const block& one) const noexcept {
    return so_far[one.part * blocks + one.number];
  }
  [[nodiscard]] const std::byte* sent(const block& one) const noexcept {
    const std::byte* const sum = sum_of(one);
    return sum != nullptr ? sum : in + one.at.offset;
  }
  [[nodiscard]] static const std::byte* received(const block& /*one*/) noexcept { return nullptr; }
  void take(const block& one, const std::byte* theirs) const {
    std::byte* const sum = one.part == own ? out + inside_own(one) : others + one.at.offset;
    op(sum, sent(one), on.aligned(theirs, one.at.bytes, op.alignment), one.at.bytes);
    sum_of(one) = sum;
    count_received(traffic, one.at.bytes);
  }
  static void while_sent() noexcept {}
};

/// Walks along the schedule of the form, from or to a root, or all ranks.
template <class Data, class... Root>
task<> walk(endpoint& on, direction way, schedule_form form, Data data, Root... root) {
  namespace engines = schedule_engines;
  using mover = vp_transport<Data>;
  if (form.has_trees())
    return engines::walk<mover, engines::tree_roots>(on, way, std::move(data), form, root...);
  if constexpr (sizeof...(Root) == 1)
    return engines::walk<mover, engines::one_root>(on, way, std::move(data), root...);
  else
    return engines::walk<mover, engines::all_roots>(on, way, std::move(data));
}

}  // namespace

task<> broadcast_blocks(endpoint& on, std::uint32_t root, std::byte* data, block_split blocks,
                        collective_traffic& traffic, schedule_form form) {
  const layout whole{blocks.element, blocks.count};
  const parts_of_vp parts{whole, 1, blocks.blocks, 0, on.copied(), true, traffic};
  return walk(on, direction::forwards, form, copied_parts{parts, data, nullptr}, root);
}

task<> reduce_blocks(endpoint& on, std::uint32_t root, const std::byte* in, std::byte* sum,
                     block_split blocks, combiner op, collective_traffic& traffic,
                     schedule_form form) {
  const layout whole{blocks.element, blocks.count};
  const parts_of_vp parts{whole, 1, blocks.blocks, 0, copied_of(on, op), true, traffic};
  return walk(on, direction::backwards, form, partial_sums{parts, on, op, in, sum}, root);
}

task<> all_broadcast(endpoint& on, const std::byte* mine, std::byte* all, layout parts,
                     std::size_t blocks, collective_traffic& traffic, schedule_form form) {
  const parts_of_vp of_all{parts, on.size(), blocks, on.rank(), on.copied(), true, traffic};
  return walk(on, direction::forwards, form, copied_parts{of_all, all, mine});
}

task<> all_reduce_parts(endpoint& on, const std::byte* in, std::byte* out, layout parts,
                        std::size_t blocks, combiner op, bool settle, collective_traffic& traffic,
                        schedule_form form) {
  const parts_of_vp of_all{parts, on.size(), blocks, on.rank(), copied_of(on, op), settle, traffic};
  return walk(on, direction::backwards, form, partial_sums{of_all, on, op, in, out});
}

task<> all_reduce_blocks(endpoint& on, const std::byte* in, std::byte* out, block_split data,
                         combiner op, collective_traffic& traffic, schedule_form form) {
  const layout parts = balanced_layout(data, on.size(), on.ends());
  std::byte* const mine = out + parts.part(on.rank()).offset;
  task<> reduced = all_reduce_parts(on, in, mine, parts, data.blocks, op, in == out, traffic, form);
  co_await reduced;
  task<> gathered = all_broadcast(on, mine, out, parts, data.blocks, traffic, form);
  co_await gathered;
}

}  // namespace pleat::detail
