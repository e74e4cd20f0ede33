// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <pleat/oblivious/detail/distributed/collective_call.hpp>
#include <pleat/oblivious/detail/distributed/cut_search.hpp>
#include <pleat/runtime/interval.hpp>
#include <pleat/runtime/task.hpp>
#include <pleat/runtime/vp.hpp>

namespace pleat::detail::distribution {

/// Sorted blocks, one on each rank, become the blocks of the sorted whole: every VP makes its part
/// of its rank's block.
///
///     search     VP q finds out where its part begins in each rank's block (cut_search); of rank s
///                the VP that serves q sends samples, and gets the narrowed intervals
///     exchange   the VP of rank s that serves q lends q what lies between q's cut and the next
///     merge      q merges what it has got, in the order of the ranks
///
/// `Merge` is value_merge or word_merge.
template <class T, class Merge> class exchange_program {
 public:
  /// `block` is this rank's, sorted; `out` has room for as many.
  exchange_program(std::size_t n, std::size_t rank, std::span<const T> block, const Merge& merge,
                   T* out)
      : all_{0, n}, rank_(rank), block_(block), merge_(merge), out_(out) {}
  exchange_program(const exchange_program&) = delete;
  exchange_program& operator=(const exchange_program&) = delete;

  /// Behind a run that succeeded: is the block made? Not if the order contradicts itself.
  [[nodiscard]] bool made() const noexcept { return !contradicted_.load(); }

  task<> operator()(vp& me, const rank_places& places) {
    server mine(*this, me.rank(), places);
    cut_search search(part_of(me.rank(), places).first, blocks(places));
    bool goes_on = true;
    bool told = false;
    while (goes_on) {
      mine.send_samples(me);
      co_await me.sync(0);
      narrow(search, me, places);
      if (!told) tell(search, me, places);
      told = search.done();
      co_await me.sync(0);
      goes_on = mine.hear(me);
    }
    mine.lend_pieces(me);
    co_await me.sync(0);
    take_pieces(me, places);
  }

 private:
  struct narrowed {
    std::uint64_t part, first, last;
  };
  static constexpr std::size_t most = most_samples<T>;

  [[nodiscard]] static std::size_t rank_of(std::size_t vp, const rank_places& places) noexcept {
    std::size_t rank = 0;
    while (!places[rank].contains(vp)) ++rank;
    return rank;
  }
  /// The indices that VP q makes.
  [[nodiscard]] interval<> part_of(std::size_t q, const rank_places& places) const noexcept {
    const std::size_t rank = rank_of(q, places);
    return all_.share(rank, places.size()).share(q - places[rank].first, places[rank].size());
  }
  [[nodiscard]] std::vector<interval<>> blocks(const rank_places& places) const {
    std::vector<interval<>> all;
    for (std::size_t s = 0; s < places.size(); ++s)
      all.push_back({0, all_.share(s, places.size()).size()});
    return all;
  }
  [[nodiscard]] static std::size_t server_of(std::size_t q, const rank_range& rank) noexcept {
    return rank.first + q % rank.size();
  }

  void narrow(cut_search& search, vp& me, const rank_places& places) const {
    std::vector<std::span<const T>> samples(places.size());
    for (auto m = me.receive(); m; m = me.receive())
      samples[rank_of(m->source(), places)] = m->template span<T>();
    if (!search.done()) search.narrow(samples, most, merge_.order());
  }
  /// The servers of q need its cuts, and those of the VP before, whose pieces end there.
  void tell(const cut_search& search, vp& me, const rank_places& places) const {
    const std::size_t q = me.rank();
    for (std::size_t s = 0; s < places.size(); ++s) {
      const narrowed now{q, search.of(s).first, search.of(s).last};
      const std::size_t own = server_of(q, places[s]);
      me.send(own, now);
      if (q == 0) continue;
      const std::size_t before = server_of(q - 1, places[s]);
      if (before != own) me.send(before, now);
    }
    if (search.done()) return;
    for (std::size_t p = 0; p < me.size(); ++p) me.send(p, std::uint8_t{1});
  }

  /// What a VP does for those whose number modulo its rank's VPs is its own.
  class server {
   public:
    server(const exchange_program& of, std::size_t self, const rank_places& places)
        : of_(of),
          stride_(places[of.rank_].size()),
          self_(self - places[of.rank_].first),
          possible_(places.back().last, {0, of.block_.size()}),
          ends_(places.back().last, of.block_.size()) {}

    void send_samples(vp& me) const {
      for (std::size_t q = self_; q < me.size(); q += stride_) {
        const sample_places places(possible_[q], most);
        if (places.count() == 0) continue;
        const auto samples = std::make_unique<T[]>(places.count());
        for (std::size_t i = 0; i < places.count(); ++i) samples[i] = of_.block_[places[i]];
        me.send(q, std::span<const T>(samples.get(), places.count()));
      }
    }
    /// Takes in what the searches have found; returns whether one of them goes on.
    bool hear(vp& me) {
      bool goes_on = false;
      for (auto m = me.receive(); m; m = me.receive()) {
        if (m->bytes() != sizeof(narrowed)) {
          goes_on = true;
          continue;
        }
        const auto now = m->template get<narrowed>();
        if (now.part % stride_ == self_) possible_[now.part] = {now.first, now.last};
        if (now.part != 0 && (now.part - 1) % stride_ == self_) ends_[now.part - 1] = now.first;
      }
      return goes_on;
    }
    /// Pieces of which no VP gets a part of another's. Of an order that contradicts itself there
    /// may be none; then all VPs hear it.
    void lend_pieces(vp& me) const {
      bool contradicted = false;
      for (std::size_t q = self_; q < me.size(); q += stride_) {
        const std::size_t first = possible_[q].first;
        if (first > ends_[q]) contradicted = true;
        if (first < ends_[q]) me.lend(q, of_.block_.subspan(first, ends_[q] - first));
      }
      for (std::size_t p = 0; contradicted && p < me.size(); ++p) me.send(p, std::uint8_t{1});
    }

   private:
    const exchange_program& of_;
    std::size_t stride_;
    std::size_t self_;
    std::vector<interval<>> possible_;  // [VP]: its cut of our block
    std::vector<std::size_t> ends_;     // [VP]: where its piece ends
  };

  void take_pieces(vp& me, const rank_places& places) {
    std::vector<std::span<const T>> runs;
    bool contradicted = false;
    for (auto m = me.receive(); m; m = me.receive()) {
      if (!m->lent()) {
        contradicted = true;
        continue;
      }
      const strided_view<const T> piece = m->template view<const T>();
      runs.emplace_back(piece.data, piece.size());
    }
    if (contradicted) return contradicted_.store(true);
    merge_(runs,
           out_ + (part_of(me.rank(), places).first - all_.share(rank_, places.size()).first));
  }

  interval<> all_;
  std::size_t rank_;
  std::span<const T> block_;
  const Merge& merge_;
  T* out_;
  std::atomic<bool> contradicted_{false};
};

}  // namespace pleat::detail::distribution
