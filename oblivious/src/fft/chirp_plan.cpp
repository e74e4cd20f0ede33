// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <memory>
#include <vector>

#include <pleat/oblivious/detail/fft/alone.hpp>
#include <pleat/oblivious/detail/fft/chirp.hpp>
#include <pleat/oblivious/detail/fft/kernels.hpp>
#include <pleat/oblivious/detail/fft/plan.hpp>

namespace pleat::detail::fourier {

/// Bluestein's: jk = (j² + k² − (k − j)²)/2, so the transform is a convolution with a chirp.
template <class T>
std::shared_ptr<transform_plan<T>> make_chirp_matrix(std::size_t n, std::size_t lane_count) {
  auto plan = std::make_shared<transform_plan<T>>();
  plan->size = n;
  plan->lanes = lane_count;
  plan->method = method::chirp;
  plan->inner = make_matrix_plan<T>(convolution_size(2 * n - 1, lane_count), lane_count);
  return plan;
}
template std::shared_ptr<transform_plan<float>> make_chirp_matrix(std::size_t, std::size_t);
template std::shared_ptr<transform_plan<double>> make_chirp_matrix(std::size_t, std::size_t);

template <class T>
std::shared_ptr<transform_plan<T>> make_chirp_plan(std::size_t n, std::size_t lane_count) {
  auto plan = make_chirp_matrix<T>(n, lane_count);
  const transform_plan<T>& matrix = *plan->inner;
  const std::size_t m = matrix.size;
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
  // Row i, column l of a matrix of so many numbers.
  const auto vectors = [lane_count](const std::vector<T>& numbers, std::size_t rows,
                                    std::size_t columns) {
    const std::size_t groups = (columns + lane_count - 1) / lane_count;
    std::vector<T> all(2 * rows * groups * lane_count);
    write_vectors<T>(
        {0, groups}, rows, columns, lane_count,
        [&](std::size_t i, std::size_t l) {
          const std::size_t at = 2 * (i * columns + l);
          return at < numbers.size() ? root{numbers[at], numbers[at + 1]} : root{};
        },
        all.data());
    return all;
  };
  // No more at a time than a transform takes later, with its plan.
  plan->chirp = vectors(chirp, plan->chirped_rows(), matrix.width());
  std::vector<T>().swap(chirp);
  const ends<T> divided{.scale = static_cast<T>(1 / static_cast<double>(m))};
  transform_alone<T>(matrix, response.data(), divided, response.data());
  // Result k of the inner transform is in row k mod `rows`, column k / `rows` of its matrix.
  plan->response = vectors(response, matrix.width(), matrix.rows);
  return plan;
}
template std::shared_ptr<transform_plan<float>> make_chirp_plan(std::size_t, std::size_t);
template std::shared_ptr<transform_plan<double>> make_chirp_plan(std::size_t, std::size_t);

}  // namespace pleat::detail::fourier
