// SPDX-License-Identifier: Apache-2.0
#include "rank_costs.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include <pleat/oblivious/detail/distributed/rectangles.hpp>
#include <pleat/oblivious/detail/distributed/slabs.hpp>

namespace pleat::bench {
namespace {

using namespace detail::distribution;

constexpr double call_bytes = 80;        // what a rank tells each virtual processor of a call
constexpr double agreed_bytes = 128;     // and each other rank of sizes and options
constexpr double head_bytes = 130;       // of every message
constexpr double most_in_front = 15856;  // of ours in one message of MPI; beyond that, two

// Sums of what a program does on ranks.
class account {
 public:
  explicit account(const rank_shape& on)
      : others_(static_cast<double>(on.ranks - 1)),
        elsewhere_(static_cast<double>((on.ranks - 1) * on.workers)) {}

  // It ends when every rank has said that it is done, and the first one that all are.
  void run() {
    sum_.runs += 1;
    send(0, 2 * others_);
  }
  // A superstep in which a rank sends so many bytes in all, to so many others alike.
  void superstep(double bytes, double partners) {
    sum_.supersteps += 1;
    send(bytes, partners);
    send(0, others_ - partners);
  }
  void superstep(double bytes = 0) { superstep(bytes, others_); }
  // All ranks learn which virtual processors the others have.
  void meet() {
    run();
    superstep(call_bytes * elsewhere_);
  }
  void agree() { superstep(agreed_bytes * others_); }
  // They hear whether one has failed.
  void meet_again() {
    run();
    superstep();
  }

  [[nodiscard]] double others() const { return others_; }
  [[nodiscard]] double elsewhere() const { return elsewhere_; }
  [[nodiscard]] rank_costs sum() const { return sum_; }

 private:
  // So many bytes in all, in a message to each of so many.
  void send(double bytes, double partners) {
    if (partners <= 0) return;
    const double all = bytes + partners * head_bytes, each = all / partners;
    sum_.bytes += all;
    sum_.messages += partners * (each > most_in_front ? 2 : 1);
  }

  double others_;
  double elsewhere_;  // virtual processors of other ranks
  rank_costs sum_;
};

// An exchange of all with all, of blocks of so many bytes.
double exchanged(double block, const rank_shape& on) {
  return block * (1 - 1 / static_cast<double>(on.ranks));
}

// Each virtual processor searches, by samples of every block, where its part begins in it; then it
// gets its part.
rank_costs sort_costs(const ranked_work& work, const rank_shape& on) {
  constexpr double most_sample_bytes = 1 << 14;
  const auto width = static_cast<double>(work.element_bytes);
  const double most = std::clamp(std::floor(most_sample_bytes / width), 16.0, 256.0);
  const auto ranks = static_cast<double>(on.ranks);
  account a(on);
  a.meet();
  // Of random keys three of the intervals between samples remain.
  double possible = static_cast<double>(work.n) / ranks;
  for (bool found = false; !found;) {
    a.superstep(std::min(possible, most) * width * a.elsewhere());
    found = possible <= most;
    constexpr double cuts_bytes = 2 * 24;  // its own, and those of the one before
    const auto workers = static_cast<double>(on.workers);
    a.superstep(workers * (cuts_bytes * a.others() + (found ? 0 : a.elsewhere())));
    possible *= 3 / most;
  }
  a.superstep(exchanged(static_cast<double>(work.n) / ranks * width, on));
  return a.sum();
}

std::optional<rank_costs> fft_costs(const ranked_work& work, const rank_shape& on) {
  account a(on);
  if (work.lines % on.ranks == 0) {
    a.meet();
    return a.sum();
  }
  if (work.lines != 1 || !std::has_single_bit(work.n)) return {};
  const double block = static_cast<double>(work.n) / static_cast<double>(on.ranks) *
                       static_cast<double>(work.element_bytes);
  // By columns, by rows, and in order.
  const std::size_t rows = std::size_t{1} << (std::bit_width(work.n) - 1) / 2;
  constexpr std::size_t lanes = 16;
  constexpr int exchanges = 3;
  if (work.n < 4096 || rows < on.ranks) return {};
  if (rows >= lanes * on.ranks) {  // one run
    a.meet();
    for (int i = 0; i < exchanges; ++i) a.superstep(exchanged(block, on));
  } else {
    for (int i = 0; i < exchanges; ++i) {
      a.meet();
      a.superstep(exchanged(block, on));
    }
  }
  a.meet();  // before the blocks are written
  return a.sum();
}

// SUMMA: in each step panels of A along rows of ranks, of B along columns.
rank_costs matmul_costs(const ranked_work& work, const rank_shape& on) {
  constexpr std::size_t panel = 1024;
  const rank_rectangles at(work.n, work.n, on.ranks);
  std::size_t longest = 0;
  for (const interval<>& piece : common_cuts(work.n, at.across(), at.down()))
    longest = std::max(longest, piece.size());
  const std::size_t steps = std::max<std::size_t>(1, longest / panel);
  const double n = static_cast<double>(work.n), width = static_cast<double>(work.element_bytes);
  const auto down = static_cast<double>(at.down()), across = static_cast<double>(at.across());
  const double bytes = ((1 - 1 / across) / down + (1 - 1 / down) / across) * n * n * width;
  account a(on);
  a.meet();
  a.agree();
  for (std::size_t s = 0; s < steps; ++s) {
    a.run();
    a.superstep(bytes / static_cast<double>(steps), down + across - 2);
  }
  a.meet_again();
  return a.sum();
}

// k rows of the neighbours on either side, then k steps alone.
rank_costs stencil_costs(const ranked_work& work, const rank_shape& on, unsigned dimensions) {
  double row = 1;
  for (unsigned i = 1; i < dimensions; ++i) row *= static_cast<double>(work.n);
  const slabs rows(work.n, on.ranks, false);
  const std::size_t depth = rows.depth(static_cast<std::size_t>(row), work.steps);
  const double sides = static_cast<double>(std::min<std::size_t>(on.ranks - 1, 2));
  account a(on);
  a.meet();
  a.agree();
  for (std::size_t left = work.steps; left > 0;) {
    const std::size_t count = std::min(depth, left);
    a.run();
    a.superstep(sides * static_cast<double>(count) * row * static_cast<double>(work.element_bytes),
                sides);
    left -= count;
  }
  a.meet_again();
  return a.sum();
}

}  // namespace

std::optional<rank_costs> costs_over_ranks(const ranked_work& work, const rank_shape& on) {
  if (on.ranks == 1) return rank_costs{};
  if (work.program == "sort") return sort_costs(work, on);
  if (work.program == "fft") return fft_costs(work, on);
  if (work.program == "matmul") return matmul_costs(work, on);
  if (work.program == "stencil1") return stencil_costs(work, on, 1);
  if (work.program == "stencil2") return stencil_costs(work, on, 2);
  if (work.program == "stencil3") return stencil_costs(work, on, 3);
  return {};
}

}  // namespace pleat::bench
