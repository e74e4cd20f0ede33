// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <stdexcept>
#include <utility>

#include <pleat/runtime/error.hpp>
#include <pleat/runtime/machine.hpp>

namespace model {

/// Function that makes machines over all processes, where a test program runs in several at once,
/// which tests/mpi/model lets it do. A test then carries out its own part of each program, and
/// looks at no memory but that of its own virtual processors: machine::vps_here.
inline pleat::rank_options (*machines_over_ranks)(pleat::machine_options) = nullptr;

/// For tests of what one memory alone can do, to be skipped.
inline bool on_several_ranks() { return machines_over_ranks != nullptr; }

/// Options that a test makes its machines of.
inline pleat::rank_options over_ranks(pleat::machine_options options) {
  if (on_several_ranks()) return machines_over_ranks(std::move(options));
  return {std::move(options), nullptr};
}

/// A VP has failed with an Error, or in another process, which has told its words.
template <class Error>
bool is_caused_by(const pleat::vp_failed& failed, const pleat::machine& machine, std::size_t v) {
  try {
    failed.rethrow_cause();
  } catch (const Error&) {
    return true;
  } catch (const std::runtime_error&) {
    return !machine.vps_here(v).contains(failed.rank);
  }
}

}  // namespace model
