// SPDX-License-Identifier: Apache-2.0
#include "sweep_program.hpp"

#include <array>

#include <pleat/oblivious/sort.hpp>

#include "sort_data.hpp"

namespace pleat::bench {
namespace {

template <class T> class prepared_sort final : public prepared_program {
 public:
  prepared_sort(machine& on, const sweep_case& at)
      : on_(on), data_(at.n, parse_distribution(at.distribution), 1) {}

  double sample() override {
    return data_.sample([&](std::span<T> keys) { pleat::sort(on_, keys, key_order<T>{}); });
  }
  void verify() override { data_.verify("pleat::sort"); }
  std::optional<model_costs> costs() override {
    const std::size_t vps = detail::sorting::sort_vps(on_, data_.size(), sizeof(T), {});
    machine counting({.trace = tracing{}});
    std::optional<cost_trace> trace;
    static_cast<void>(data_.sample([&](std::span<T> keys) {
      trace = pleat::sort(counting, keys, key_order<T>{}, {.vps = vps}).costs;
    }));
    if (!trace) return std::nullopt;
    return model_costs{*std::move(trace), sizeof(T)};
  }

 private:
  machine& on_;
  sort_data<T> data_;
};

}  // namespace

std::span<const sweep_program> sweep_programs() {
  static constexpr std::array programs{
      sweep_program{"sort", "an array of keys, in place", prepare_sort},
  };
  return programs;
}

std::unique_ptr<prepared_program> prepare_sort(machine& on, const sweep_case& at) {
  std::unique_ptr<prepared_program> result;
  with_key_type(at.type, [&]<class T>() { result = std::make_unique<prepared_sort<T>>(on, at); });
  return result;
}

std::string sweep_case::name() const {
  return program + "/" + type + "/" + distribution + "/n:" + std::to_string(n) +
         "/processors:" + std::to_string(processors) + "/place:" + place;
}

sweep_case sweep_case::on_one() const {
  auto one = *this;
  one.processors = 1;
  return one;
}

}  // namespace pleat::bench
