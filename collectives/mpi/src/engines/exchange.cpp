// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include <pleat/collectives/index_schedule.hpp>

#include "engines/byte_runs.hpp"
#include "engines/engines.hpp"
#include "engines/in_flight.hpp"

namespace pleat::preloaded {

namespace {

/// The blocks of one rank during an exchange. Block j has j ranks to go at first; after the steps
/// of a digit, j less its digits so far.
class travelling_blocks {
 public:
  travelling_blocks(const communicator& on, std::span<const part> out, std::span<const part> in,
                    std::span<const std::size_t> sizes, std::size_t radix)
      : ranks_(on.size()), rank_(on.rank()), in_(in), sizes_(sizes), schedule_(ranks_, radix, 1) {
    for (std::size_t j = 0; j < ranks_; ++j) held_.push_back(out[after(j)]);
  }

  [[nodiscard]] const std::vector<index_step>& steps() const noexcept { return schedule_.steps(); }
  [[nodiscard]] std::uint32_t after(std::size_t distance) const noexcept {
    return static_cast<std::uint32_t>((rank_ + distance) % ranks_);
  }
  [[nodiscard]] std::uint32_t before(std::size_t distance) const noexcept {
    return static_cast<std::uint32_t>((rank_ + ranks_ - distance) % ranks_);
  }

  /// Number of received blocks whose sizes only the message tells; they are in front of it.
  [[nodiscard]] std::size_t unknown(const index_step& step) const noexcept {
    if (!sizes_.empty()) return 0;
    return schedule_.blocks(step) - std::min(step.place, ranks_ - step.offset);
  }
  /// Bytes of a step's message. Requires: no unknown sizes.
  [[nodiscard]] std::size_t expected(const index_step& step) const {
    std::size_t bytes = 0;
    schedule_.each_moved(step,
                         [&](std::size_t j, bool arrives) { bytes += size(step, j, arrives); });
    return bytes;
  }
  /// Returns memory for the message of a step: the place of its block if that is all.
  [[nodiscard]] std::byte* memory(const index_step& step, std::size_t bytes) {
    if (schedule_.blocks(step) == 1) return in_[before(step.offset)].data;
    return received_.emplace_back(std::make_unique_for_overwrite<std::byte[]>(bytes)).get();
  }

  /// Finds the blocks to send in a step, and the sizes that the receiver does not know.
  void find(const index_step& step, byte_runs& runs, std::vector<std::size_t>& told) const {
    runs.clear();
    told.clear();
    schedule_.each_moved(step, [&](std::size_t j, bool arrives) {
      runs.add(held_[j]);
      if (!arrives && sizes_.empty()) told.push_back(held_[j].bytes);
    });
  }

  /// Takes the blocks of a step from its message, which stays where it is until the end. Returns
  /// false if those that arrive have another size than expected.
  [[nodiscard]] bool take(const index_step& step, const part& message) {
    std::vector<std::size_t> told(unknown(step));
    std::size_t left = message.bytes;
    std::byte* at = message.data;
    const auto passed = [&](std::size_t bytes) {
      if (bytes > left) throw mpi_failure{MPI_ERR_TRUNCATE};
      left -= bytes;
      return std::exchange(at, at + bytes);
    };
    const std::size_t header = told.size() * sizeof(std::size_t);
    if (header != 0) std::memcpy(told.data(), passed(header), header);
    auto next = told.begin();
    bool whole = true;
    schedule_.each_moved(step, [&](std::size_t j, bool arrives) {
      const std::size_t bytes = !arrives && sizes_.empty() ? *next++ : size(step, j, arrives);
      if (!arrives) {
        held_[j] = {passed(bytes), bytes};
        return;
      }
      whole = whole && bytes <= left;
      if (!whole) return;
      const std::byte* const from = passed(bytes);
      if (bytes != 0 && from != in_[before(j)].data) std::memcpy(in_[before(j)].data, from, bytes);
    });
    return whole && left == 0;
  }

 private:
  [[nodiscard]] std::size_t size(const index_step& step, std::size_t j, bool arrives) const {
    return arrives ? in_[before(j)].bytes : sizes_[after(j - j % (step.place * schedule_.radix()))];
  }

  std::size_t ranks_, rank_;
  std::span<const part> in_;
  std::span<const std::size_t> sizes_;
  index_schedule schedule_;
  std::vector<part> held_;
  std::vector<std::unique_ptr<std::byte[]>> received_;
};

}  // namespace

task exchange(communicator& on, operation what, std::span<const part> out, std::span<const part> in,
              std::span<const std::size_t> sizes, std::size_t radix) {
  const std::size_t ahead = on.chosen().window(what);
  const part& own = out[on.rank()];
  deferred_failure failure;
  if (own.bytes != in[on.rank()].bytes) {
    failure.note(MPI_ERR_TRUNCATE);
  } else if (own.bytes != 0) {
    std::memcpy(in[on.rank()].data, own.data, own.bytes);
  }
  travelling_blocks blocks(on, out, in, sizes, radix);
  const std::vector<index_step>& steps = blocks.steps();
  byte_runs runs;
  std::vector<std::size_t> told;
  std::vector<std::vector<std::byte>> staged(ahead);
  std::vector<part> coming(ahead);
  in_flight receives(on, what, ahead);
  in_flight sends(on, what, ahead);
  std::size_t posted = 0, sent = 0;
  // Each message comes from another rank, so that no other one is taken for it.
  const auto post = [&](std::size_t bytes) {
    const index_step& step = steps[posted];
    part& next = coming[posted++ % ahead];
    next = {blocks.memory(step, bytes), bytes};
    if (bytes != 0)
      receives.receive(elements::of_bytes(next.data), bytes, blocks.before(step.offset));
  };
  for (std::size_t i = 0; i < steps.size(); ++i) {
    while (posted < steps.size() && posted < i + ahead && blocks.unknown(steps[posted]) == 0)
      post(blocks.expected(steps[posted]));
    blocks.find(steps[i], runs, told);
    if (const std::size_t bytes = runs.bytes() + told.size() * sizeof(std::size_t); bytes != 0) {
      co_await sends.room();  // from here on, staged memory is free again
      sends.send(elements::of_bytes(runs.packed(staged[sent++ % ahead], told)), bytes,
                 blocks.after(steps[i].offset));
    }
    if (posted == i) {
      const std::size_t bytes = co_await arriving(on, blocks.before(steps[i].offset));
      post(bytes);
    }
    const part& message = coming[i % ahead];
    try {
      if (message.bytes != 0) co_await receives.oldest();
    } catch (const mpi_failure& found) {
      failure.note(found.code);
    }
    if (!blocks.take(steps[i], message)) failure.note(MPI_ERR_TRUNCATE);
  }
  co_await sends.all();
  failure.raise();
}

}  // namespace pleat::preloaded
