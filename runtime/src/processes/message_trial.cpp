// SPDX-License-Identifier: Apache-2.0
#include "processes/message_trial.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <limits>

#include "processes/meeting.hpp"

namespace pleat::detail {

namespace {

constexpr std::size_t large = 64 * 1024;

/// Shortest time of a message of so many bytes beyond its head: half of the way to and fro.
double shortest(link& by, std::size_t to, std::size_t bytes, int times,
                std::list<link::arrival>& early) {
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < times; ++i) {
    byte_buffer sent = greeting(packet_kind::trial);
    if (bytes != 0) std::memset(sent.append(bytes), 0, bytes);
    const auto begun = std::chrono::steady_clock::now();
    by.post(to, sent);
    by.recycle(receive_greeting(by, to, early));
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begun;
    least = std::min(least, taken.count() / 2);
  }
  return least;
}

process_message_cost measured(link& by, std::size_t with, std::list<link::arrival>& early) {
  const double start = shortest(by, with, 0, 8, early);
  const double more = shortest(by, with, large, 3, early) - start;
  return {start, std::max(more, 0.0) / large};
}

}  // namespace

process_message_cost try_messages(link& by, std::list<link::arrival>& early) {
  const std::size_t last = by.size() - 1;
  if (by.self() == 0) {
    const process_message_cost cost =
        last == 0 ? process_message_cost{} : measured(by, last, early);
    byte_buffer result = greeting(packet_kind::cost);
    byte_writer(result).put(cost);
    for (std::size_t process = 1; process <= last; ++process) greet(by, process, result);
    return cost;
  }
  for (;;) {
    link::arrival arrived = receive_greeting(by, 0, early);
    if (load_payload<packet_head>(arrived.bytes.begin()).kind == packet_kind::cost)
      return content_of(arrived.bytes).take<process_message_cost>();
    by.post(0, arrived.bytes);
  }
}

}  // namespace pleat::detail
