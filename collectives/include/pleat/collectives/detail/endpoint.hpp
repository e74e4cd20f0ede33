// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <pleat/collectives/circulant.hpp>
#include <pleat/collectives/circulant_table.hpp>
#include <pleat/runtime/detail/memory.hpp>
#include <pleat/runtime/vp.hpp>

namespace pleat::detail {

/// Which operation a token belongs to: what differs between two partners is an error, not a hang.
enum class collective : std::uint32_t {
  broadcast = 1,
  all_gather,
  reduce,
  reduce_scatter,
  all_to_all,
  scatter,
  gather,
  exchange,
  meet,
};
[[nodiscard]] std::string_view name_of(collective operation) noexcept;

/// One end of a channel to another rank of the segment.
struct edge {
  vp_channel* channel = nullptr;
  std::uint32_t peer = 0;  // rank in the machine
  bool lent = false;       // something in it is memory, not payload
};

/// `co_await`: until the event has happened at the edge.
struct edge_awaiter {
  vp* me;
  const edge* at;
  channel_event event;

  [[nodiscard]] bool await_ready() const {
    return happened(event, *at->channel) || vp_access::soon(*me, event, *at->channel);
  }
  void await_suspend(std::coroutine_handle<> self) const {
    vp_access::suspend(*me, self, at->peer, event, *at->channel);
  }
  void await_resume() const noexcept {}
};

/// A virtual processor's part in the collective operations of one segment: its channels to the
/// others, its place in the circulant graph, memory that is kept from one operation to the next.
///
/// A transfer is one slot. Up to 48 bytes travel in it; of more it carries the address, and the
/// receiver copies (or combines) from there before it lets the slot go. So an edge that is drained
/// says that nobody reads our memory any more: `settled` waits for it at the end of an operation.
///
/// Invariant: between two operations no edge of ours is in use that lends.
class endpoint {
 public:
  endpoint(vp& me, const segment& in);
  endpoint(const endpoint&) = delete;
  endpoint& operator=(const endpoint&) = delete;

  /// Ranks of the segment from here on: 0 … size − 1.
  [[nodiscard]] std::uint32_t size() const noexcept { return graph_.processors(); }
  [[nodiscard]] std::uint32_t rank() const noexcept { return rank_; }
  [[nodiscard]] const segment& where() const noexcept { return segment_; }
  [[nodiscard]] const circulant_graph& graph() const noexcept { return graph_; }
  /// Of the broadcast from `root`; the last one is kept.
  [[nodiscard]] const circulant_schedule& schedule(std::uint32_t root);
  /// All ranks' schedules, one table for all segments of that size on the machine.
  [[nodiscard]] const circulant_table& table();

  [[nodiscard]] edge& to(std::uint32_t rank) { return find(outgoing_, rank, true); }
  [[nodiscard]] edge& from(std::uint32_t rank) { return find(incoming_, rank, false); }

  [[nodiscard]] edge_awaiter room(const edge& at) noexcept {
    return {&me_, &at, channel_event::room};
  }
  [[nodiscard]] edge_awaiter value(const edge& at) noexcept {
    return {&me_, &at, channel_event::value};
  }
  [[nodiscard]] edge_awaiter drained(const edge& at) noexcept {
    return {&me_, &at, channel_event::drained};
  }

  /// Requires room. A small one is copied, a larger one is lent until the edge is drained.
  void push(edge& to, collective operation, const void* data, std::size_t bytes);
  /// Lends whatever its size. `bytes` is what the receiver must expect.
  void push_lent(edge& to, collective operation, const void* data, std::size_t bytes);
  /// Requires bytes ≤ slot_payload.
  void push_inline(edge& to, collective operation, const void* data, std::size_t bytes);
  /// Requires a value. Calls use(const std::byte* data) before the sender may change it.
  /// Throws: usage_error if the sender is in another operation or sends another amount.
  template <class Use>
  void take(edge& from, collective operation, std::size_t bytes, const Use& use) {
    from.channel->consume([&](const slot& s) {
      check(from, s, operation, bytes);
      use(data_of(s));
    });
    vp_access::notify(me_, from.peer);
  }

  /// Throws: usage_error that says that a rank brings another amount to an ordered operation.
  [[noreturn]] void mismatch(std::uint32_t rank, std::size_t theirs, std::size_t ours) const;
  /// The edges that lend: all must be drained before the operation ends.
  [[nodiscard]] std::span<edge* const> lending() const noexcept { return lending_; }
  void all_drained() noexcept {
    for (edge* e : lending_) e->lent = false;
    lending_.clear();
  }

  /// At least so many bytes; what was in it is lost. Kept for the next operation.
  [[nodiscard]] std::byte* scratch(std::size_t bytes);
  /// Room for so many addresses of blocks, all null.
  [[nodiscard]] std::span<const std::byte*> pointers(std::size_t count);
  /// Room for the ends of all parts.
  [[nodiscard]] std::vector<std::size_t>& ends() noexcept { return ends_; }

 private:
  struct token {  // the payload of a slot that lends
    const std::byte* data;
    std::uint64_t bytes;
  };
  static constexpr std::uint16_t lends = 1;  // a slot's mark
  using edges = std::unordered_map<std::uint32_t, std::unique_ptr<edge>>;

  edge& find(edges& of, std::uint32_t rank, bool outgoing) {
    edge*& last = outgoing ? last_to_ : last_from_;
    if (last != nullptr && last->peer == segment_.first + rank) return *last;
    return *(last = &make(of, rank, outgoing));
  }
  edge& make(edges& of, std::uint32_t rank, bool outgoing);
  void push(edge& to, slot& s, collective operation);
  static const std::byte* data_of(const slot& s) noexcept {
    return s.mark() == lends ? s.get<token>().data : s.bytes().data();
  }
  void check(const edge& from, const slot& s, collective operation, std::size_t bytes) const {
    const std::size_t sent = s.mark() == lends ? s.get<token>().bytes : s.size();
    if (s.tag() != static_cast<std::uint32_t>(operation) || sent != bytes) [[unlikely]]
      mismatch(from, static_cast<collective>(s.tag()), sent, operation, bytes);
  }
  [[noreturn]] void mismatch(const edge& from, collective theirs, std::size_t sent, collective ours,
                             std::size_t expected) const;

  vp& me_;
  segment segment_;
  std::uint32_t rank_;
  circulant_graph graph_;
  circulant_schedule schedule_;
  std::uint32_t schedule_of_ = ~std::uint32_t{0};
  std::shared_ptr<const circulant_table> table_;
  edges outgoing_, incoming_;
  edge* last_to_ = nullptr;
  edge* last_from_ = nullptr;
  std::vector<edge*> lending_;
  std::unique_ptr<void, void (*)(void*) noexcept> scratch_{nullptr, &give_back_memory};
  std::size_t scratch_bytes_ = 0;
  std::vector<const std::byte*> pointers_;
  std::vector<std::size_t> ends_;
};

/// That of the VP in the segment; made at its first use, gone at the run's end.
/// Throws: usage_error if it is no cluster the VP is in.
[[nodiscard]] endpoint& endpoint_of(vp& me, const segment& in);

}  // namespace pleat::detail
