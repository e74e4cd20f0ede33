// SPDX-License-Identifier: Apache-2.0
#include "costs/time_account.hpp"

#include <new>
#include <utility>

namespace pleat::detail {

namespace {

constexpr std::size_t most_spans = std::size_t{1} << 16;

double seconds(time_account::clock::duration d) { return std::chrono::duration<double>(d).count(); }

}  // namespace

void time_account::add(activity what, unsigned label, clock::time_point from,
                       clock::time_point to) {
  sums_[static_cast<std::size_t>(what)] += to - from;
  if (!keeps_timeline_) return;
  if (spans_.size() == most_spans) {
    ++lost_;
    return;
  }
  try {
    spans_.push_back({what, label, seconds(from - run_start_), seconds(to - run_start_)});
  } catch (const std::bad_alloc&) {
    ++lost_;
  }
}

processor_times time_account::times() const {
  const auto waiting = sums_[static_cast<std::size_t>(activity::waiting)];
  const auto communication = sums_[static_cast<std::size_t>(activity::communication)];
  return {seconds(begin_ - run_start_), seconds(end_ - begin_ - waiting - communication),
          seconds(waiting), seconds(communication)};
}

std::vector<timeline_span> time_account::take_timeline() { return std::exchange(spans_, {}); }

}  // namespace pleat::detail
