// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <list>
#include <string>
#include <vector>

#include <pleat/runtime/error.hpp>

#include "collectives/rivals/mpi_seat.hpp"
#include "collectives_ours.hpp"
#include "measure/copy_bound.hpp"
#include "measure/statistics.hpp"
#include "measure/work.hpp"
#include "rivals/rivals.hpp"
#include "tool/names.hpp"

namespace pleat::bench {
namespace {

// 8 bytes to 64 MiB.
std::vector<std::size_t> usual_sizes() {
  std::vector<std::size_t> sizes;
  for (unsigned exponent = 3; exponent <= 24; exponent += 3) {
    sizes.push_back(std::size_t{1} << exponent);
  }
  sizes.push_back(std::size_t{1} << 26);
  return sizes;
}

// The least size from `bytes` on that so many ranks can do.
collective at_least(operation what, spread how, std::size_t bytes, std::size_t ranks) {
  collective one{what, bytes, how};
  while (fault_of(one, ranks) && one.bytes < bytes + 8 * ranks) ++one.bytes;
  if (const auto fault = fault_of(one, ranks)) throw usage_error("--n: " + *fault);
  return one;
}

std::vector<collective> chosen(const work_options& options, std::size_t ranks) {
  std::vector<operation> operations;
  for (const auto& name : options.operations) {
    const auto known = operation_named(name);
    if (!known)
      throw usage_error("--operations: '" + name + "' is unknown; known: " +
                        names_of(all_operations(), [](operation what) { return name_of(what); }));
    operations.push_back(*known);
  }
  if (operations.empty()) operations.assign(all_operations().begin(), all_operations().end());

  const auto sizes = options.n ? std::vector{*options.n} : usual_sizes();
  std::vector<collective> all;
  for (const operation what : operations) {
    for (const spread how : all_spreads()) {
      if (how != spread::regular && !takes_counts(what)) continue;
      for (const std::size_t bytes : sizes) all.push_back(at_least(what, how, bytes, ranks));
    }
  }
  return all;
}

// The MPIs that are wanted and that this build has; a list, since contestants refer to them.
std::list<mpi_seat> seats(const arena& on, const work_options& options) {
  std::list<mpi_seat> all;
  for (const char* name : {"openmpi", "mpich"}) {
    if (options.wants(name) && rival_named(name).linked) all.emplace_back(name, on.pus);
  }
  return all;
}

class tournament {
 public:
  tournament(arena& on, const work_options& options)
      : on_(on),
        options_(options),
        mpis_(seats(on, options)),
        ours_(on.ours),
        copy_(on.pus),
        seed_(options.seed) {}

  void measure(const collective& one, const referee& fight) {
    for (;;) {
      const std::size_t lost = lost_mpis();
      try {
        fight(duel_of(one));
        return;
      } catch (const environment_error&) {
        // An MPI that went while it was measured is left out from now on.
        if (lost_mpis() == lost) throw;
      }
    }
  }

 private:
  [[nodiscard]] std::size_t lost_mpis() const {
    return static_cast<std::size_t>(
        std::ranges::count_if(mpis_, [](const mpi_seat& seat) { return !seat.lost().empty(); }));
  }

  duel duel_of(const collective& one) {
    // About 8 MiB in a sample: a few big ones, or so many small ones that their median is firm.
    const std::size_t often = std::clamp<std::size_t>((std::size_t{8} << 20) / one.bytes, 3, 500);
    const auto median = [](const std::vector<double>& seconds) {
      return summarise(seconds).median;
    };
    std::string measure(name_of(one.what));
    if (takes_counts(one.what)) measure += ", " + std::string(name_of(one.how));
    duel duel{.work = "collectives",
              .measure = measure,
              .type = combines(one.what) ? "f64" : "bytes",
              .n = one.bytes,
              .processors = on_.ours.processors(),
              .repetitions = options_.repetitions.value_or(11),
              .ours = {"ours", [this, one] { ours_.verify(one, ++seed_); },
                       [this, one, often, median] {
                         seed_ += often + 1;
                         return median(ours_.time(one, often, seed_));
                       }},
              .rivals = {},
              .missing = {},
              .failed = {},
              .figure = {}};
    for (mpi_seat& seat : mpis_) {
      if (!seat.lost().empty()) {
        duel.failed.emplace_back(seat.name(), seat.lost());
        continue;
      }
      duel.challenge(options_, seat.name(), [&seat, one, often, median] {
        return contestant{"", [&seat, one] { seat.verify(one); },
                          [&seat, one, often, median] { return median(seat.time(one, often)); }};
      });
    }
    for (const char* name : {"openmpi", "mpich"}) {
      if (options_.wants(name) && !rival_named(name).linked) duel.missing.emplace_back(name);
    }
    duel.challenge(options_, "memcpy", [this, one, often, median] {
      return contestant{"", [this, one] { copy_.verify(one); },
                        [this, one, often, median] { return median(copy_.time(one, often)); }};
    });
    return duel;
  }

  arena& on_;
  const work_options& options_;
  std::list<mpi_seat> mpis_;
  our_collectives ours_;
  copy_bound copy_;
  std::uint64_t seed_;
};

}  // namespace

void measure_collectives(arena& on, const work_options& options, const referee& fight) {
  on.require_dedicated("collectives");
  const auto all = chosen(options, on.pus.size());
  tournament between(on, options);
  for (const collective& one : all) between.measure(one, fight);
}

}  // namespace pleat::bench
