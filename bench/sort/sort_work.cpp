// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <span>
#include <vector>

#include <pleat/oblivious/sort.hpp>

#include "measure/work.hpp"
#include "pleat_rivals_linked.hpp"
#include "sort/rivals/linked_sorts.hpp"
#include "sort_data.hpp"

namespace pleat::bench {
namespace {

constexpr auto default_type = "u64";
constexpr auto default_stable_type = "pairs";  // of bare numbers nobody can tell equal ones apart
constexpr std::size_t default_keys = std::size_t{1} << 25;
// std::sort alone takes longer than everybody else together beyond this.
constexpr std::size_t serial_takes_long = std::size_t{1} << 22;

/// The sorts of one kind.
template <class T> struct sorts {
  using linked = linked_sort<T, key_order<T>>;

  const char* work;
  void (*ours)(machine&, std::span<T>);
  linked serial;
  std::vector<linked> rivals;
};

template <class T>
void measure_sorts_of(arena& on, const work_options& options, const referee& fight,
                      const sorts<T>& all, bool stable) {
  const std::size_t n = options.size_or(default_keys, 1, all.work);
  sort_data<T> data(n, parse_distribution(options.distribution), options.seed);
  const unsigned threads = on.ours.processors();
  auto contest = [&](const auto& sort, const char* who) {
    return contestant{who,
                      [=, &data, &all] {
                        static_cast<void>(data.sample(sort));
                        if (stable)
                          data.verify_stable(
                              who, [&](std::span<T> keys) { all.serial.sort(keys, 1, {}); });
                        else
                          data.verify(who);
                      },
                      [=, &data] { return data.sample(sort); }};
  };
  duel duel{.work = all.work,
            .measure = options.distribution + " keys",
            .type = options.type_or(stable ? default_stable_type : default_type),
            .n = n,
            .processors = threads,
            .repetitions = options.repetitions.value_or(7),
            .ours = contest([&on, &all](std::span<T> keys) { all.ours(on.ours, keys); }, "ours"),
            .rivals = {},
            .missing = {},
            .figure = {},
            .pace = single_calls};
  auto challenge = [&](const auto& rival, bool by_default) {
    duel.challenge(
        options, rival.name,
        [&] {
          return contest([=](std::span<T> keys) { rival.sort(keys, threads, {}); }, rival.name);
        },
        by_default);
  };
  for (const auto& rival : all.rivals) challenge(rival, true);
  challenge(all.serial, n <= serial_takes_long);
  fight(duel);
}

template <class T>
void measure_sort_of(arena& on, const work_options& options, const referee& fight) {
  const sorts<T> all{
      "sort",
      [](machine& machine, std::span<T> keys) { pleat::sort(machine, keys, key_order<T>{}); },
      {"serial", serial_sort},
      linked_sorts<T, key_order<T>>()};
  measure_sorts_of(on, options, fight, all, false);
}

template <class T>
void measure_stable_sort_of(arena& on, const work_options& options, const referee& fight) {
  sorts<T> all{"stable-sort",
               [](machine& machine, std::span<T> keys) {
                 pleat::stable_sort(machine, keys, key_order<T>{});
               },
               {"serial", serial_stable_sort},
               {{"gnu-parallel"}}};
#if PLEAT_WITH_GNU_PARALLEL
  all.rivals[0].sort = gnu_parallel_stable_sort;
#endif
  measure_sorts_of(on, options, fight, all, true);
}

}  // namespace

void measure_sort(arena& on, const work_options& options, const referee& fight) {
  with_key_type(options.type_or(default_type),
                [&]<class T>() { measure_sort_of<T>(on, options, fight); });
}

void measure_stable_sort(arena& on, const work_options& options, const referee& fight) {
  with_key_type(options.type_or(default_stable_type),
                [&]<class T>() { measure_stable_sort_of<T>(on, options, fight); });
}

}  // namespace pleat::bench
