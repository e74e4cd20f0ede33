// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <memory>

#include <pleat/oblivious/sort.hpp>

#include "sort_data.hpp"
#include "tool/sweep_program.hpp"

namespace pleat::bench {
namespace {

template <class T> prepared_program prepared(machine& on, const sweep_case& at) {
  const auto data = std::make_shared<sort_data<T>>(on, at.n, distribution(at.distribution), 1);
  const auto sample = [data](machine& chosen, const sort_options& options, run_report& report) {
    return data->sample([&](std::span<T> keys) {
      report = pleat::sort(chosen, keys, std::ranges::less(), compared_part<T>(), options);
    });
  };
  return {sizeof(T),
          [=, &on] {
            run_report report;
            return sample(on, {}, report);
          },
          [data] { data->verify("pleat::sort"); },
          [=, &on](machine& other) {
            namespace sorting = detail::sorting;
            constexpr auto item =
                sorting::item_of<T*, std::ranges::less, decltype(compared_part<T>())>();
            run_report report;
            sample(other, {.vps = sorting::sort_vps(on, data->size(), item, {})}, report);
            return report;
          },
          data->arrays()};
}

prepared_program prepare(machine& on, const sweep_case& at) {
  prepared_program result;
  with_sort_type(at.type, [&]<class T>() { result = prepared<T>(on, at); });
  return result;
}

constexpr std::array programs{sweep_program{
    .name = "sort",
    .types = sort_types,
    .types_over_ranks = "u64, f64, u32, i32, f32, i64, u16, u8",
    .n = "2^16,2^20,2^24",
    .operation = "a sort of n keys",
    .step = "keys",
    .steps = [](std::size_t n) { return static_cast<double>(n); },
    .prepare = prepare,
    .has_keys = true,
}};

}  // namespace

std::span<const sweep_program> sort_sweeps() { return programs; }

}  // namespace pleat::bench
