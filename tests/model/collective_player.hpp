// SPDX-License-Identifier: Apache-2.0
// Carries out a random script of collective operations, and compares each with plain loops.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <span>
#include <vector>

#include <pleat/collectives/all_gather.hpp>
#include <pleat/collectives/all_to_all.hpp>
#include <pleat/collectives/broadcast.hpp>
#include <pleat/collectives/gather.hpp>
#include <pleat/collectives/reduce.hpp>
#include <pleat/collectives/reduce_scatter.hpp>
#include <pleat/collectives/scan.hpp>
#include <pleat/collectives/scatter.hpp>
#include <pleat/runtime/machine.hpp>

#include "collective_script.hpp"
#include "unit/collectives/collective_runs.hpp"

namespace model {

using collective_runs::verdict, pleat::task, pleat::vp;

using word = std::uint64_t;
/// x → a·x + b. One after the other: does not commute.
struct affine {
  std::uint32_t a, b;
  friend bool operator==(const affine&, const affine&) = default;
};
struct five_maps {
  std::array<std::uint32_t, 19> x;
  friend bool operator==(const five_maps&, const five_maps&) = default;
};
struct then {
  affine operator()(const affine& f, const affine& g) const { return {f.a * g.a, f.b * g.a + g.b}; }
  five_maps operator()(const five_maps& f, const five_maps& g) const {
    five_maps both;  // five matrices' worth of maps in a row, of which each does not commute
    for (std::size_t k = 0; k + 1 < f.x.size(); k += 2) {
      both.x[k] = f.x[k] * g.x[k];
      both.x[k + 1] = f.x[k + 1] * g.x[k] + g.x[k + 1];
    }
    both.x[18] = f.x[18] + g.x[18];
    return both;
  }
};

template <class T> T value(word salt, std::size_t vp, std::size_t i) {
  word bits = mix(salt ^ mix(vp * 1000003 + i + 1));
  T x;
  std::byte bytes[sizeof(T)];
  for (std::byte& b : bytes) {
    b = static_cast<std::byte>(bits >> 24);
    bits = mix(bits + 1);
  }
  std::memcpy(&x, bytes, sizeof x);
  return x;
}

/// One VP's part in one step.
template <class T, class Op> class part {
 public:
  part(const script& all, const step& s, vp& me, bool odd)
      : s_(s),
        me_(me),
        in_(all.segment_of(s, me.rank())),
        p_(in_.size),
        r_(me.rank() - in_.first),
        n_(s.n),
        root_(mix(s.salt ^ in_.first) % p_),
        what_(s.what),
        wrong_(odd ? all.wrong : fault::none) {
    options_.within = in_;
    options_.blocks = s.blocks;
    if (s.radix != 0)
      options_.radix =
          std::min<unsigned>(s.radix, std::max<unsigned>(2, static_cast<unsigned>(p_)));
    options_.ports = s.ports;
    if (wrong_ == fault::other_root) root_ = (root_ + 1) % p_;
    if (wrong_ == fault::other_count) ++n_;
    if (wrong_ == fault::absurd_blocks)
      options_.blocks = std::numeric_limits<std::size_t>::max() >> (s.salt & 1);
    if (wrong_ == fault::other_op) {
      do what_ = static_cast<op>((static_cast<std::size_t>(what_) + 1) % ops);
      while (has_counts(what_));
    }
    const bool fanned = s.ports > 1 && (what_ == op::all_gather || what_ == op::all_gather_v);
    if (!fanned && all.wrong != fault::absurd_blocks) {  // trees need no blocks
      using enum pleat::collective_schedule;
      const auto size = static_cast<std::uint32_t>(s.salt / 8 % 5);
      options_.schedule = static_cast<pleat::collective_schedule>(s.salt % 4);
      if (options_.schedule == binomial || options_.schedule == negabinary)
        options_.groups = {size, static_cast<std::uint32_t>(s.salt / 64 % std::max(1U, size))};
    }
    options_.root = root_;
  }

  /// `shared`: memory for the output of whoever must share it, else empty.
  task<> run(verdict& found, std::span<T> shared) {
    if (wrong_ == fault::left_out) co_return;
    const bool in_place = (mix(s_.salt + me_.rank()) & 1) != 0 && shared.empty();
    const bool v = has_counts(what_);
    counts_.resize(p_);
    for (std::size_t k = 0; k < p_; ++k) counts_[k] = v ? count(k) : n_;
    const std::size_t mine = counts_[r_], total = sum(counts_), before = first(r_);
    wrap(counts_);
    const bool at_root = r_ == root_;
    const Op combine{};
    std::vector<T> in, out;
    std::span<T> to;
    const auto give = [&](std::size_t ins, std::size_t outs, std::size_t place) {
      in = made(ins, me_.rank());
      out.assign(outs, T{});
      to = in_place && place + outs <= ins ? std::span<T>(in).subspan(place, outs)
                                           : std::span<T>(out);
      if (!shared.empty()) to = shared.first(outs);
    };
    const auto read = [&] { return std::span<const T>(in); };
    const std::span<const std::size_t> counts(counts_);
    switch (what_) {
      case op::broadcast: {
        give(n_, 0, 0);
        const std::span<T> data(in);
        co_await broadcast(me_, data, options_);
        expect(found, data, [&](std::size_t i) { return at(root_, i); });
        break;
      }
      case op::all_gather:
      case op::all_gather_v: {
        in = made(mine, me_.rank());
        out.assign(total, T{});
        to = shared.empty() ? std::span<T>(out) : shared.first(total);
        std::span<const T> from = in;
        if (in_place) {
          std::copy(in.begin(), in.end(), out.begin() + static_cast<std::ptrdiff_t>(before));
          from = std::span<const T>(out).subspan(before, mine);
        }
        if (v)
          co_await all_gather_v(me_, from, to, counts, options_);
        else
          co_await all_gather(me_, from, to, options_);
        expect_parts(found, to);
        break;
      }
      case op::all_to_all: {
        give(n_ * p_, n_ * p_, 0);
        co_await all_to_all(me_, read(), to, options_);
        expect(found, to, [&](std::size_t i) { return at(i / n_, r_ * n_ + i % n_); });
        break;
      }
      case op::all_to_all_v: {
        std::vector<std::size_t> sent(p_), received(p_);
        for (std::size_t q = 0; q < p_; ++q) sent[q] = count(r_ * p_ + q);
        for (std::size_t q = 0; q < p_; ++q) received[q] = count(q * p_ + r_);
        give(sum(sent), sum(received), 0);
        wrap(sent);
        wrap(received);
        co_await all_to_all_v(me_, read(), to, std::span<const std::size_t>(sent),
                              std::span<const std::size_t>(received), options_);
        std::size_t i = 0;
        for (std::size_t q = 0; q < p_; ++q) {
          std::size_t skipped = 0;
          for (std::size_t k = 0; k < r_; ++k) skipped += count(q * p_ + k);
          for (std::size_t k = 0; k < received[q]; ++k, ++i)
            found.expect(to[i] == at(q, skipped + k), me_, name_of(what_), i);
        }
        break;
      }
      case op::scatter:
      case op::scatter_v: {
        give(at_root ? total : 0, mine, before);
        if (v)
          co_await scatter_v(me_, read(), to, counts, options_);
        else
          co_await scatter(me_, read(), to, options_);
        expect(found, to, [&](std::size_t i) { return at(root_, before + i); });
        break;
      }
      case op::gather:
      case op::gather_v: {
        in = made(mine, me_.rank());
        out.assign(at_root ? total : 0, T{});
        to = out;
        if (v)
          co_await gather_v(me_, read(), to, counts, options_);
        else
          co_await gather(me_, read(), to, options_);
        if (at_root) expect_parts(found, to);
        break;
      }
      case op::reduce:
        give(n_, n_, 0);
        co_await reduce(me_, read(), to, combine, options_);
        if (at_root) expect(found, to, [&](std::size_t i) { return folded(0, p_, i); });
        break;
      case op::all_reduce:
        give(n_, n_, 0);
        co_await all_reduce(me_, read(), to, combine, options_);
        expect(found, to, [&](std::size_t i) { return folded(0, p_, i); });
        break;
      case op::reduce_scatter:
      case op::reduce_scatter_v:
        give(total, mine, before);
        if (v)
          co_await reduce_scatter_v(me_, read(), to, counts, combine, options_);
        else
          co_await reduce_scatter(me_, read(), to, combine, options_);
        expect(found, to, [&](std::size_t i) { return folded(0, p_, before + i); });
        break;
      case op::scan:
        give(n_, n_, 0);
        co_await scan(me_, read(), to, combine, options_);
        expect(found, to, [&](std::size_t i) { return folded(0, r_ + 1, i); });
        break;
      case op::exclusive_scan:
        give(n_, n_, 0);
        co_await exclusive_scan(me_, read(), to, combine, options_);
        if (r_ != 0) expect(found, to, [&](std::size_t i) { return folded(0, r_, i); });
        break;
    }
  }

 private:
  [[nodiscard]] std::size_t count(std::size_t k) const {
    return mix(s_.salt + 77 * k + in_.first) % (n_ + 1);
  }
  static std::size_t sum(const std::vector<std::size_t>& all) {
    std::size_t total = 0;
    for (const std::size_t one : all) total += one;
    return total;
  }
  [[nodiscard]] std::size_t first(std::size_t rank) const {
    std::size_t before = 0;
    for (std::size_t k = 0; k < rank; ++k) before += counts_[k];
    return before;
  }
  /// Wraps counts: two of about half of 2^64 make the same sum modulo that.
  void wrap(std::vector<std::size_t>& all) const {
    if (wrong_ != fault::wrapped_counts) return;
    const std::size_t much = std::numeric_limits<std::size_t>::max() / 2 + (s_.salt & 0xff);
    all[s_.salt % all.size()] += much;
    all[(s_.salt + 1) % all.size()] -= much;
  }
  [[nodiscard]] T at(std::size_t rank, std::size_t i) const {
    return value<T>(s_.salt, in_.first + rank, i);
  }
  [[nodiscard]] std::vector<T> made(std::size_t many, std::size_t vp) const {
    std::vector<T> all(many);
    for (std::size_t i = 0; i < many; ++i) all[i] = value<T>(s_.salt, vp, i);
    return all;
  }
  [[nodiscard]] T folded(std::size_t from, std::size_t last, std::size_t i) const {
    T x = at(from, i);
    for (std::size_t rank = from + 1; rank < last; ++rank) x = Op()(x, at(rank, i));
    return x;
  }
  template <class Expected>
  void expect(verdict& found, std::span<const T> got, const Expected& expected) const {
    // Of long results a sample, with both ends: the oracle takes p steps an element.
    const std::size_t stride = 1 + got.size() / 40;
    for (std::size_t i = 0; i < got.size(); i += stride)
      found.expect(got[i] == expected(i), me_, name_of(what_), i);
    if (!got.empty())
      found.expect(got.back() == expected(got.size() - 1), me_, name_of(what_), got.size() - 1);
  }
  void expect_parts(verdict& found, std::span<const T> got) const {
    std::size_t i = 0;
    for (std::size_t rank = 0; rank < p_; ++rank) {
      for (std::size_t k = 0; k < counts_[rank]; ++k, ++i)
        found.expect(got[i] == at(rank, k), me_, name_of(what_), i);
    }
  }

  const step& s_;
  vp& me_;
  pleat::segment in_;
  std::size_t p_, r_, n_, root_;
  op what_;
  fault wrong_;
  pleat::collective_options options_;
  std::vector<std::size_t> counts_;
};

template <class T, class Op>
task<> perform(const script& all, const step& s, vp& me, bool odd, verdict& found,
               std::vector<word>& shared) {
  part<T, Op> mine(all, s, me, odd);
  std::span<T> output;
  if (!shared.empty())
    output = {reinterpret_cast<T*>(shared.data()), shared.size() * sizeof(word) / sizeof(T)};
  co_await mine.run(found, output);
}

/// All steps of one VP. `shared`: the output of whoever must share it.
inline task<> carry_out(const script& all, vp& me, verdict& found, std::vector<word>& shared) {
  std::vector<word> none;
  const std::size_t next = (me.rank() + 1) % me.size(),
                    last = (me.rank() + me.size() - 1) % me.size();
  for (std::size_t k = 0; k < all.steps.size(); ++k) {
    const step& s = all.steps[k];
    if (s.before == 1) {
      me.send(next, s.salt + me.rank());
      co_await me.sync(0);
      const auto m = me.receive();
      found.expect(m && m->get<word>() == s.salt + last, me, "message", k);
    } else if (s.before == 2) {
      co_await me.push(next, s.salt + me.rank());
      const word got = co_await me.pop<word>(last);
      found.expect(got == s.salt + last, me, "channel", k);
    }
    const bool here = all.wrong != fault::none && k == all.at;
    const bool odd = here && me.rank() == all.victim;
    std::vector<word>& out = here && all.wrong == fault::shared_output ? shared : none;
    if (s.type == 0)
      co_await perform<word, std::plus<>>(all, s, me, odd, found, out);
    else if (s.type == 1)
      co_await perform<affine, then>(all, s, me, odd, found, out);
    else
      co_await perform<five_maps, then>(all, s, me, odd, found, out);
  }
}

}  // namespace model
