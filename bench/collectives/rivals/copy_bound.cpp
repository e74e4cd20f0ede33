// SPDX-License-Identifier: Apache-2.0
#include "copy_bound.hpp"

#include <algorithm>
#include <cstring>

#include <pleat/runtime/error.hpp>

#include "measure/clock.hpp"

namespace pleat::bench {

std::size_t copies_needed(const collective& one, std::size_t ranks) {
  switch (one.what) {
    case operation::broadcast:
      return (ranks - 1) * one.bytes;
    case operation::scatter:
    case operation::gather:
      return one.bytes;
    case operation::reduce:
    case operation::reduce_scatter:
    case operation::reduce_scatter_v:
      return (ranks + 1) * one.bytes / 2;
    case operation::all_gather:
    case operation::all_gather_v:
    case operation::all_to_all:
    case operation::all_reduce:
    case operation::scan:
      break;
  }
  return ranks * one.bytes;
}

void copy_bound::verify(const collective& one) {
  copy(one, 1);
  for (std::size_t thread = 0; thread < copies_.size(); ++thread) {
    const auto& source = sources_[(thread + 1) % sources_.size()];
    if (!std::ranges::equal(copies_[thread].bytes(), source.bytes())) {
      throw error("verification failed: a copy differs from its source");
    }
  }
}

std::vector<double> copy_bound::time(const collective& one, std::size_t repetitions) {
  return copy(one, repetitions);
}

std::vector<double> copy_bound::copy(const collective& one, std::size_t repetitions) {
  const std::size_t threads = seconds_.size();
  const std::size_t share = copies_needed(one, threads) / threads;
  const bool same = share == bytes_;
  bytes_ = share;
  ++seed_;
  std::vector<double> slowest;
  team_.run([&](unsigned me) {
    if (!same) {  // allocated and touched where it is used
      sources_[me] = big_block(share);
      copies_[me] = big_block(share);
    }
    for (std::size_t repetition = 0; repetition <= repetitions; ++repetition) {
      std::memset(sources_[me].bytes().data(), static_cast<int>(seed_ + repetition) & 0xFF, share);
      team_.wait(me);
      const auto start = benchmark_clock::now();
      std::memcpy(copies_[me].bytes().data(), sources_[(me + 1) % threads].bytes().data(), share);
      seconds_[me].value = seconds_since(start);
      team_.wait(me);
      if (me == 0 && repetition > 0) {
        slowest.push_back(std::ranges::max(seconds_, {}, &own_seconds::value).value);
      }
      team_.wait(me);
    }
  });
  return slowest;
}

}  // namespace pleat::bench
