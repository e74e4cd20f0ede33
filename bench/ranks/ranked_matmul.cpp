// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <limits>
#include <mpi.h>
#include <vector>

#include <pleat/oblivious/distributed_matrix.hpp>
#include <pleat/oblivious/matmul.hpp>
#include <pleat/runtime/error.hpp>

#include "ranked_program.hpp"
#include "sort/sort_keys.hpp"

namespace pleat::bench {
namespace {

/// Small integers, so that all results are exact in any order of summation.
double small(std::size_t i) { return static_cast<double>(mixed(i) % 8) - 4; }

class multiplied_ranks final : public ranked_program {
 public:
  using matrix = distributed_matrix<double>;

  multiplied_ranks(const rank_group& all, machine& on, const sweep_case& at)
      : ranked_program(all, on), n_(at.n), a_(on, n_, n_), b_(on, n_, n_), c_(on, n_, n_) {
    a_.fill(on, [n = n_](std::size_t i, std::size_t j) { return small(i * n + j); });
    b_.fill(on, [n = n_](std::size_t i, std::size_t j) { return small(n * n + i * n + j); });
  }

  double sample() override {
    clock_.start();
    matmul(on_, a_, b_, c_);
    return clock_.stop();
  }
  /// C·x beside A·(B·x).
  void verify() override {
    all_.each([&] {
      if (n_ > std::size_t{std::numeric_limits<int>::max()})
        throw error("matrices of so many rows are not verified; use a smaller n");
    });
    static_cast<void>(sample());
    std::vector<double> x(n_);
    for (std::size_t i = 0; i < n_; ++i) x[i] = small(2 * n_ * n_ + i);
    const bool right = times(c_, x) == times(a_, times(b_, x));
    if (!right) throw error("verification failed: pleat::matmul over ranks computed nonsense");
  }

 private:
  [[nodiscard]] std::vector<double> times(const matrix& of, const std::vector<double>& x) const {
    std::vector<double> y(n_);
    const strided_view<const double> mine = of.local();
    for (std::size_t i = 0; i < mine.rows; ++i)
      for (std::size_t j = 0; j < mine.columns; ++j)
        y[of.rows().first + i] += mine.data[i * mine.stride + j] * x[of.columns().first + j];
    MPI_Allreduce(MPI_IN_PLACE, y.data(), static_cast<int>(n_), MPI_DOUBLE, MPI_SUM,
                  all_.processes());
    return y;
  }

  std::size_t n_;
  matrix a_, b_, c_;
};

}  // namespace

prepared_ranks ranked_matmul(const rank_group& all, machine& on, const sweep_case& at) {
  return std::make_unique<multiplied_ranks>(all, on, at);
}

}  // namespace pleat::bench
