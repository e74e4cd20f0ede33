// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <map>
#include <set>
#include <vector>

#include <pleat/collectives/circulant_rounds.hpp>
#include <pleat/collectives/circulant_table.hpp>
#include <pleat/oblivious/detail/distributed/rectangles.hpp>
#include <pleat/oblivious/detail/stencil/bands.hpp>
#include <pleat/oblivious/detail/stencil/rank_run.hpp>

#include "prediction.hpp"
#include "processes/index_rounds.hpp"

namespace pleat::bench {
namespace {

using namespace detail::distribution;

constexpr double call_bytes = 80;        // what a rank tells each virtual processor of a call
constexpr double agreed_bytes = 128;     // and each other rank of sizes and options
constexpr double head_bytes = 130;       // of every message
constexpr double most_in_front = 15856;  // of ours in one message of MPI; beyond that, two
constexpr double most_forwarded = 1 << 15;

// Sums of what a program does on ranks.
class account {
 public:
  explicit account(const rank_shape& on)
      : ranks_(on.ranks),
        others_(static_cast<double>(on.ranks - 1)),
        elsewhere_(static_cast<double>((on.ranks - 1) * on.workers)) {}

  // It ends when every rank has said that it is done, and the first one that all are.
  void run() {
    radix_ = 0;
    sum_.runs += 1;
    sum_.times += 2;
    send(0, 2 * others_);
  }
  // A superstep in which a rank sends so many bytes in all, to so many others alike: to each of
  // all, or in rounds, in which short mail is forwarded, as the runtime chooses by the one before.
  void superstep(double bytes, double partners) {
    sum_.supersteps += 1;
    if (radix_ == 0) {
      sum_.times += 1;
      send(bytes, partners);
      send(0, others_ - partners);
    } else {
      for (std::size_t place = 1; place < ranks_; place *= radix_) sum_.times += 1;
      const detail::index_rounds rounds{ranks_, radix_};
      const double each = partners > 0 ? bytes / partners : 0, part = partners / others_;
      double straight = 0, hops = 0;  // mail that goes straight, and messages of all other mail
      for (std::size_t distance = 1; distance < ranks_; ++distance) {
        const auto of_mail = static_cast<double>(rounds.hops(distance));
        const double copied = (of_mail - 1) * (each + head_bytes) * cost_of_choice.per_byte;
        if (each < most_forwarded && copied <= cost_of_choice.start)
          hops += part * of_mail;
        else
          straight += part;
      }
      send(each * straight, straight);
      send(each * hops, static_cast<double>(rounds.sent().messages));
    }
    radix_ =
        detail::cheapest_radix(ranks_, static_cast<std::size_t>(partners), bytes, cost_of_choice);
  }
  // A message to one rank and one from another.
  void round(double bytes) {
    sum_.times += 1;
    send(bytes, 1);
  }
  void superstep(double bytes = 0) { superstep(bytes, others_); }
  // All ranks learn which virtual processors the others have.
  void meet() {
    run();
    superstep(call_bytes * elsewhere_);
  }
  void agree() { superstep(agreed_bytes * others_); }

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

  std::size_t ranks_;
  std::size_t radix_ = 0;  // of the next superstep's rounds; 0: there are none
  double others_;
  double elsewhere_;  // virtual processors of other ranks
  rank_costs sum_;
};

// An exchange of all with all, of blocks of so many bytes.
double exchanged(double block, const rank_shape& on) {
  return block * (1 - 1 / static_cast<double>(on.ranks));
}

// Costs of a sort: each virtual processor searches, by samples of every block, where its part
// begins in it; then it gets its part.
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
  const rank_rectangles at(work.n, work.n, on.ranks);
  const std::size_t steps = panel_steps(common_cuts(work.n, at.across(), at.down()));
  const double n = static_cast<double>(work.n), width = static_cast<double>(work.element_bytes);
  const auto down = static_cast<double>(at.down()), across = static_cast<double>(at.across());
  const double bytes = ((1 - 1 / across) / down + (1 - 1 / down) / across) * n * n * width;
  account a(on);
  a.meet();
  a.agree();
  a.run();
  for (std::size_t s = 0; s < steps; ++s)
    a.superstep(bytes / static_cast<double>(steps), down + across - 2);
  a.superstep();  // before C is written
  return a.sum();
}

// The cells that go from rank to rank in one superstep.
class crossing {
 public:
  explicit crossing(const rank_shape& on)
      : workers_(on.workers), sent_(on.ranks), received_(on.ranks) {}
  template <std::size_t D>
  void add(std::size_t from_vp, std::size_t to_vp, const detail::stencils::box<D>& cells) {
    const std::size_t from = from_vp / workers_, to = to_vp / workers_;
    if (from == to || cells.empty()) return;
    double count = 1;
    for (const auto& side : cells.sides) count *= static_cast<double>(side.size());
    sent_[from].add(to, count);
    received_[to].add(from, count);
  }
  // Adds what the rank sends or receives that has most, and with how many others.
  void tell(account& a, double cell_bytes) const {
    const traffic* most = &sent_.front();
    for (const auto* all : {&sent_, &received_})
      for (const traffic& one : *all)
        if (one.cells > most->cells) most = &one;
    a.superstep(most->cells * cell_bytes, static_cast<double>(most->partners.size()));
  }

 private:
  struct traffic {
    double cells = 0;
    std::set<std::size_t> partners;

    void add(std::size_t partner, double count) {
      cells += count;
      partners.insert(partner);
    }
  };
  std::size_t workers_;
  std::vector<traffic> sent_, received_;  // by rank
};

// Slabs to the shares of virtual processors, the exchanges of the program's phases, and back.
template <std::size_t D> rank_costs stencil_costs(const ranked_work& work, const rank_shape& on) {
  using namespace detail::stencils;
  std::array<offset, D> size;
  size.fill(static_cast<offset>(work.n));
  const std::array<boundary, D> edges{};
  const std::size_t threads = on.ranks * on.workers;
  std::size_t bytes = work.element_bytes;
  for (std::size_t i = 0; i < D; ++i) bytes *= work.n;
  const bands<D> partition(size, edges, 2 * work.element_bytes, false,
                           static_cast<offset>(work.steps),
                           vps_over_ranks<D>(threads, size, bytes, work.steps, {}));
  rank_places places;
  for (std::size_t r = 0; r < on.ranks; ++r)
    places.push_back({r * on.workers, (r + 1) * on.workers});
  const rank_cells<D> cells(size, partition, places, 0);
  const auto width = static_cast<double>(work.element_bytes);
  account a(on);
  a.meet();
  a.agree();
  a.run();
  crossing in(on), out(on);
  const auto whole = partition.whole({0, threads, 0}, static_cast<offset>(work.steps));
  std::vector<box<D>> shares;  // in the order of their rows
  for (std::size_t q = 0; q < threads; ++q) shares.push_back(cells.share(q));
  const auto for_each_share = [&](const box<D>& some, const auto& visit) {
    const auto begin = std::ranges::partition_point(
        shares, [&](const box<D>& share) { return share.sides[0].last <= some.sides[0].first; });
    for (auto q = begin; q != shares.end() && q->sides[0].first < some.sides[0].last; ++q)
      visit(static_cast<std::size_t>(q - shares.begin()), intersect(*q, some));
  };
  for (std::size_t p = 0; p < partition.holders(); ++p) {
    for_each_share(partition.home(p),
                   [&](std::size_t q, const box<D>& common) { in.add(q, p, common); });
    partition.for_each_held(p, whole, partition.last(whole), [&](const auto& held) {
      for_each_share(partition.with_shared(held.indices),
                     [&](std::size_t q, const box<D>& common) { out.add(p, q, common); });
    });
  }
  in.tell(a, width);
  using phase = typename bands<D>::phase;
  const auto exchanged_before = [&](const phase& now, const std::optional<phase>& before) {
    crossing exchange(on);
    for (std::size_t p = 0; p < partition.holders(); ++p)
      partition.for_each_held(p, whole, before, [&](const auto& held) {
        partition.for_each_needed(p, whole, now, held, [&](const transfer<D>& what) {
          exchange.add(p, what.to, what.cells);
        });
      });
    return exchange;
  };
  // Bands of as many steps behind others of as many exchange as much.
  std::map<std::array<offset, 4>, crossing> known;
  std::optional<phase> before;
  for (auto now = partition.first(whole); now; now = partition.next(whole, *now)) {
    const std::array<offset, 4> alike{now->height, now->inverted, before ? before->height : 0,
                                      before && before->inverted};
    auto found = known.find(alike);
    if (found == known.end()) found = known.emplace(alike, exchanged_before(*now, before)).first;
    found->second.tell(a, width);
    before = now;
  }
  out.tell(a, width);
  a.superstep();
  return a.sum();
}

// Slices of the nodes' sums are reduced, then gathered: the blocks of each round are those of the
// schedule.
rank_costs all_reduce_costs(const ranked_work& work, const rank_shape& on) {
  const circulant_graph graph(on.ranks);
  const circulant_table table(graph);
  const circulant_rounds rounds(graph, 1);
  const double slice =
      static_cast<double>(work.n * work.element_bytes) / static_cast<double>(on.ranks);
  account a(on);
  a.run();
  for (std::size_t round = 0; round < rounds.size(); ++round) {
    const auto received = table.received(rounds.skip_index(round));
    const auto blocks = std::ranges::count_if(received.subspan(1), [&](std::int8_t entry) {
      return rounds.block(entry, round) != circulant_step::none;
    });
    for (int phase = 0; phase < 2; ++phase) a.round(static_cast<double>(blocks) * slice);
  }
  return a.sum();
}

}  // namespace

std::optional<rank_costs> costs_over_ranks(const ranked_work& work, const rank_shape& on) {
  if (on.ranks == 1) return rank_costs{};
  if (work.program == "sort") return sort_costs(work, on);
  if (work.program == "fft") return fft_costs(work, on);
  if (work.program == "all_reduce") return all_reduce_costs(work, on);
  if (work.program == "matmul") return matmul_costs(work, on);
  if (work.program == "stencil1") return stencil_costs<1>(work, on);
  if (work.program == "stencil2") return stencil_costs<2>(work, on);
  if (work.program == "stencil3") return stencil_costs<3>(work, on);
  return {};
}

}  // namespace pleat::bench
