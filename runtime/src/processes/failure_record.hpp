// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>

#include "base/byte_stream.hpp"

namespace pleat::detail {

/// Cause of a failed run, for another process to throw: an exception of the same type with the
/// same fields and words, if it is one of the library's; a std::bad_alloc for all that derive
/// from it; else a run_error with its words. The cause inside a vp_failed likewise; a
/// std::runtime_error if it is none of those. A std::bad_alloc where there is no memory to read it.
void write_failure(const std::exception_ptr& cause, byte_writer& to);
[[nodiscard]] std::exception_ptr read_failure(byte_reader& from) noexcept;

}  // namespace pleat::detail
