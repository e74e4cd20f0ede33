// SPDX-License-Identifier: Apache-2.0
#include "kernels/choice.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <memory>
#include <utility>

#include <pleat/channels/error.hpp>
#include <pleat/oblivious/detail/program/kernels_ready.hpp>
#include <pleat/runtime/detail/watch.hpp>
#include <pleat/runtime/error.hpp>

#include "sort/bucket.hpp"

namespace pleat::detail::kernels {
namespace {

/// Tells whether the name stands for this work: its own, or what is before the type.
bool stands_for(std::string_view name, std::string_view work) {
  return work == name || (work.starts_with(name) && work.substr(name.size()).starts_with('-') &&
                          work.find('-', name.size() + 1) == std::string_view::npos);
}

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i)
    text += (i == 0 ? "" : i + 1 == names.size() ? " or " : ", ") + names[i];
  return text;
}

void check(const std::string& work, const std::string& kernel, std::span<const names_of_work> all) {
  std::vector<std::string> works, kernels;
  for (const names_of_work& names : all) {
    works.push_back(names.work);
    if (!stands_for(work, names.work)) continue;
    for (const std::string& k : names.kernels)
      if (std::ranges::find(kernels, k) == kernels.end()) kernels.push_back(k);
  }
  if (kernels.empty())
    throw usage_error("no choice is called \"" + work + "\": choose " + listed(works));
  if (std::ranges::find(kernels, kernel) == kernels.end())
    throw usage_error("\"" + kernel + "\" cannot do " + work + " here: choose " + listed(kernels));
}

}  // namespace

forced_kernels::forced_kernels(std::string_view text, std::span<const names_of_work> all) {
  while (!text.empty()) {
    const std::size_t comma = text.find(',');
    const std::string_view item = text.substr(0, comma);
    text = comma == std::string_view::npos ? "" : text.substr(comma + 1);
    const std::size_t equals = item.find('=');
    if (equals == std::string_view::npos)
      throw usage_error("\"" + std::string(item) +
                        "\" forces nothing: write work=kernel, with commas between them");
    pair forced{std::string(item.substr(0, equals)), std::string(item.substr(equals + 1))};
    check(forced.work, forced.kernel, all);
    pairs_.push_back(std::move(forced));
  }
}

std::optional<std::size_t> forced_kernels::kernel_of(const names_of_work& names) const {
  for (auto last = pairs_.rbegin(); last != pairs_.rend(); ++last) {
    if (!stands_for(last->work, names.work)) continue;
    const auto found = std::ranges::find(names.kernels, last->kernel);
    if (found != names.kernels.end())
      return static_cast<std::size_t>(found - names.kernels.begin());
  }
  return std::nullopt;
}

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

namespace pleat {
namespace detail::kernels {
namespace {

/// Lists all pieces of work whose kernels race.
std::array<choice*, 2> all_choices() {
  return {&sorting::bucket_choice<std::uint32_t>(), &sorting::bucket_choice<std::uint64_t>()};
}

forced_kernels read_forced() {
  std::vector<names_of_work> all{vector_names(), stencil_names()};
  for (const choice* c : all_choices()) all.push_back(c->names());
  const char* const text = std::getenv("PLEAT_KERNELS");
  if (text == nullptr) return {};
  try {
    return {text, all};
  } catch (const usage_error& e) {
    throw usage_error(std::string("PLEAT_KERNELS: ") + e.what());
  }
}

}  // namespace

const forced_kernels& apply_forced() {
  static constinit made_once<forced_kernels> once;
  static constinit each_process<std::mutex> alone;  // the vectors are Highway's, of all threads
  const std::lock_guard lock(alone.get());
  const forced_kernels& forced = once.get([] {
    forced_kernels read = read_forced();
    use_vectors(read);
    return read;
  });
  kernels_ready.store(true, std::memory_order_release);  // pairs with the load of ready_kernels()
  return forced;
}

std::atomic<bool> kernels_ready{false};

}  // namespace detail::kernels

void detail::make_kernels_ready() { kernels::apply_forced(); }

std::string_view to_string(kernel_reason why) noexcept {
  constexpr std::array<std::string_view, 4> names{"measured", "known", "forced", "only one"};
  return names[static_cast<std::size_t>(why)];
}

std::vector<kernel_choice> kernel_choices() {
  using namespace detail::kernels;
  const forced_kernels& forced = apply_forced();
  std::vector<kernel_choice> all{vectors_described(forced), stencil_described(forced)};
  for (choice* c : all_choices()) all.push_back(c->described());
  return all;
}

}  // namespace pleat
