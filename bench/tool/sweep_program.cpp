// SPDX-License-Identifier: Apache-2.0
#include "sweep_program.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>

#include <pleat/oblivious/fft.hpp>
#include <pleat/oblivious/matmul.hpp>
#include <pleat/oblivious/sort.hpp>
#include <pleat/oblivious/stencil.hpp>
#include <pleat/runtime/error.hpp>

#include "fft/fft_data.hpp"
#include "matmul/matmul_data.hpp"
#include "matmul/matmul_types.hpp"
#include "measure/clock.hpp"
#include "names.hpp"
#include "sort/sort_data.hpp"
#include "stencil/heat_data.hpp"

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

template <class T> class prepared_matmul final : public prepared_program {
 public:
  prepared_matmul(machine& on, const sweep_case& at) : on_(on), data_(at.n, 1) {}

  double sample() override {
    return data_.sample([&](auto a, auto b, auto c) { matmul(on_, a, b, c); });
  }
  void verify() override { data_.verify("pleat::matmul"); }
  std::optional<model_costs> costs() override {
    const std::size_t n = data_.size();
    const std::size_t vps = detail::matmul::matmul_vps(on_, "matmul", n, n, n, {});
    machine counting({.trace = tracing{}});
    std::optional<cost_trace> trace;
    static_cast<void>(data_.sample(
        [&](auto a, auto b, auto c) { trace = matmul(counting, a, b, c, {.vps = vps}).costs; }));
    if (!trace) return std::nullopt;
    return model_costs{*std::move(trace), sizeof(T)};
  }

 private:
  machine& on_;
  matmul_data<plus_times, T> data_;
};

template <class T> class prepared_fft final : public prepared_program {
 public:
  prepared_fft(machine& on, const sweep_case& at)
      : on_(on), data_({.columns = at.n, .batch = fft_batch(at.n)}, 1) {}

  double sample() override {
    const auto start = benchmark_clock::now();
    static_cast<void>(fft(on_, data_.from, data_.to, {.batch = data_.shape().batch}));
    return seconds_since(start);
  }
  void verify() override { data_.verify("pleat::fft"); }
  std::optional<model_costs> costs() override {
    const std::size_t vps =
        detail::fourier::fft_vps(on_, "fft", data_.from.size_bytes(), std::nullopt);
    machine counting({.trace = tracing{}});
    const auto report =
        fft(counting, data_.from, data_.to, {.batch = data_.shape().batch, .vps = vps});
    if (!report.costs) return std::nullopt;
    return model_costs{*report.costs, sizeof(std::complex<T>)};
  }

 private:
  machine& on_;
  fft_data<std::complex<T>> data_;
};

std::unique_ptr<prepared_program> prepare_fft(machine& on, const sweep_case& at) {
  std::unique_ptr<prepared_program> result;
  with_fft_type(at.type, [&]<class T>() { result = std::make_unique<prepared_fft<T>>(on, at); });
  return result;
}

template <class T, std::size_t D> class prepared_heat final : public prepared_program {
 public:
  prepared_heat(machine& on, const sweep_case& at) : on_(on), data_(at.n, 1) {}

  double sample() override { return data_.sample(advance_on(on_, {})); }
  void verify() override { data_.verify("pleat::stencil", advance_on(on_, {})); }
  std::optional<model_costs> costs() override {
    const std::size_t vps = detail::stencils::stencil_vps(
        on_, data_.cells() * sizeof(T), heat_data<T, D>::steps(), stencil_options());
    machine counting({.trace = tracing{}});
    std::optional<cost_trace> trace;
    const auto counted = [&](auto grid, std::size_t steps) {
      trace = stencil(counting, grid, steps, heat_kernel<T, D>(), {.vps = vps}).costs;
    };
    static_cast<void>(data_.sample(counted));
    if (!trace) return std::nullopt;
    return model_costs{*std::move(trace), sizeof(T)};
  }

 private:
  [[nodiscard]] static auto advance_on(machine& on, const stencil_options& options) {
    return [&on, options](auto grid, std::size_t steps) {
      stencil(on, grid, steps, heat_kernel<T, D>(), options);
    };
  }

  machine& on_;
  heat_data<T, D> data_;
};

template <std::size_t D>
std::unique_ptr<prepared_program> prepare_heat(machine& on, const sweep_case& at) {
  std::unique_ptr<prepared_program> result;
  with_heat_type(at.type,
                 [&]<class T>() { result = std::make_unique<prepared_heat<T, D>>(on, at); });
  return result;
}

/// `n`: the sizes, unless the user chooses.
template <std::size_t D>
constexpr sweep_program heat_program(std::string_view name, std::string_view summary,
                                     std::string_view n) {
  return {name,
          summary,
          "f64",
          n,
          [](std::string_view type) { with_heat_type(type, []<class>() {}); },
          [](std::size_t side) {
            return std::pow(static_cast<double>(side), D) *
                   static_cast<double>(heat_data<double, D>::steps());
          },
          prepare_heat<D>};
}

}  // namespace

const sweep_program& find_sweep_program(std::string_view name) {
  const auto found = std::ranges::find(sweep_programs(), name, &sweep_program::name);
  if (found == sweep_programs().end())
    throw usage_error("--programs: '" + std::string(name) + "' is no program; known: " +
                      names_of(sweep_programs(), &sweep_program::name));
  return *found;
}

std::span<const sweep_program> sweep_programs() {
  static constexpr std::array programs{
      sweep_program{"sort", "an array of keys, in place", "u64", "2^16,2^20,2^24",
                    [](std::string_view type) { with_key_type(type, []<class>() {}); },
                    [](std::size_t n) { return static_cast<double>(n); }, prepare_sort},
      sweep_program{"matmul", "a product of n x n matrices", "f64", "256,1024,2048",
                    [](std::string_view type) { with_matmul_type(type, []<class>() {}); },
                    [](std::size_t n) { return std::pow(static_cast<double>(n), 3); },
                    prepare_matmul},
      sweep_program{"fft", "a transform of n complex numbers, below 2^17 a batch of 2^20", "f64",
                    "2^10,2^16,2^20,2^22",
                    [](std::string_view type) { with_fft_type(type, []<class>() {}); },
                    [](std::size_t n) {
                      const auto points = static_cast<double>(n);
                      return 5 * points * std::log2(points) * static_cast<double>(fft_batch(n));
                    },
                    prepare_fft},
      heat_program<1>("stencil1", "1000 steps of heat, n cells", "2^16,2^20,2^24"),
      heat_program<2>("stencil2", "256 steps of heat, n x n cells", "256,1024,4096"),
      heat_program<3>("stencil3", "100 steps of heat, n x n x n cells", "64,192,384"),
  };
  return programs;
}

std::unique_ptr<prepared_program> prepare_sort(machine& on, const sweep_case& at) {
  std::unique_ptr<prepared_program> result;
  with_key_type(at.type, [&]<class T>() { result = std::make_unique<prepared_sort<T>>(on, at); });
  return result;
}

std::unique_ptr<prepared_program> prepare_matmul(machine& on, const sweep_case& at) {
  std::unique_ptr<prepared_program> result;
  with_matmul_type(at.type,
                   [&]<class T>() { result = std::make_unique<prepared_matmul<T>>(on, at); });
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
