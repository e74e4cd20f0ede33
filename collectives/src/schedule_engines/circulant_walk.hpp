// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include <pleat/collectives/circulant_rounds.hpp>
#include <pleat/collectives/detail/tree_rounds.hpp>

#include "transport.hpp"

namespace pleat::schedule_engines {

/// Order of the rounds. Forwards they broadcast. Backwards, with arcs reversed, they reduce: blocks
/// are combined when they arrive.
enum class direction : bool { forwards, backwards };

/// Arc of a schedule's graph into a rank or out of it, as a broadcast uses it in a round.
struct arc {
  std::size_t turn = 0;  // at which the round is performed
  std::size_t round = 0;
  unsigned k = 0;  // index of its skip
  bool into = false;
  std::uint32_t peer = 0;
};

/// Arcs of the circulant graph.
template <class Place> class circulant_arcs {
 public:
  circulant_arcs(Place& at, std::size_t blocks)
      : rounds_(at.graph(), blocks), rank_(at.rank()), graph_(at.graph()) {}

  [[nodiscard]] std::size_t rounds() const noexcept { return rounds_.size(); }
  [[nodiscard]] arc over(std::size_t turn, std::size_t round, bool into) const noexcept {
    const unsigned k = rounds_.skip_index(round);
    return {turn, round, k, into, into ? graph_.from(rank_, k) : graph_.to(rank_, k)};
  }

 protected:
  circulant_rounds rounds_;
  std::uint32_t rank_;

 private:
  const circulant_graph& graph_;
};

/// Blocks of one root's data: at most one travels over an arc, and messages may have no bytes.
template <class Place> class one_root : public circulant_arcs<Place> {
 public:
  static constexpr bool single = true;
  one_root(Place& at, std::size_t blocks, std::uint32_t root)
      : circulant_arcs<Place>(at, blocks), own_(at.schedule(root)), root_(root) {}

  template <class Use> void each(const arc& over, const Use& use) const {
    if ((over.into ? this->rank_ : over.peer) == root_) return;
    const std::int8_t entry = over.into ? own_.recv[over.k] : own_.send[over.k];
    const std::size_t number = this->rounds_.block(entry, over.round);
    if (number != circulant_step::none) use(std::uint32_t{0}, number);
  }

 private:
  const circulant_schedule& own_;
  std::uint32_t root_;
};

/// Blocks of all ranks' data: at most one for each root but the receiver, in their order, travels
/// over an arc. Cost: O(p) an arc.
template <class Place> class all_roots : public circulant_arcs<Place> {
 public:
  static constexpr bool single = false;
  all_roots(Place& at, std::size_t blocks)
      : circulant_arcs<Place>(at, blocks), table_(at.table()), size_(at.size()) {}

  template <class Use> void each(const arc& over, const Use& use) const {
    const std::uint32_t receiver = over.into ? this->rank_ : over.peer;
    const auto entries = table_.received(over.k);
    for (std::uint32_t root = 0; root < size_; ++root) {
      if (root == receiver) continue;
      const std::uint32_t relative = receiver >= root ? receiver - root : receiver + (size_ - root);
      const std::size_t number = this->rounds_.block(entries[relative], over.round);
      if (number != circulant_step::none) use(root, number);
    }
  }

 private:
  const circulant_table& table_;
  std::uint32_t size_;
};

/// Blocks that travel down trees, of data in one block: the part of each root but the receiver, or
/// of the only root, even if it is empty, that reaches it in the round. Cost: O(p), for one root
/// O(log p), an arc.
template <class Place> class tree_roots {
 public:
  static constexpr bool single = false;
  tree_roots(Place& at, std::size_t /*blocks*/, const detail::schedule_form& form,
             std::optional<std::uint32_t> root = {})
      : rounds_(form, at.size(), root),
        rank_(at.rank()),
        known_(root ? 0 : at.size()),
        root_(root) {
    for (std::uint32_t from = 0; from < known_.size(); ++from)
      if (from != rank_) known_[from] = rounds_.arrival(from, rank_) + 1;
  }

  [[nodiscard]] std::size_t rounds() const noexcept { return rounds_.size(); }
  [[nodiscard]] arc over(std::size_t turn, std::size_t round, bool into) const noexcept {
    return {turn, round, 0, into, rounds_.peer(static_cast<unsigned>(round), rank_)};
  }
  [[nodiscard]] bool sends_empty() const noexcept { return root_.has_value(); }
  template <class Use> void each(const arc& over, const Use& use) const {
    if (over.peer == detail::tree_rounds::nobody) return;
    const std::uint32_t receiver = over.into ? rank_ : over.peer;
    const auto reaches = [&](std::uint32_t root) {
      return root != receiver && rounds_.arrival(root, receiver) == over.round;
    };
    if (root_ && reaches(*root_)) use(std::uint32_t{0}, std::size_t{0});
    for (std::uint32_t root = 0; root < known_.size(); ++root)
      if (over.into ? known_[root] == over.round + 1 : known_[root] <= over.round && reaches(root))
        use(root, std::size_t{0});
  }

 private:
  detail::tree_rounds rounds_;
  std::uint32_t rank_;
  std::vector<unsigned> known_;  // [root], if all are: rounds until this rank has its part
  std::optional<std::uint32_t> root_;
};

/// Blocks that travel over an arc, one behind the other.
template <class Roots, divided_data Data> class arc_message {
 public:
  arc_message() = default;
  arc_message(const Roots& roots, Data& data, const arc& over, bool arrives)
      : roots_(&roots), data_(&data), over_(over), arrives_(arrives) {
    find([&](const block& one) {
      const std::byte* const here = arrives ? data.received(one) : data.sent(one);
      if (bytes_ == 0)
        memory_ = here;
      else if (memory_ == nullptr || here != memory_ + bytes_)
        memory_ = nullptr;
      bytes_ += one.at.bytes;
      last_ = one;
    });
  }

  [[nodiscard]] bool exists() const noexcept { return last_.number != circulant_step::none; }
  [[nodiscard]] std::size_t turn() const noexcept { return over_.turn; }
  /// Tells whether it cannot be sent before another one of another arc has been taken.
  [[nodiscard]] bool needs(const arc_message& other) const noexcept {
    return Roots::single && other.last_.number == last_.number;
  }
  [[nodiscard]] std::uint32_t peer() const noexcept { return over_.peer; }
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
  /// Returns null if it has to be packed. A block that is sent may lie elsewhere since others were
  /// taken.
  [[nodiscard]] const std::byte* memory() const noexcept {
    return Roots::single && !arrives_ ? data_->sent(last_) : memory_;
  }
  void pack(std::byte* to) const {
    each([&](const block& one) {
      if constexpr (requires { data_->pack(one, to); })
        data_->pack(one, to);
      else if (one.at.bytes != 0)
        std::memcpy(to, data_->sent(one), one.at.bytes);
      to += one.at.bytes;
    });
  }
  void take(const std::byte* from) const {
    if constexpr (requires { Data::only_copied; })
      if (from == memory_) return;  // it has arrived in its place
    each([&](const block& one) {
      data_->take(one, from);
      from += one.at.bytes;
    });
  }

 private:
  template <class Use> void each(const Use& use) const {
    if (!Roots::single) return find(use);
    use(last_);
  }
  template <class Use> void find(const Use& use) const {
    roots_->each(over_, [&](std::uint32_t part, std::size_t number) {
      const block one{part, number, data_->at(part, number)};
      bool sends = Roots::single || one.at.bytes != 0;
      if constexpr (requires { roots_->sends_empty(); }) sends = sends || roots_->sends_empty();
      if (sends) use(one);
    });
  }

  const Roots* roots_ = nullptr;
  Data* data_ = nullptr;
  arc over_;
  bool arrives_ = false;
  std::size_t bytes_ = 0;
  block last_{0, circulant_step::none, {}};
  const std::byte* memory_ = nullptr;
};

/// Broadcasts the data of the roots, or reduces to each root its part, in the rounds of Roots: on
/// the circulant graph n − 1 + q for n blocks among p ranks, q = ⌈log2 p⌉. `whose`: arguments of
/// Roots.
///
/// Receives are posted ahead. A message of one root is waited for only when its block is sent on,
/// often some rounds later, or when there is no room for another receive, so latencies overlap. One
/// of all roots is waited for in its round.
template <class T, template <class> class Roots, class... Whose>
typename T::task walk(typename T::place& at, direction way, typename T::data data, Whose... whose) {
  using message = arc_message<Roots<typename T::place>, typename T::data>;
  static_assert(transport<T, message>);
  T on(at, std::move(data));
  co_await on.agreed();
  const std::size_t window = on.window();
  const Roots<typename T::place> roots(at, on.moved().blocks, whose...);
  const std::size_t rounds = roots.rounds();
  const auto message_at = [&](std::size_t turn, bool arrives) {
    const bool forwards = way == direction::forwards, into = arrives == forwards;
    const std::size_t round = forwards ? turn : rounds - 1 - turn;
    return message(roots, on.moved(), roots.over(turn, round, into), arrives);
  };
  typename T::template slots<message> coming(window);
  std::size_t known = 0;              // rounds whose receives are posted
  std::size_t posted = 0, taken = 0;  // receives
  const auto take_oldest = [&] {
    on.take(taken, coming[taken]);
    ++taken;
  };
  const auto is_needed = [&](const message& out) {
    std::size_t i = taken;
    while (i < posted && !out.needs(coming[i])) ++i;
    return i < posted;
  };
  const auto is_due = [&](std::size_t turn) {
    if (Roots<typename T::place>::single) return posted - taken == window && known < rounds;
    return taken < posted && coming[taken].turn() == turn;
  };
  for (std::size_t turn = 0; turn < rounds; ++turn) {
    on.begin_round();
    for (; known < rounds && known < turn + window; ++known) {
      message& next = coming[posted];
      next = message_at(known, true);
      if (next.exists()) on.receive(posted++, next);
    }
    const message out = message_at(turn, false);
    if (out.exists()) {
      while (is_needed(out)) {
        co_await on.arrived(coming[taken]);
        take_oldest();
      }
      co_await on.room(out);
      on.send(out);
    }
    if (turn == 0) on.moved().while_sent();
    while (is_due(turn)) {
      co_await on.arrived(coming[taken]);
      take_oldest();
    }
  }
  while (taken < posted) {
    co_await on.arrived(coming[taken]);
    take_oldest();
  }
  while (on.lends()) co_await on.returned();
}

}  // namespace pleat::schedule_engines
