// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/detail/abi.hpp>

#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <memory>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <pleat/channels/cache_line.hpp>
#include <pleat/channels/line_ring.hpp>
#include <pleat/collectives/circulant.hpp>
#include <pleat/collectives/circulant_table.hpp>
#include <pleat/collectives/collective_options.hpp>
#include <pleat/runtime/detail/memory.hpp>
#include <pleat/runtime/detail/rings.hpp>
#include <pleat/runtime/detail/vp_access.hpp>
#include <pleat/runtime/vp.hpp>

namespace pleat::detail {

class levels;
class rendezvous;

/// Collective operations by their public names.
enum class collective : std::uint8_t {
  none,
  broadcast,
  all_gather,
  all_gather_v,
  all_to_all,
  all_to_all_v,
  scatter,
  scatter_v,
  gather,
  gather_v,
  reduce,
  all_reduce,
  reduce_scatter,
  reduce_scatter_v,
  scan,
  exclusive_scan,
};
[[nodiscard]] PLEAT_API std::string_view name_of(collective operation) noexcept;

/// One end of a ring to another rank of the segment.
struct edge {
  line_ring* ring = nullptr;
  std::uint32_t peer = 0;       // rank in the machine
  bool lent = false;            // it has lent memory in transit
  remote_ring* half = nullptr;  // half of the edge, if it leads to another process of the machine
};

/// Awaiter that waits until the event has happened at the edge.
struct edge_awaiter {
  using awaited_by_tasks = void;
  vp* me;
  const edge* at;
  channel_event event;
  collective operation;  // named in the message of a deadlock

  [[nodiscard]] bool await_ready() const {
    return happened(event, *at->ring) || vp_access::soon(*me, event, *at->ring);
  }
  void await_suspend(std::coroutine_handle<> self) const {
    vp_access::suspend(*me, self, at->peer, awaited_at(event, *at->ring), name_of(operation));
  }
  void await_resume() const noexcept {}
};

/// A virtual processor's part in the collective operations of one segment: its channels to the
/// others, its place in the circulant graph, and memory that is kept from one operation to the
/// next.
///
/// A transfer is one message. It contains up to `copied()` bytes. For more bytes it contains the
/// address, and the receiver copies (or combines) from there before it releases the message. When
/// all edges are drained, no rank reads this rank's memory: operations end by waiting for that.
///
/// On an edge to another process of the machine, lent memory is copied when it is sent. The
/// receiver gets the same bytes, but not the sender's memory: it must neither write to them nor
/// read memory around them. On a machine that traces every edge is such an edge, so what the
/// messages contain is all that moves, and push counts it.
///
/// Invariant: between two operations no edge of this rank has lent memory in transit.
class PLEAT_API endpoint {
 public:
  endpoint(vp& me, const segment& in);
  /// Makes an endpoint for some VPs of the segment, each in a different address space. Requires:
  /// `members` ascend, and the VP is one of them; or there are none, which stands for all.
  endpoint(vp& me, const segment& in, std::vector<std::uint32_t> members);
  endpoint(const endpoint&) = delete;
  endpoint& operator=(const endpoint&) = delete;
  ~endpoint();

  [[nodiscard]] vp& me() const noexcept { return me_; }
  /// Number of ranks, and own rank. Ranks are those of the segment, 0 … size − 1.
  [[nodiscard]] std::uint32_t size() const noexcept { return graph_.processors(); }
  [[nodiscard]] std::uint32_t rank() const noexcept { return rank_; }
  [[nodiscard]] const segment& where() const noexcept { return segment_; }
  /// VP that is this rank of the segment.
  [[nodiscard]] std::uint32_t vp_of(std::uint32_t rank) const noexcept {
    return members_.empty() ? static_cast<std::uint32_t>(segment_.first) + rank : members_[rank];
  }
  [[nodiscard]] bool strict() const noexcept { return vp_access::strict(me_); }
  /// Tells whether the ranks are in several address spaces: processes, or all ranks on a machine
  /// that traces.
  [[nodiscard]] bool spread() const noexcept { return local_.size() != size(); }
  /// Tells whether that rank is in another address space.
  [[nodiscard]] bool remote(std::uint32_t rank) const noexcept { return !local_.contains(rank); }
  /// Endpoints of the ranks of this process, and of one rank of each process. Requires: spread().
  [[nodiscard]] levels& in_levels();
  /// Rendezvous that all ranks share. Requires: not spread().
  [[nodiscard]] rendezvous& shared_rendezvous() {
    return rendezvous_ != nullptr ? *rendezvous_ : find_rendezvous();
  }
  [[nodiscard]] const circulant_graph& graph() const noexcept { return graph_; }
  /// Returns the schedule of the broadcast from `root`; the last one is cached.
  [[nodiscard]] const circulant_schedule& schedule(std::uint32_t root);
  /// Schedules of all ranks: one table for all segments of that size on the machine.
  [[nodiscard]] const circulant_table& table();

  /// Begins the next operation. Later messages identify the operation and contain `digest`, a hash
  /// of everything that must be equal on all ranks, so that a rank that differs is detected.
  /// `element`: bytes that count as one message of the model.
  /// Invariant: `digest` depends on nothing that only one rank knows.
  void begin(collective operation, std::uint64_t digest, std::size_t element) noexcept {
    begin_uncounted(operation, digest);
    if (counts_) element_ = element;
  }
  /// Begins an operation on arguments, which is no part of the operation's cost.
  void begin_uncounted(collective operation, std::uint64_t digest) noexcept {
    element_ = 0;
    const std::uint64_t hash = (digest ^ salt_) * multiplier;
    stamp_ = static_cast<std::uint32_t>(hash >> 52) << 20 | (++begun_ & 0xfff) << 8 |
             static_cast<std::uint32_t>(operation);
    mark_ = static_cast<std::uint16_t>(hash >> 36 & ~std::uint64_t{lends});
  }

  /// Begins a part of the current operation of `whole`. Differences between ranks in `whole` are
  /// detected here too.
  void begin_part_of(const endpoint& whole) noexcept {
    begin(operation_of(whole.stamp_), std::uint64_t{whole.mark_} << 12 | whole.stamp_ >> 20,
          whole.element_);
  }
  /// Begins a round: what this rank pushes from here to the next round belongs to it. All ranks
  /// begin the same number of rounds in an operation.
  void begin_round(collective_traffic& traffic) {
    ++traffic.rounds;
    begin_round();
  }
  void begin_round() {
    if (element_ != 0) [[unlikely]]
      vp_access::begin_round(me_);
  }

  /// Returns an error if messages to or from this rank were not taken; else null. Requires: the run
  /// is over.
  [[nodiscard]] std::exception_ptr left_over() const;

  [[nodiscard]] edge& to(std::uint32_t rank) { return find(outgoing_, rank, true); }
  [[nodiscard]] edge& from(std::uint32_t rank) { return find(incoming_, rank, false); }

  [[nodiscard]] edge_awaiter room(const edge& at) noexcept {
    return {&me_, &at, channel_event::room, operation_of(stamp_)};
  }
  [[nodiscard]] edge_awaiter value(const edge& at) noexcept {
    return {&me_, &at, channel_event::value, operation_of(stamp_)};
  }

  /// Greatest number of bytes that are copied into a message instead of being lent: the sender then
  /// need not wait, at the cost of one more copy.
  [[nodiscard]] std::size_t copied() const noexcept { return copied_; }

  /// Pushes data, copied or lent by its size. Requires room.
  void push(edge& to, const std::byte* data, std::size_t bytes, std::size_t most_copied);
  void push(edge& to, const std::byte* data, std::size_t bytes) { push(to, data, bytes, copied_); }
  /// Pushes lent data of any size.
  void push_lent(edge& to, const std::byte* data, std::size_t bytes);
  /// Pushes `bytes` bytes that `fill(std::byte* to)` writes. Requires bytes ≤ copied().
  template <class Fill> void push_filled(edge& to, std::size_t bytes, const Fill& fill) {
    to.ring->push(stamp_, mark_, static_cast<std::uint32_t>(bytes), fill);
    count(to, bytes);
    vp_access::notify(me_, to.peer);
  }
  /// Pushes `bytes` bytes that `fill(std::byte* to)` writes, any number, in memory of the endpoint
  /// if they do not fit in the message.
  template <class Fill> void push_packed(edge& to, std::size_t bytes, const Fill& fill) {
    if (bytes <= copied_) return push_filled(to, bytes, fill);
    std::byte* const kept = packed(bytes);
    fill(kept);
    push_lent(to, kept, bytes);
  }
  /// Returns taken data, or a copy that is aligned for its type: messages are aligned to cache
  /// lines only.
  [[nodiscard]] const std::byte* aligned(const std::byte* data, std::size_t bytes,
                                         std::size_t alignment) {
    if (alignment <= cache_line) [[likely]]
      return data;
    return realigned(data, bytes, alignment);
  }
  /// Takes a message: calls use(data) before the sender may change it. Requires a value. Throws:
  /// usage_error if the sender is in another operation or sends another amount.
  template <class Use> void take(edge& from, std::size_t bytes, const Use& use) {
    const line_ring::message m = from.ring->front();
    lent_memory lent{m.data, m.bytes};
    if ((m.mark & lends) != 0) std::memcpy(&lent, m.data, sizeof lent);
    if (m.tag != stamp_ || (m.mark & ~lends) != mark_ || lent.bytes != bytes) [[unlikely]]
      mismatch(from.peer, m.tag, lent.bytes, bytes);
    use(lent.data);
    from.ring->pop();
    vp_access::notify(me_, from.peer);
  }

  /// Throws usage_error, which says that the amount of a rank differs.
  [[noreturn]] void mismatch(std::uint32_t rank, std::size_t theirs, std::size_t ours) const;
  /// Identifies the operation and the choices that must be equal on all ranks.
  [[nodiscard]] std::uint64_t stamp() const noexcept { return std::uint64_t{mark_} << 32 | stamp_; }
  /// Throws usage_error, which says how a rank with that stamp differs from this one.
  [[noreturn]] void differs(std::uint32_t rank, std::uint64_t stamp, std::size_t theirs,
                            std::size_t ours) const;
  [[nodiscard]] std::string_view operation() const noexcept {
    return name_of(operation_of(stamp_));
  }
  /// Tells whether memory that this rank has lent may still be read: `co_await returned()` waits
  /// for the oldest. No operation ends before.
  [[nodiscard]] bool is_lending() noexcept {
    if (lending_.empty()) return false;
    while (returned_ < lending_.size() && lending_[returned_]->ring->drained())
      lending_[returned_++]->lent = false;
    if (returned_ < lending_.size()) return true;
    returned_ = 0;
    lending_.clear();
    packed_.clear();
    return false;
  }
  /// Requires: it lends.
  [[nodiscard]] edge_awaiter returned() const noexcept {
    return {&me_, lending_[returned_], channel_event::drained, operation_of(stamp_)};
  }

  /// Returns memory of at least `bytes` bytes, aligned for every type of that size (to a page at
  /// most); its contents are unspecified. The memory is kept for the next operation.
  [[nodiscard]] std::byte* scratch(std::size_t bytes);
  /// Array of `count` addresses of blocks, all null.
  [[nodiscard]] std::span<const std::byte*> pointers(std::size_t count);
  /// Array for the ends of all parts.
  [[nodiscard]] std::vector<std::size_t>& ends() noexcept { return ends_; }

 private:
  void count(const edge& to, std::size_t bytes) {
    if (element_ != 0) [[unlikely]]
      vp_access::message_of_round(me_, to.peer, (bytes + element_ - 1) / element_);
  }

  // A message's tag: eight bits of operation, twelve of its number in the segment, twelve of its
  // digest. Its mark: fifteen more of its digest, and whether it lends.
  static constexpr std::uint64_t multiplier = 0x9e3779b97f4a7c15;
  using edges = std::unordered_map<std::uint32_t, std::unique_ptr<edge>>;

  edge& find(edges& of, std::uint32_t rank, bool outgoing) {
    edge*& last = outgoing ? last_to_ : last_from_;
    if (last != nullptr && last->peer == vp_of(rank)) return *last;
    return *(last = &make(of, rank, outgoing));
  }
  edge& make(edges& of, std::uint32_t rank, bool outgoing);
  [[nodiscard]] std::byte* packed(std::size_t bytes);
  [[nodiscard]] const std::byte* realigned(const std::byte* data, std::size_t bytes,
                                           std::size_t alignment);
  void connect_remote(edge& made, bool outgoing, unsigned context);
  rendezvous& find_rendezvous();
  [[noreturn]] void mismatch(std::uint32_t peer, std::uint32_t theirs, std::size_t sent,
                             std::size_t expected) const;
  static collective operation_of(std::uint32_t tag) noexcept {
    return static_cast<collective>(tag & 0xff);
  }

  vp& me_;
  segment segment_;
  std::vector<std::uint32_t> members_;  // [rank]: its VP, if that is not `first` + rank
  std::uint32_t rank_;
  rank_range local_;  // ranks of the segment in this address space
  rendezvous* rendezvous_ = nullptr;
  std::unique_ptr<levels> levels_;
  std::size_t copied_;
  std::uint32_t begun_ = 0;
  std::uint32_t stamp_ = 0;
  std::uint16_t mark_ = 0;
  bool counts_;              // the machine traces
  std::size_t element_ = 0;  // bytes of a message of the model; 0: nothing is counted
  std::uint64_t salt_;       // hash of the segment: others with the same label use the same rings
  circulant_graph graph_;
  circulant_schedule schedule_;
  std::uint32_t schedule_of_ = ~std::uint32_t{0};
  std::shared_ptr<const circulant_table> table_;
  edges outgoing_, incoming_;
  edge* last_to_ = nullptr;
  edge* last_from_ = nullptr;
  std::vector<edge*> lending_;  // edges with lent memory,
  std::size_t returned_ = 0;    // of which so many, the first, are drained
  using memory = std::unique_ptr<void, void (*)(void*) noexcept>;
  memory scratch_{nullptr, &give_back_memory};
  std::size_t scratch_bytes_ = 0;
  std::vector<memory> packed_;  // memory lent by edges, until all are drained
  memory realigned_{nullptr, &give_back_memory};
  std::size_t realigned_bytes_ = 0;
  std::vector<const std::byte*> pointers_;
  std::vector<std::size_t> ends_;
};

/// Finds the endpoint of the VP in the segment; made at its first use, destroyed with the run.
/// Throws: usage_error if the segment is no cluster that contains the VP.
[[nodiscard]] PLEAT_API endpoint& endpoint_of(vp& me, const segment& in);

}  // namespace pleat::detail
