// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <complex>
#include <cstddef>
#include <new>
#include <optional>
#include <span>
#include <vector>

#include <pleat/oblivious/detail/fft/arguments.hpp>
#include <pleat/oblivious/detail/fft/batch.hpp>
#include <pleat/oblivious/detail/fft/plan.hpp>
#include <pleat/oblivious/detail/program/kernels_ready.hpp>
#include <pleat/runtime/error.hpp>
#include <pleat/runtime/machine.hpp>
#include <pleat/runtime/task.hpp>
#include <pleat/runtime/vp.hpp>

#include "fft/program.hpp"

namespace pleat::detail::fourier {

/// The Fourier transforms of a rank's own lines, one behind the other in its block: in place, each
/// by one worker. All that can fail is done before the ranks meet, so that blocks are what they
/// were if it fails on one of them; then each share of the lines is transformed, once.
template <class T> class own_lines {
 public:
  explicit own_lines(machine& on) : on_(on) {}

  /// Are there enough lines for the workers of this rank? Otherwise they transform one after the
  /// other, all together, which is not for in place.
  [[nodiscard]] static bool suffice(const machine& on, std::size_t lines) {
    return lines >= on.vps_here(on.threads()).size();
  }

  /// Requires: numbers; the rank is alone. Throws: std::bad_alloc; what a turn throws.
  void prepare(std::span<std::complex<T>> block, std::size_t lines, const ends<T>& how) {
    ready_kernels();
    auto* const numbers = reinterpret_cast<T*>(block.data());
    const std::size_t shares =
        std::min(fft_vps(on_, "fft", block.size_bytes(), std::nullopt), lines);
    done_.assign(shares, false);
    program_.emplace(batch<T>{plan_for<T>(block.size() / lines), numbers, numbers, lines, how},
                     shares);
    scratch_.emplace(on_, machine::use::scratch);
    program_->use(reinterpret_cast<T*>(on_.scratch(program_->numbers() * sizeof(T)).data()));
  }

  /// Requires: prepared. A share that has no worker is transformed by this thread.
  void transform() {
    const auto transform_share = [this](std::size_t i) {
      program_->transform_share(i);
      done_[i] = 1;
    };
    try {
      const machine::rank_turn here(on_);
      if (done_.size() > 1) {
        on_.run(done_.size(), [&](vp& me) -> task<> {
          transform_share(me.rank());
          co_return;
        });
      }
    } catch (const error&) {
      // no worker: below
    } catch (const std::bad_alloc&) {
      // no memory for a run: below
    }
    for (std::size_t i = 0; i < done_.size(); ++i)
      if (done_[i] == 0) transform_share(i);
  }

 private:
  machine& on_;
  std::optional<fft_program<T>> program_;
  std::vector<char> done_;  // [share]; each is written by the VP that transforms it
  std::optional<machine::turn> scratch_;
};

}  // namespace pleat::detail::fourier
