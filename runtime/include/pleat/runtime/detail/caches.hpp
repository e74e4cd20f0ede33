// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pleat/runtime/detail/abi.hpp>

#include <cstddef>

namespace pleat::detail {

/// Bytes of cache that this process can use: PLEAT_CACHE, else the caches of the host
/// (topology::cache_bytes), else 32 MiB. The first call determines the value; later calls return
/// the same. Thread-safe.
[[nodiscard]] PLEAT_API std::size_t cache_bytes() noexcept;

}  // namespace pleat::detail
