// SPDX-License-Identifier: Apache-2.0
#include <array>

#include <pleat/oblivious/sort.hpp>

#include "sort_data.hpp"
#include "tool/sweep_program.hpp"

namespace pleat::bench {
namespace {

template <class T> class prepared_sort final : public prepared_program {
 public:
  prepared_sort(machine& on, const sweep_case& at)
      : prepared_program(sizeof(T)), on_(on), data_(on, at.n, distribution(at.distribution), 1) {}

  double sample() override {
    return data_.sample([&](std::span<T> keys) {
      pleat::sort(on_, keys, std::ranges::less(), compared_part<T>());
    });
  }
  void verify() override { data_.verify("pleat::sort"); }
  run_report run_on(machine& other) override {
    namespace sorting = detail::sorting;
    constexpr auto item = sorting::item_of<T*, std::ranges::less, decltype(compared_part<T>())>();
    const std::size_t vps = sorting::sort_vps(on_, data_.size(), item, {});
    run_report report;
    static_cast<void>(data_.sample([&](std::span<T> keys) {
      report = pleat::sort(other, keys, std::ranges::less(), compared_part<T>(), {.vps = vps});
    }));
    return report;
  }
  [[nodiscard]] measured_arrays arrays() const override { return data_.arrays(); }

 private:
  machine& on_;
  sort_data<T> data_;
};

std::unique_ptr<prepared_program> prepare(machine& on, const sweep_case& at) {
  std::unique_ptr<prepared_program> result;
  with_sort_type(at.type, [&]<class T>() { result = std::make_unique<prepared_sort<T>>(on, at); });
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
