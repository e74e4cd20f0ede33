// SPDX-License-Identifier: Apache-2.0
#include "work.hpp"

#include <algorithm>
#include <array>

#include <pleat/runtime/error.hpp>

#include "rivals/rivals.hpp"

namespace pleat::bench {

std::span<const work> all_works() {
  static constexpr std::array works{
      work{"sync", "sync", "a barrier of all processors, one virtual processor each",
           "barriers in a sample", true, measure_sync},
      work{"channel", "channel", "a ring between two processors: round trip and bulk throughput",
           "items in a bulk sample", false, measure_channel},
      work{"vp", "vp", "many virtual processors on a core: a superstep's cost and memory of each",
           "virtual processors", false, measure_vp},
      work{"messages", "vp", "8-byte messages: one per virtual processor, or many between two",
           "virtual processors", false, measure_messages},
      work{"lend", "vp", "large blocks lent to each other and copied out, both ways at once",
           "bytes each way", false, measure_lend},
      work{"collectives", "collectives",
           "broadcast, all_gather, all_reduce, … on every processor: a VP, an MPI's rank",
           "bytes of the operation, at least; without it 8 B to 64 MiB", false,
           measure_collectives},
      work{"trace", "costs", "a message counted for every folding, beside one that is not",
           "virtual processors", false, measure_trace},
      work{"report", "costs", "a run of a millisecond with its report's times, and without",
           "virtual processors of its last measure", false, measure_report},
      work{"schedule", "schedule",
           "who sends which block in which round of a round-optimal broadcast",
           "processors of the circulant graph", false, measure_schedule},
      work{"fft", "fft", "Fourier transforms out of place; batches of them up to 2^16 numbers",
           "complex numbers of a transform", false, measure_fft},
      work{"rfft", "rfft", "the same of real numbers", "real numbers of a transform", false,
           measure_rfft},
      work{"fft2", "fft2", "a Fourier transform of a square matrix of complex numbers", "rows",
           false, measure_fft2},
      work{"sort", "sort", "sorting an array of keys in place", "keys", false, measure_sort},
      work{"stable-sort", "sort", "the same, equal keys in their order", "keys", false,
           measure_stable_sort},
      work{"argsort", "argsort", "the order of an array of keys, as indices", "keys", false,
           measure_argsort},
      work{"matmul", "matmul", "a product of square matrices of f64 or f32", "rows", false,
           measure_matmul},
      work{"min-plus", "matmul", "one over (min, +), of f32, f64, i32 or i64", "rows", false,
           measure_min_plus},
      work{"stencil1", "stencil", "1000 steps of the heat equation on a row of cells, 3 points",
           "cells", false, measure_stencil1},
      work{"stencil2", "stencil", "256 steps on a square, 5 points", "cells of a side", false,
           measure_stencil2},
      work{"stencil3", "stencil", "100 steps on a cube, 7 points", "cells of a side", false,
           measure_stencil3},
  };
  return works;
}

std::size_t work_options::size_or(std::size_t usual, std::size_t least,
                                  std::string_view work) const {
  if (n && *n < least) {
    throw usage_error("--n: " + std::string(work) + " needs at least " + std::to_string(least));
  }
  return n.value_or(usual);
}

std::string work_options::type_or(std::string_view usual) const {
  return type.empty() ? std::string(usual) : type;
}

bool work_options::wants(std::string_view rival, bool by_default) const {
  if (rivals.empty()) return by_default;
  return std::ranges::find(rivals, rival) != rivals.end();
}

void duel::challenge(const work_options& options, std::string_view rival,
                     const std::function<contestant()>& make, bool by_default) {
  if (!options.wants(rival, by_default)) return;
  if (!rival_named(rival).linked) {
    missing.emplace_back(rival);
    return;
  }
  rivals.push_back(make());
  rivals.back().name = rival;
}

void arena::require_dedicated(std::string_view work) const {
  static_cast<void>(pair(work));
  auto distinct = pus;
  std::ranges::sort(distinct);
  const auto repeated = std::ranges::unique(distinct);
  if (!repeated.empty()) {
    throw environment_error("compare " + std::string(work) + " needs a processor for each of the " +
                            std::to_string(pus.size()) + " workers; ask for at most " +
                            std::to_string(pus.size() - repeated.size()) + " with --processors");
  }
}

std::vector<unsigned> arena::pair(std::string_view work) const {
  if (pus.size() < 2 || pus[0] == pus[1]) {
    throw environment_error("compare " + std::string(work) +
                            " needs two processors; allow this process a second core, or choose " +
                            "two hardware threads with --place compact/pu");
  }
  return {pus[0], pus[1]};
}

}  // namespace pleat::bench
