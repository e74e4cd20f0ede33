// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstring>
#include <limits>
#include <mpi.h>
#include <numbers>
#include <span>
#include <vector>

#include <pleat/runtime/error.hpp>

#include "arrays/distributed_numbers.hpp"
#include "fft/fft_data.hpp"
#include "ranked_program.hpp"
#include "sort/sort_keys.hpp"

namespace pleat::bench {
namespace {

template <class T> class transformed_ranks final : public ranked_program {
 public:
  using complex = std::complex<T>;

  transformed_ranks(const rank_group& all, machine& on, const sweep_case& at)
      : ranked_program(all, on), n_(at.n), lines_(at.batch) {}

  double sample() override { return run(false); }
  void verify() override { static_cast<void>(run(true)); }

 private:
  double run(bool checks) {
    const std::vector<std::size_t> shape = lines_ == 1 ? std::vector{n_} : std::vector{lines_, n_};
    double seconds = 0;
    arrays::transform_distributed_numbers(
        on_, arrays::fft_kind::fft, {arrays::number_kind::complex, sizeof(complex)}, shape,
        [&](std::span<std::byte> block, std::size_t first) {
          all_.each([&] {
            if (before_.empty()) make(block.size() / sizeof(complex), first);
            if (!block.empty()) std::memcpy(block.data(), before_.data(), block.size());
          });
          clock_.start();
        },
        [&](std::span<const std::byte> block, std::size_t first) {
          seconds = clock_.stop();
          if (checks)
            check({reinterpret_cast<const complex*>(block.data()), block.size() / sizeof(complex)},
                  first);
        });
    return seconds;
  }
  void make(std::size_t count, std::size_t first) {
    before_.resize(count);
    const auto part = [](std::size_t i) {
      return static_cast<T>(static_cast<double>(mixed(i) >> 11U) * 0x1p-52 - 1);
    };
    for (std::size_t i = 0; i < count; ++i)
      before_[i] = {part(2 * (first + i)), part(2 * (first + i) + 1)};
  }

  // Some results beside their definition, and the norm of all.
  void check(std::span<const complex> after, std::size_t first) {
    constexpr std::size_t points = 3;
    std::array<double, 2 + 4 * points> sums{};  // norms; expected and found, of each point
    sums[0] = norm_of(before_);
    sums[1] = norm_of(after);
    for (std::size_t p = 0; p < points; ++p) {
      const std::size_t line = mixed(p) % lines_, k = mixed(p + points) % n_;
      std::complex<long double> sum = 0;  // of a million rounded terms a double is no oracle
      for (std::size_t i = 0; i < before_.size(); ++i) {
        const std::size_t j = first + i - line * n_;  // large if before the line
        if (j < n_) sum += std::complex<long double>(std::complex<double>(before_[i]) * root(j, k));
      }
      const std::size_t place = line * n_ + k - first;
      const std::complex<double> found =
          place < after.size() ? std::complex<double>(after[place]) : 0.0;
      const std::array<double, 4> parts{static_cast<double>(sum.real()),
                                        static_cast<double>(sum.imag()), found.real(),
                                        found.imag()};
      std::ranges::copy(parts, sums.begin() + 2 + 4 * static_cast<std::ptrdiff_t>(p));
    }
    MPI_Allreduce(MPI_IN_PLACE, sums.data(), static_cast<int>(sums.size()), MPI_DOUBLE, MPI_SUM,
                  all_.processes());
    const auto n = static_cast<double>(n_);
    const double share = 4 * (1 + std::log2(n)) * std::numeric_limits<T>::epsilon();
    // Of one line, all of which could be in one number.
    const double most = share * std::sqrt(n * sums[0] / static_cast<double>(lines_));
    bool right = std::abs(sums[1] - n * sums[0]) <= 2 * share * n * sums[0];
    for (std::size_t p = 0; p < points; ++p) {
      const double* const of = sums.data() + 2 + 4 * p;
      right = right && std::hypot(of[0] - of[2], of[1] - of[3]) <= 4 * most;
    }
    if (!right) throw error("verification failed: pleat::fft over ranks computed nonsense");
  }
  [[nodiscard]] static double norm_of(std::span<const complex> numbers) {
    long double sum = 0;
    for (const complex& x : numbers) sum += std::norm(std::complex<double>(x));
    return static_cast<double>(sum);
  }
  [[nodiscard]] std::complex<double> root(std::size_t j, std::size_t k) const {
    const std::size_t turns = j * k % n_;  // of up to 2^32 numbers no product is too large
    return std::polar(1.0,
                      -2 * std::numbers::pi * static_cast<double>(turns) / static_cast<double>(n_));
  }

  std::size_t n_, lines_;
  std::vector<complex> before_;
};

}  // namespace

prepared_ranks ranked_fft(const rank_group& all, machine& on, const sweep_case& at) {
  if (at.type == "f32") return std::make_unique<transformed_ranks<float>>(all, on, at);
  return std::make_unique<transformed_ranks<double>>(all, on, at);
}

}  // namespace pleat::bench
