// SPDX-License-Identifier: Apache-2.0
#include "compare_runtime.hpp"

#include <array>

#include <pleat/runtime/error.hpp>

namespace pleat::bench {
namespace {

void check_words(const benchmark_options& options) {
  if (options.n && *options.n % 8 != 0) throw usage_error("--n: lend needs a multiple of 8 bytes");
}

constexpr std::array benchmarks{
    benchmark{.name = "sync",
              .group = "sync",
              .summary = "a barrier of all processors, one virtual processor each",
              .n_means = "barriers in a sample",
              .measure = measure_sync,
              .rivals = "flags, libomp, libgomp, std-barrier",
              .spins = true},
    benchmark{.name = "run",
              .group = "run",
              .summary = "a whole run of the machine with one barrier, beside a parallel region",
              .n_means = "runs in a sample",
              .measure = measure_run,
              .rivals = "libomp, libgomp",
              .spins = true},
    benchmark{.name = "channel",
              .group = "channel",
              .summary = "a ring between two processors, and push and pop of VPs",
              .n_means = "items in a sample of throughput",
              .measure = measure_channel,
              .rivals = "cached-ring, bare-channel",
              .least_n = 1024},
    benchmark{.name = "vp",
              .group = "vp",
              .summary = "many virtual processors on a core: a superstep's cost and memory of each",
              .n_means = "virtual processors",
              .measure = measure_vp},
    benchmark{.name = "messages",
              .group = "vp",
              .summary = "8-byte messages: one per virtual processor, or many between two",
              .n_means = "virtual processors",
              .measure = measure_messages,
              .least_n = 2},
    benchmark{.name = "lend",
              .group = "vp",
              .summary = "large blocks lent to each other and copied out, both ways at once",
              .n_means = "bytes each way",
              .measure = measure_lend,
              .rivals = "memcpy",
              .least_n = 8,
              .check = check_words},
    benchmark{.name = "trace",
              .group = "costs",
              .summary = "a message counted for every folding, beside one that is not",
              .n_means = "virtual processors",
              .measure = measure_trace,
              .rivals = "untraced, untraced-strict",
              .least_n = 2},
    benchmark{.name = "report",
              .group = "costs",
              .summary = "a run of a millisecond with its report's times, and without",
              .n_means = "virtual processors of its last measure",
              .measure = measure_report,
              .rivals = "unreported"},
};

}  // namespace

std::span<const benchmark> runtime_benchmarks() { return benchmarks; }

}  // namespace pleat::bench
