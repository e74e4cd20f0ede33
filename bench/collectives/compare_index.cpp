// SPDX-License-Identifier: Apache-2.0
#include "compare_index.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <pleat/collectives/all_to_all.hpp>
#include <pleat/runtime/error.hpp>

#include "measure/clock.hpp"

namespace pleat::bench {
namespace {

constexpr std::size_t ranks = 64;  // as many as the paper's nodes

// What all ranks send and receive, whatever the radix.
struct index_arrays {
  explicit index_arrays(std::size_t bytes) : in(ranks * ranks * bytes), out(in.size()) {}
  std::vector<std::byte> in, out;
};

// All-to-all of blocks of `bytes` bytes, again and again.
class index_operations {
 public:
  index_operations(machine& on, std::size_t bytes, unsigned radix, index_arrays& arrays)
      : on_(&on), bytes_(bytes), radix_(radix), in_(arrays.in), out_(arrays.out) {}

  // Throws: pleat::error if a block is not where it belongs.
  void verify() {
    for (std::size_t i = 0; i < in_.size(); ++i)
      in_[i] = mark(i / bytes_ / ranks, i / bytes_ % ranks, i);
    std::ranges::fill(out_, std::byte{});
    static_cast<void>(seconds(1));
    for (std::size_t i = 0; i < out_.size(); ++i) {
      const std::size_t to = i / bytes_ / ranks, from = i / bytes_ % ranks;
      if (out_[i] != mark(from, to, i))
        throw error("verification failed: all_to_all of radix " + std::to_string(radix_) +
                    " brought rank " + std::to_string(to) + " another block");
    }
  }
  // Seconds of one operation, the mean of `often`.
  double seconds(std::size_t often) {
    double taken = 0;
    on_->run(ranks, [&](vp& me) { return repeat(me, often, taken); });
    return taken / static_cast<double>(often);
  }

 private:
  [[nodiscard]] std::byte mark(std::size_t from, std::size_t to, std::size_t at) const {
    return static_cast<std::byte>(from * 151 + to * 57 + at % bytes_ * 11 + 1);
  }
  task<> repeat(vp& me, std::size_t often, double& taken) {
    const std::size_t size = ranks * bytes_;
    const std::span<const std::byte> in(in_.data() + me.rank() * size, size);
    const std::span<std::byte> out(out_.data() + me.rank() * size, size);
    co_await me.sync(0);
    const auto start = benchmark_clock::now();
    for (std::size_t i = 0; i < often; ++i) {
      task<> operation = all_to_all(me, in, out, {.radix = radix_});
      co_await operation;
    }
    co_await me.sync(0);
    if (me.rank() == 0) taken = seconds_since(start);
  }

  machine* on_;
  std::size_t bytes_;
  unsigned radix_;
  std::span<std::byte> in_, out_;
};

candidate of_radix(machine& on, std::size_t bytes, unsigned radix, index_arrays& arrays) {
  const auto operations = std::make_shared<index_operations>(on, bytes, radix, arrays);
  const std::size_t often = std::clamp<std::size_t>((std::size_t{1} << 20) / bytes / 1024, 2, 50);
  return {radix == 0 ? "ours" : "", [operations] { operations->verify(); },
          [operations, often] { return operations->seconds(often); }};
}

}  // namespace

void measure_index(testbed& on, const benchmark_options& options, const runner& run) {
  std::vector<std::size_t> sizes{8, 32, 128, 512, 2048, 8192};
  if (options.n) sizes = {*options.n};
  for (const std::size_t bytes : sizes) {
    index_arrays arrays(bytes);
    comparison all{.measure = "all-to-all among 64 virtual processors",
                   .type = "bytes",
                   .n = bytes,
                   .processors = on.ours.processors(),
                   .repetitions = options.repetitions.value_or(11),
                   .ours = of_radix(on.ours, bytes, 0, arrays)};
    for (unsigned radix = 2; radix <= ranks; radix *= 2)
      all.add_rival(options, "radix-" + std::to_string(radix),
                    [&, radix] { return of_radix(on.ours, bytes, radix, arrays); });
    run(all);
  }
}

}  // namespace pleat::bench
