// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <cstddef>
#include <optional>

#include <pleat/oblivious/detail/distributed/collective_call.hpp>
#include <pleat/oblivious/detail/distributed/line_transforms.hpp>
#include <pleat/oblivious/detail/distributed/matrix_windows.hpp>
#include <pleat/oblivious/detail/distributed/rank_array.hpp>
#include <pleat/oblivious/detail/distributed/strip_layout.hpp>
#include <pleat/oblivious/detail/distributed/strip_transform.hpp>
#include <pleat/oblivious/detail/program/arena.hpp>
#include <pleat/runtime/machine.hpp>

namespace pleat::detail::distribution {

/// The transform of one line of m complex numbers in blocks over ranks, with memory for a rank's
/// points and results: in strips, if they are for this size and these ranks.
template <class T> class line_memory {
 public:
  using complex = std::complex<T>;

  /// Collective. What fails on this rank is thrown when the ranks meet next.
  line_memory(machine& on, collective_call& call, std::size_t m, std::size_t least_divided)
      : on_(on), call_(call), m_(m), least_divided_(least_divided) {
    if (m >= least_divided && strip_layout<T>::divides(m, on.ranks())) {
      strips_.emplace(on, call);
      if (!strips_->ranks_match()) strips_.reset();
    }
    const std::size_t here = blocks().of(on.rank(), on.ranks()).size();
    call.here([&] {
      if (strips_) {
        scratch_.emplace(on, machine::use::scratch);
        strips_->take_memory(on, m, [&](arena& in) {
          points_ = in.array<complex>(here);
          results_ = in.array<complex>(here);
        });
      } else {
        point_memory_.make(on, here);
        result_memory_.make(on, here);
        points_ = point_memory_.data();
        results_ = result_memory_.data();
      }
    });
  }

  [[nodiscard]] unit_shares blocks() const noexcept { return unit_shares::of_elements(m_); }
  [[nodiscard]] complex* points() const noexcept { return points_; }
  [[nodiscard]] complex* results() const noexcept { return results_; }

  /// Collective. The blocks at `from` and `to` do not overlap. Throws: what fails on any rank.
  void transform(const complex* from, complex* to, bool inverse, double scale) {
    if (strips_) return (*strips_)(blocks(), from, to, {inverse, static_cast<T>(scale), false});
    line_transforms<T>(on_, call_, inverse, least_divided_).transform(from, to, 1, m_, scale);
  }

 private:
  machine& on_;
  collective_call& call_;
  std::size_t m_, least_divided_;
  std::optional<strip_transform<T>> strips_;
  std::optional<machine::turn> scratch_;
  rank_array<complex> point_memory_, result_memory_;
  complex* points_ = nullptr;
  complex* results_ = nullptr;
};

}  // namespace pleat::detail::distribution
