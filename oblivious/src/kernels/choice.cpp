// SPDX-License-Identifier: Apache-2.0
#include "kernels/choice.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>

#include <pleat/runtime/detail/watch.hpp>

#include "kernels/all.hpp"

namespace pleat::detail::kernels {

names_of_work choice::names() const {
  names_of_work names{work_, {}};
  for (const candidate& c : candidates_) names.kernels.emplace_back(c.name);
  return names;
}

/// Times candidates in turn, so that whatever slows the processor down slows all of them; takes the
/// least of several tries, because interruptions only ever add to the time.
std::vector<double> choice::race() const {
  watch* const outer = std::exchange(current_watch, nullptr);  // kernels must not return early
  std::vector<double> ns(candidates_.size(), std::numeric_limits<double>::max());
  for (int round = 0; round < rounds; ++round)
    for (std::size_t i = 0; i < candidates_.size(); ++i)
      ns[i] = std::min(ns[i], candidates_[i].try_once());
  current_watch = outer;
  return ns;
}

const choice::decision& choice::decide() {
  const forced_kernels& forced = apply_forced();  // the vectors first: the race is run in them
  const std::lock_guard alone(deciding_.get());
  if (const decision* const made = made_.load(std::memory_order_relaxed); made != nullptr)
    return *made;  // the lock ordered it
  auto made = std::make_unique<decision>();
  if (const auto wanted = forced.kernel_of(names())) {
    made->place = *wanted;
    made->why = kernel_reason::forced;
  } else if (candidates_.size() > 1) {
    made->ns = race();
    made->place = static_cast<std::size_t>(std::ranges::min_element(made->ns) - made->ns.begin());
    made->why = kernel_reason::measured;
  }
  made_.store(made.get(), std::memory_order_release);  // pairs with the load of taken()
  return *made.release();
}

kernel_choice choice::described() {
  const decision& made = decide();
  kernel_choice all{work_, {}, made.place, made.why};
  for (std::size_t i = 0; i < candidates_.size(); ++i) {
    kernel_candidate one{candidates_[i].name};
    if (!made.ns.empty()) one.ns = made.ns[i];
    all.candidates.push_back(std::move(one));
  }
  return all;
}

}  // namespace pleat::detail::kernels
