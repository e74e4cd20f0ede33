// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <complex>
#include <cstdint>
#include <ctime>

#include <pleat/oblivious/fft.hpp>
#include <pleat/oblivious/matmul.hpp>
#include <pleat/oblivious/sort.hpp>
#include <pleat/oblivious/stencil.hpp>

#include "fft/fft_data.hpp"
#include "inflated_work.hpp"
#include "matmul/matmul_data.hpp"
#include "measure/clock.hpp"
#include "sort/sort_data.hpp"
#include "stencil/heat_data.hpp"

namespace pleat::bench {
namespace {

constexpr std::uint64_t seed = 1;

double process_seconds() {
  std::timespec now{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// Rows of a square, or of a cube, of about n elements.
std::size_t side_of(std::size_t n, std::size_t dimensions) {
  const double side = std::pow(static_cast<double>(n), 1 / static_cast<double>(dimensions));
  return std::max<std::size_t>(static_cast<std::size_t>(std::llround(side)), 1);
}

class inflated_sort final : public inflated_work {
 public:
  inflated_sort(machine& on, std::size_t n) : data_(on, n, distribution("random"), seed) {}

  work_run run(machine& on, std::optional<std::size_t> vps) override {
    work_run done;
    static_cast<void>(data_.sample([&](std::span<std::uint64_t> keys) {
      done = timed_run([&] { return pleat::sort(on, keys, std::less<>{}, {.vps = vps}); });
    }));
    return done;
  }
  void verify(machine& on, std::optional<std::size_t> vps) override {
    static_cast<void>(run(on, vps));
    data_.verify("pleat::sort");
  }

 private:
  sort_data<std::uint64_t> data_;
};

class inflated_fft final : public inflated_work {
 public:
  inflated_fft(machine& on, std::size_t n) : data_(on, {.columns = n}, seed) {}

  work_run run(machine& on, std::optional<std::size_t> vps) override {
    return timed_run([&] { return fft(on, data_.from, data_.to, {.vps = vps}); });
  }
  void verify(machine& on, std::optional<std::size_t> vps) override {
    static_cast<void>(run(on, vps));
    data_.verify("pleat::fft");
  }

 private:
  fft_data<std::complex<double>> data_;
};

class inflated_product final : public inflated_work {
 public:
  inflated_product(machine& on, std::size_t n) : data_(on, square(side_of(n, 2)), seed) {}

  work_run run(machine& on, std::optional<std::size_t> vps) override {
    work_run done;
    static_cast<void>(data_.sample([&](auto a, auto b, auto c) {
      done = timed_run([&] { return matmul<plus_times>(on, a, b, c, {.vps = vps}); });
    }));
    return done;
  }
  void verify(machine& on, std::optional<std::size_t> vps) override {
    static_cast<void>(run(on, vps));
    data_.verify("pleat::matmul");
  }

 private:
  matmul_data<plus_times, double> data_;
};

template <std::size_t D> class inflated_stencil final : public inflated_work {
 public:
  inflated_stencil(machine& on, std::size_t n) : data_(on, side_of(n, D), seed) {}

  work_run run(machine& on, std::optional<std::size_t> vps) override {
    work_run done;
    static_cast<void>(data_.sample([&](auto grid, std::size_t steps) {
      done = timed_run(
          [&] { return stencil(on, grid, steps, heat_kernel<double, D>(), {.vps = vps}); });
    }));
    return done;
  }
  void verify(machine& on, std::optional<std::size_t> vps) override {
    data_.verify("pleat::stencil", [&](auto grid, std::size_t steps) {
      stencil(on, grid, steps, heat_kernel<double, D>(), {.vps = vps});
    });
  }

 private:
  heat_data<double, D> data_;
};

template <class Work> std::unique_ptr<inflated_work> made(machine& on, std::size_t n) {
  return std::make_unique<Work>(on, n);
}

}  // namespace

work_run timed_run(const std::function<run_report()>& run) {
  const double cpu = process_seconds();
  const auto start = benchmark_clock::now();
  work_run done{{}, run()};
  done.took.elapsed = seconds_since(start);
  done.took.cpu = process_seconds() - cpu;
  return done;
}

std::vector<named_work> inflated_programs() {
  return {{"sort", "u64", 8, made<inflated_sort>},
          {"fft", "f64", 16, made<inflated_fft>},
          {"matmul", "f64", 8, made<inflated_product>},
          {"stencil1", "f64", 8, made<inflated_stencil<1>>},
          {"stencil2", "f64", 8, made<inflated_stencil<2>>},
          {"stencil3", "f64", 8, made<inflated_stencil<3>>}};
}

}  // namespace pleat::bench
