// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <pleat/oblivious/detail/fft/plan.hpp>

#include "fft/prime_convolution.hpp"

namespace pleat::detail::fourier {

template <class T> column_plan<T> make_column_plan(std::size_t m) {
  column_plan<T> plan{m, {}, {}, {}, {}, {}, {}};
  std::size_t points = m;
  for (const unsigned radix : radices_of(m)) {
    const bool repeated = !plan.stages.empty() && plan.stages.back().radix == radix;
    const bool convolved = radix > largest_prime;
    const std::size_t next = convolved ? plan.convolutions.size() : plan.circles.size();
    const std::size_t circle = repeated ? plan.stages.back().circle : next;
    plan.stages.push_back({radix, points, plan.twiddles.size(), circle});
    if (convolved && !repeated) plan.convolutions.push_back(make_prime_convolution<T>(radix));
    for (std::size_t k = 0; k < radix && radix > 8 && !convolved && !repeated; ++k) {
      const root w = root_of_unity(k, radix);
      plan.circles.push_back(static_cast<T>(w.re));
      plan.circles.push_back(static_cast<T>(-w.im));
    }
    for (std::size_t p = 0; p < points / radix && points > radix; ++p) {
      for (std::size_t k = 1; k < radix; ++k) {
        const root w = root_of_unity(p * k, points);
        plan.twiddles.push_back(static_cast<T>(w.re));
        plan.twiddles.push_back(static_cast<T>(w.im));
      }
    }
    points /= radix;
  }
  plan.place.resize(m);
  std::vector<std::uint32_t> result(m);  // result[place]
  for (std::size_t at = 0; at < m; ++at) {
    std::size_t k = 0;
    std::size_t weight = 1;
    std::size_t rest = at;
    for (const auto& s : plan.stages) {
      const std::size_t block = s.points / s.radix;
      k += rest / block * weight;
      rest %= block;
      weight *= s.radix;
    }
    plan.place[k] = static_cast<std::uint32_t>(at);
    result[at] = static_cast<std::uint32_t>(k);
  }
  if (!plan.stages.empty()) {
    const std::size_t last = plan.stages.back().radix;
    for (std::size_t at = 0; at < m; at += last) plan.last_at.push_back(result[at]);
  }
  return plan;
}
template column_plan<float> make_column_plan(std::size_t);
template column_plan<double> make_column_plan(std::size_t);

template <class T> std::size_t column_plan<T>::work_rows() const noexcept {
  std::size_t most = 0;
  for (const auto& convolution : convolutions) most = std::max(most, convolution.block_rows());
  return size + 2 * most;
}
template <class T> std::size_t column_plan<T>::bytes() const noexcept {
  std::size_t sum = twiddles.size() * sizeof(T) + 16 * size;
  for (const auto& convolution : convolutions)
    sum += convolution.inner.bytes() + convolution.response.size() * sizeof(T) +
           8 * std::size_t{convolution.prime};
  return sum;
}
template struct column_plan<float>;
template struct column_plan<double>;

}  // namespace pleat::detail::fourier
