// SPDX-License-Identifier: Apache-2.0
#include <string>

#include <pleat/collectives/index_schedule.hpp>
#include <pleat/runtime/error.hpp>

namespace pleat {
namespace {

// Split of the numbers below n into cycles of radix · place numbers, and a rest. In a cycle each
// digit of weight `place` has `place` numbers. At the highest place all numbers are the rest.
struct digit_cycles {
  std::size_t complete;
  std::size_t rest;
  std::size_t last;  // the largest digit that occurs
  bool is_highest;

  digit_cycles(std::size_t n, std::size_t radix, std::size_t place)
      : last(std::min(radix - 1, (n - 1) / place)),
        is_highest(place >= n / radix + (n % radix != 0 ? 1 : 0)) {
    complete = is_highest ? 0 : n / (radix * place);
    rest = is_highest ? n : n % (radix * place);
  }
};

struct totals {
  std::size_t rounds = 0, volume = 0;
};

// Computes C1 and C2 of a radix without making its steps. The largest message of a round is that of
// the smallest digit.
totals totals_of(std::size_t n, std::size_t radix, std::size_t ports) {
  totals sum;
  for (std::size_t place = 1; place < n; place *= radix) {
    const digit_cycles in(n, radix, place);
    const std::size_t rounds = (in.last + ports - 1) / ports;
    sum.rounds += rounds;
    sum.volume += rounds * in.complete * place;
    const std::size_t full = in.rest / place;  // each smaller digit has `place` of the rest
    if (full > 1) sum.volume += (full - 2 + ports) / ports * place;
    if (full > 0 && full <= in.last && (full - 1) % ports == 0) sum.volume += in.rest % place;
    if (in.is_highest) break;
  }
  return sum;
}

void require(std::size_t processors, std::size_t ports) {
  if (processors == 0) throw usage_error("an index operation of 0 processors: there must be one");
  if (ports == 0) throw usage_error("an index operation with 0 ports: there must be one");
}

}  // namespace

index_schedule::index_schedule(std::size_t processors, std::size_t radix, std::size_t ports)
    : processors_(processors), radix_(radix) {
  require(processors, ports);
  if (radix < 2 || radix > std::max<std::size_t>(2, processors))
    throw usage_error("an index operation of " + std::to_string(processors) +
                      " processors in radix " + std::to_string(radix) + ": choose from 2 to " +
                      std::to_string(std::max<std::size_t>(2, processors)));
  std::size_t round = 0;
  for (std::size_t place = 1; place < processors; place *= radix) {
    const digit_cycles in(processors, radix, place);
    for (std::size_t digit = 1; digit <= in.last; ++digit)
      steps_.push_back({round + (digit - 1) / ports, place, digit, digit * place});
    round = steps_.back().round + 1;
    if (in.is_highest) break;
  }
}

std::size_t index_schedule::blocks(const index_step& step) const noexcept {
  const digit_cycles in(processors_, radix_, step.place);
  const std::size_t below = step.digit * step.place;
  return in.complete * step.place + (in.rest > below ? std::min(in.rest - below, step.place) : 0);
}

std::size_t index_schedule::rounds() const noexcept {
  return steps_.empty() ? 0 : steps_.back().round + 1;
}

std::size_t index_schedule::volume() const noexcept {
  std::size_t sum = 0;
  std::size_t next = 0;  // round to add: its first step has the most blocks
  for (const auto& step : steps_) {
    if (step.round != next) continue;
    sum += blocks(step);
    ++next;
  }
  return sum;
}

std::size_t best_index_radix(std::size_t processors, std::size_t ports, std::size_t bytes,
                             const message_cost& cost) {
  require(processors, ports);
  if (!(cost.start >= 0 && cost.per_byte >= 0))
    throw usage_error("a message's cost must not be negative: give seconds and seconds per byte");
  if (processors <= 2) return 2;
  const auto time = [&](std::size_t radix) {
    const totals sum = totals_of(processors, radix, ports);
    return static_cast<double>(sum.rounds) * cost.start +
           static_cast<double>(sum.volume) * static_cast<double>(bytes) * cost.per_byte;
  };
  std::size_t best = processors;
  double least = time(processors);
  for (std::size_t radix = processors - 1; radix >= 2; --radix) {
    const double seconds = time(radix);
    if (seconds <= least) {
      best = radix;
      least = seconds;
    }
  }
  return best;
}

}  // namespace pleat
