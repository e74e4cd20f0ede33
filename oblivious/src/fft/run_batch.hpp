// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <pleat/oblivious/detail/fft/batch.hpp>
#include <pleat/oblivious/detail/program/execution.hpp>
#include <pleat/runtime/machine.hpp>
#include <pleat/runtime/vp.hpp>

#include "fft/program.hpp"

namespace pleat::detail::fourier {

/// Carries out a batch on a machine of one memory. Requires numbers in the batch.
template <class T> run_report run_batch(machine& on, const batch<T>& work, std::size_t vps) {
  const machine::turn mine(on, machine::use::scratch);
  fft_program<T> program(work, vps);
  program.use(reinterpret_cast<T*>(on.scratch(program.numbers() * sizeof(T)).data()));
  return run_program(
      on, vps, [&program] { program.transform_share(0); },
      [&program](vp& me) { return program(me); });
}

}  // namespace pleat::detail::fourier
