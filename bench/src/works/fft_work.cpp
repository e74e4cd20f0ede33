// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <memory>
#include <string>

#include <pleat/oblivious/fft.hpp>
#include <pleat/runtime/error.hpp>

#include "clock.hpp"
#include "fft_data.hpp"
#include "pleat_rivals_linked.hpp"
#include "works/work.hpp"
#if PLEAT_WITH_FFTW
#include "rivals/fftw_transform.hpp"
#endif

namespace pleat::bench {
namespace {

constexpr std::size_t default_size = std::size_t{1} << 20;

template <class T>
void measure_fft_of(arena& on, const work_options& options, const referee& fight) {
  const std::size_t n = options.size_or(default_size, 2, "fft");
  const std::size_t batch = fft_batch(n);
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
      .type = sizeof(T) == 4 ? "c64" : "c128",
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
  with_fft_type(options.type_or("f64"), [&]<class T>() { measure_fft_of<T>(on, options, fight); });
}

}  // namespace pleat::bench
