// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <pleat/channels/cache_line.hpp>
#include <pleat/runtime/error.hpp>

#include "collectives/collective.hpp"
#include "collectives/collective_data.hpp"
#include "collectives/our_collectives.hpp"
#include "inflated_work.hpp"
#include "measure/big_block.hpp"

namespace pleat::bench {
namespace {

constexpr std::uint64_t seed = 1;

// Least number of times that an operation reads and writes its bytes, on all ranks together: every
// input and every result once.
std::size_t least_traffic(operation what, std::size_t ranks) {
  switch (what) {
    case operation::scatter:
    case operation::gather:
      return 2;
    case operation::broadcast:
      return ranks;
    case operation::all_gather:
    case operation::all_gather_v:
    case operation::reduce:
    case operation::reduce_scatter:
    case operation::reduce_scatter_v:
      return ranks + 1;
    case operation::all_to_all:
    case operation::all_reduce:
    case operation::scan:
      break;
  }
  return 2 * ranks;
}

// Whole doubles in equal shares.
collective sized(operation what, std::size_t bytes, std::size_t ranks) {
  const std::size_t unit = 8 * ranks;
  const std::size_t wanted = bytes / least_traffic(what, ranks);
  return {what, (wanted + unit - 1) / unit * unit, spread::regular};
}

// The arrays of all ranks: parts of one block, so that small ones lie on large pages as large ones
// do.
class shares {
 public:
  shares(collective one, std::size_t ranks) : one_(one), counts_(counts_of(one, ranks)) {
    std::size_t bytes = 0;
    for (std::size_t rank = 0; rank < ranks; ++rank)
      bytes += lines_of(of(rank).input_bytes()) + lines_of(of(rank).result_bytes());
    block_ = big_block(bytes);
    std::span<std::byte> rest = block_.bytes();
    const auto take = [&](std::size_t part) {
      const std::span<std::byte> taken = rest.first(part);
      rest = rest.subspan(lines_of(part));
      return taken;
    };
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      inputs_.push_back(take(of(rank).input_bytes()));
      of(rank).fill_input(inputs_.back(), seed);
    }
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      results_.push_back(take(of(rank).result_bytes()));
      of(rank).spoil(results_.back());
    }
  }

  [[nodiscard]] task<> perform(vp& me) const {
    return bench::perform(me, one_, counts_, inputs_[me.rank()], results_[me.rank()]);
  }
  void require_right() const {
    for (std::size_t rank = 0; rank < counts_.size(); ++rank) {
      if (const auto wrong = of(rank).first_wrong(results_[rank], seed))
        throw error("verification failed: " + std::string(name_of(one_.what)) + ": " + *wrong);
    }
  }

 private:
  [[nodiscard]] collective_share of(std::size_t rank) const { return {one_, counts_.size(), rank}; }
  static std::size_t lines_of(std::size_t bytes) {
    return (bytes + destructive_distance - 1) / destructive_distance * destructive_distance;
  }

  collective one_;
  std::vector<std::size_t> counts_;
  big_block block_;
  std::vector<std::span<std::byte>> inputs_, results_;  // [rank]
};

class inflated_collective final : public inflated_work {
 public:
  inflated_collective(operation what, std::size_t n) : what_(what), bytes_(bytes_of({n, 8})) {}

  work_run run(machine& on, std::optional<std::size_t> vps) override {
    const std::size_t ranks = vps.value_or(on.processors());
    const shares& all = shares_for(ranks);
    return timed_run([&] { return on.run(ranks, [&](vp& me) { return all.perform(me); }); });
  }
  void verify(machine& on, std::optional<std::size_t> vps) override {
    static_cast<void>(run(on, vps));
    shares_for(vps.value_or(on.processors())).require_right();
  }

 private:
  const shares& shares_for(std::size_t ranks) {
    auto& made = shares_[ranks];
    if (!made) made.emplace(sized(what_, bytes_, ranks), ranks);
    return *made;
  }

  operation what_;
  std::size_t bytes_;
  std::map<std::size_t, std::optional<shares>> shares_;  // [ranks]
};

}  // namespace

std::vector<named_work> inflated_collectives() {
  std::vector<named_work> all;
  for (const operation what : all_operations()) {
    if (what == operation::all_gather_v || what == operation::reduce_scatter_v) continue;
    all.push_back({std::string(name_of(what)), combines(what) ? "f64" : "bytes",
                   combines(what) ? std::size_t{8} : std::size_t{1},
                   [what](machine&, std::size_t n) -> std::unique_ptr<inflated_work> {
                     return std::make_unique<inflated_collective>(what, n);
                   }});
  }
  return all;
}

}  // namespace pleat::bench
