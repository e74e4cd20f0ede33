// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>

#include "base/byte_stream.hpp"

namespace pleat::detail {

/// Serialise the cause of a failed run, for other processes to throw. An exception of the library
/// keeps its type, fields and text; types derived from std::bad_alloc become a std::bad_alloc; all
/// others become a run_error with the same text. The same holds for the cause inside a vp_failed,
/// but others become a std::runtime_error. If there is no memory, read_failure returns a
/// std::bad_alloc.
void write_failure(const std::exception_ptr& cause, byte_writer& to);
[[nodiscard]] std::exception_ptr read_failure(byte_reader& from) noexcept;

}  // namespace pleat::detail
