// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>

#include <pleat/runtime/detail/rings.hpp>

namespace pleat::detail {

/// The index algorithm with radix r, by which n processes send mail to each other in rounds.
/// Process p numbers its mail by distance: number j is that for process p + j, modulo n. In the
/// round of the place r^i, p sends for each digit d = 1, 2, … one message to process p + d·r^i,
/// with all mail whose number has the digit d at that place; mail that it receives takes the number
/// that it had at the sender. After the last round, number j is the mail from process p − j.
///
/// Source: Bruck, Ho, Kipnis, Upfal, Weathersby, "Efficient algorithms for all-to-all
/// communications in multiport message-passing systems", 1997, doi:10.1109/71.642949, section 3;
/// pleat::index_schedule has its steps for any number of ports. For mail of unequal sizes: Fan,
/// Petruzza, Gilray, Kumar, 2024, arXiv:2411.02581.
struct index_rounds {
  std::size_t processes;
  std::size_t radix;

  /// Number of messages in the round of a place, less than r: the largest digit at that place.
  [[nodiscard]] std::size_t digits(std::size_t place) const noexcept {
    return std::min(radix - 1, (processes - 1) / place);
  }
  /// Calls `act` with the number of each mail that has the digit at that place.
  template <class Act> void for_mail(std::size_t place, std::size_t digit, Act&& act) const {
    for (std::size_t first = digit * place; first < processes; first += radix * place) {
      const std::size_t last = std::min(first + place, processes);
      for (std::size_t number = first; number < last; ++number) act(number);
    }
  }
  /// Number of messages in which a mail travels.
  [[nodiscard]] std::size_t hops(std::size_t number) const noexcept {
    std::size_t count = 0;
    for (; number != 0; number /= radix) count += number % radix != 0 ? 1 : 0;
    return count;
  }

  /// Messages that each process sends, and mail in all of them together.
  struct traffic {
    std::size_t messages = 0, mail = 0;
  };
  /// Cost: O(log_r n).
  [[nodiscard]] traffic sent() const noexcept {
    traffic sum;
    for (std::size_t place = 1; place < processes; place *= radix) {
      const std::size_t cycle = radix * place;
      const std::size_t stays = processes / cycle * place + std::min(processes % cycle, place);
      sum.messages += digits(place);
      sum.mail += processes - stays;
    }
    return sum;
  }
};

/// Least number of processes for which rounds can cost less than a dense barrier: 2⌈log2 n⌉ <
/// n − 1.
inline constexpr std::size_t fewest_for_rounds = 8;

/// Returns the radix of the cheapest rounds for barriers of n processes in which a process has mail
/// for up to `widest` others, of so many bytes in all; 0 if one message to each other process costs
/// less. Mail is forwarded, or sent straight to its process beside the rounds, whatever costs less.
/// A message of the rounds counts twice, because one round waits for another, while the messages of
/// a dense barrier are in transit together. Cost: O(√n).
[[nodiscard]] inline std::size_t cheapest_radix(std::size_t processes, std::size_t widest,
                                                double bytes,
                                                const process_message_cost& cost) noexcept {
  if (processes < fewest_for_rounds) return 0;
  const double others = static_cast<double>(processes - 1);
  double least = others * cost.start;
  std::size_t best = 0;
  for (std::size_t radix = 2; (radix - 1) * (radix - 1) < processes; ++radix) {
    const index_rounds::traffic sent = index_rounds{processes, radix}.sent();
    const double forwarding = bytes * (static_cast<double>(sent.mail) / others - 1) * cost.per_byte;
    const double beside = static_cast<double>(widest) * cost.start;
    const double seconds =
        2 * static_cast<double>(sent.messages) * cost.start + std::min(forwarding, beside);
    if (seconds < least) {
      least = seconds;
      best = radix;
    }
  }
  return best;
}

}  // namespace pleat::detail
