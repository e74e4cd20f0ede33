// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <memory>
#include <vector>

#include <pleat/oblivious/detail/fft/alone.hpp>
#include <pleat/oblivious/detail/fft/kernels.hpp>
#include <pleat/oblivious/detail/fft/plan.hpp>

namespace pleat::detail::fourier {

namespace {

/// Complex numbers of a matrix of `rows` rows, row by row, `size` of them, then zeros: groups of as
/// many columns as a vector has lanes, row by row, as vectors: re of all lanes, im.
template <class T>
std::vector<T> as_vectors(const std::vector<T>& numbers, std::size_t size, std::size_t rows,
                          std::size_t columns, std::size_t lane_count) {
  std::vector<T> vectors;
  vectors.reserve(2 * rows * ((columns + lane_count - 1) / lane_count * lane_count));
  for (std::size_t c = 0; c < columns; c += lane_count) {
    for (std::size_t i = 0; i < rows; ++i) {
      for (std::size_t part = 0; part < 2; ++part) {
        for (std::size_t lane = 0; lane < lane_count; ++lane) {
          const std::size_t l = c + number_in_lane(lane, lane_count);
          const std::size_t j = i * columns + l;
          vectors.push_back(l < columns && j < size ? numbers[2 * j + part] : T{0});
        }
      }
    }
  }
  return vectors;
}

}  // namespace

/// Bluestein's: jk = (j² + k² − (k − j)²)/2, so the transform is a convolution with a chirp.
template <class T>
std::shared_ptr<transform_plan<T>> make_chirp_plan(std::size_t n, std::size_t lane_count) {
  auto plan = std::make_shared<transform_plan<T>>();
  plan->size = n;
  plan->lanes = lane_count;
  plan->method = method::chirp;
  const std::size_t m = convolution_size(2 * n - 1, lane_count);
  plan->inner = make_matrix_plan<T>(m, lane_count);
  std::vector<T> chirp(2 * n);
  std::vector<T> response(2 * m);
  std::size_t square = 0;  // j² mod 2n
  for (std::size_t j = 0; j < n; ++j) {
    const root w = root_of_unity(square, 2 * n);
    const T re = static_cast<T>(w.re);
    const T im = static_cast<T>(w.im);
    chirp[2 * j] = re;
    chirp[2 * j + 1] = im;
    for (const std::size_t at : {j, (m - j) % m}) {
      response[2 * at] = re;
      response[2 * at + 1] = -im;
    }
    square = (square + 2 * j + 1) % (2 * n);
  }
  // No more at a time than a transform takes later, with its plan.
  plan->chirp = as_vectors(chirp, n, plan->chirped_rows(), plan->inner->width(), lane_count);
  std::vector<T>().swap(chirp);
  const ends<T> divided{.scale = static_cast<T>(1 / static_cast<double>(m))};
  transform_alone<T>(*plan->inner, response.data(), divided, response.data());
  // Result k of the inner transform is in row k mod `rows`, column k / `rows` of its matrix.
  plan->response = as_vectors(response, m, plan->inner->width(), plan->inner->rows, lane_count);
  return plan;
}
template std::shared_ptr<transform_plan<float>> make_chirp_plan(std::size_t, std::size_t);
template std::shared_ptr<transform_plan<double>> make_chirp_plan(std::size_t, std::size_t);

}  // namespace pleat::detail::fourier
