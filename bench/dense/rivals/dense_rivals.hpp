// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "dense/path_kinds.hpp"

/// Loops in blocks with OpenMP's directives, compiled for this very processor.
namespace pleat::bench::openmp {

/// `out` may be `in`.
template <class T> void transpose(unsigned threads, std::size_t n, const T* in, T* out);

/// Floyd's algorithm in blocks that stay in a cache, in place; Kind: path_kinds.hpp.
/// Source: Venkataraman, Sahni, Mukhopadhyaya, A Blocked All-Pairs Shortest-Paths Algorithm, 2003.
template <class Kind, class T> void find_paths(unsigned threads, std::size_t n, T* paths);

}  // namespace pleat::bench::openmp
