// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <limits>
#include <memory>
#include <numbers>
#include <random>
#include <span>
#include <string>

#include <pleat/oblivious/fft.hpp>
#include <pleat/runtime/error.hpp>

#include "big_block.hpp"
#include "clock.hpp"
#include "pleat_rivals_linked.hpp"
#include "works/work.hpp"
#if PLEAT_WITH_FFTW
#include "rivals/fftw_transform.hpp"
#endif

namespace pleat::bench {
namespace {

constexpr std::size_t default_size = std::size_t{1} << 20;
/// Smaller transforms are measured as batches of this many numbers.
constexpr std::size_t batch_numbers = std::size_t{1} << 20;
constexpr std::size_t largest_in_batch = std::size_t{1} << 16;

/// Random numbers and room for their transforms.
template <class T> class fft_data {
 public:
  fft_data(std::size_t n, std::size_t batch, std::uint64_t seed)
      : n_(n),
        from_memory_(n * batch * sizeof(std::complex<T>)),
        to_memory_(n * batch * sizeof(std::complex<T>)),
        from(from_memory_.as<std::complex<T>>(n * batch)),
        to(to_memory_.as<std::complex<T>>(n * batch)),
        seed_(seed) {
    fill();
  }

  void fill() {
    std::mt19937_64 random(seed_);
    std::uniform_real_distribution<T> part(-1, 1);
    for (auto& number : from) {
      const T re = part(random);
      number = {re, part(random)};
    }
    std::ranges::fill(to, std::complex<T>());
  }

  /// Checks some results of the first and the last transform by the definition, and the energy of
  /// all. Throws: pleat::error naming who transformed.
  void verify(const std::string& who) const {
    long double before = 0;
    long double after = 0;
    for (const auto& number : from) before += std::norm(number);
    for (const auto& number : to) after += std::norm(number);
    const long double allowed =
        16 * std::log2(static_cast<long double>(n_) + 2) * std::numeric_limits<T>::epsilon();
    bool right = std::abs(after / (before * static_cast<long double>(n_)) - 1) <= allowed;
    for (const std::size_t first : {std::size_t{0}, from.size() - n_}) {
      for (const std::size_t k : {std::size_t{0}, n_ / 3, n_ / 2 + n_ / 7, n_ - 1}) {
        std::complex<double> sum;
        for (std::size_t j = 0; j < n_; ++j) {
          const double angle =
              -2 * std::numbers::pi * static_cast<double>(j * k % n_) / static_cast<double>(n_);
          sum += std::complex<double>(from[first + j]) * std::polar(1.0, angle);
        }
        // A result is as large as √n, and so is what it may be off, times ε.
        const auto off = std::abs(std::complex<double>(to[first + k]) - sum);
        right = right && off <= static_cast<double>(allowed) * std::sqrt(static_cast<double>(n_)) +
                                    1e-13 * static_cast<double>(n_);
      }
    }
    if (!right) throw error(who + " did not transform: its results are not the definition's");
  }

 private:
  std::size_t n_;
  big_block from_memory_, to_memory_;

 public:
  const std::span<std::complex<T>> from, to;

 private:
  std::uint64_t seed_;
};

template <class T>
void measure_fft_of(arena& on, const work_options& options, const referee& fight,
                    const char* type) {
  const std::size_t n = options.size_or(default_size, 2, "fft");
  const std::size_t batch = n <= largest_in_batch ? std::max<std::size_t>(batch_numbers / n, 1) : 1;
  fft_data<T> data(n, batch, options.seed);
  const unsigned threads = on.ours.processors();
  const auto contest = [&data](const auto& transform, const char* who) {
    const auto sample = [transform] {
      const auto start = benchmark_clock::now();
      transform();
      return seconds_since(start);
    };
    return contestant{who,
                      [&data, sample, who] {
                        std::ranges::fill(data.to, std::complex<T>());
                        static_cast<void>(sample());
                        data.verify(who);
                      },
                      sample};
  };
  duel duel{
      .work = "fft",
      .measure = batch == 1 ? std::string("one transform") : std::to_string(batch) + " transforms",
      .type = type,
      .n = n,
      .processors = threads,
      .repetitions = options.repetitions.value_or(11),
      .ours = contest(
          [&on, &data, batch] {
            static_cast<void>(pleat::fft(on.ours, data.from, data.to, {.batch = batch}));
          },
          "ours"),
      .rivals = {},
      .missing = {},
      .figures = [n, batch](double median) -> nlohmann::ordered_json {
        const auto points = static_cast<double>(n);
        return {
            {"gflops", 5 * points * std::log2(points) * static_cast<double>(batch) / median / 1e9}};
      }};
  const auto challenge = [&](const char* name, [[maybe_unused]] bool measure) {
    duel.challenge(options, name, [&]() -> contestant {
#if PLEAT_WITH_FFTW
      const auto fftw = std::make_shared<fftw_transform<T>>(n, batch, data.from.data(),
                                                            data.to.data(), threads, measure);
      data.fill();
      return contest([fftw] { (*fftw)(); }, name);
#else
      throw error("FFTW is not linked");
#endif
    });
  };
  challenge("fftw-measure", true);
  challenge("fftw-estimate", false);
  fight(duel);
}

}  // namespace

void measure_fft(arena& on, const work_options& options, const referee& fight) {
  if (options.type == "f32")
    measure_fft_of<float>(on, options, fight, "c64");
  else if (options.type == "f64" || options.type == work_options().type)  // unless chosen
    measure_fft_of<double>(on, options, fight, "c128");
  else
    throw usage_error("--type " + options.type +
                      ": fft transforms complex numbers of f32 or f64; choose one of them");
}

}  // namespace pleat::bench
