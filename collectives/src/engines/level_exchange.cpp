// SPDX-License-Identifier: Apache-2.0
// Exchanges of ranks in several processes: what all ranks of one process send to all of another is
// one block, which the leaders exchange, directly or by the index algorithm; inside a process each
// rank copies from the others' memory.
//
// In the index algorithm blocks of unequal size travel behind a message of their sizes, and only
// those that go on are kept meanwhile. Source: Ke Fan, Steve Petruzza, Thomas Gilray, Sidharth
// Kumar, 2024, arXiv:2411.02581 (tunable non-uniform all-to-all).
#include <algorithm>
#include <cmath>
#include <cstring>
#include <span>
#include <vector>

#include <pleat/collectives/detail/engines.hpp>
#include <pleat/collectives/index_schedule.hpp>

#include "levels.hpp"
#include "received.hpp"
#include "rendezvous.hpp"

namespace pleat::detail {

namespace {

/// Buffers of a rank of this process, and how they are divided among all ranks.
struct exchanged {
  const std::byte* in;
  std::byte* out;
  const layout* sent;  // and, behind it, what is received
};

/// The blocks of this process: block q is what its ranks send to those of process q, in the order
/// of the senders and, for each, of the receivers.
class process_blocks {
 public:
  process_blocks(const levels& in, std::span<const exchanged> ranks) : in_(in), ranks_(ranks) {}

  [[nodiscard]] std::size_t bytes_to(std::uint32_t process) const noexcept {
    std::size_t bytes = 0;
    for (const exchanged& one : ranks_) bytes += range(*one.sent, process).bytes;
    return bytes;
  }
  [[nodiscard]] std::size_t bytes_from(std::uint32_t process) const noexcept {
    std::size_t bytes = 0;
    for (const exchanged& one : ranks_) bytes += range(one.sent[1], process).bytes;
    return bytes;
  }
  void pack(std::uint32_t process, std::byte* to) const {
    for (const exchanged& one : ranks_) {
      const piece p = range(*one.sent, process);
      if (p.bytes != 0) std::memcpy(to, one.in + p.offset, p.bytes);
      to += p.bytes;
    }
  }
  void unpack(std::uint32_t process, const std::byte* from) const {
    for (std::uint32_t rank = in_.first_of(process); rank < in_.first_of(process + 1); ++rank) {
      for (const exchanged& one : ranks_) {
        const piece p = one.sent[1].part(rank);
        if (p.bytes != 0) std::memcpy(one.out + p.offset, from, p.bytes);
        from += p.bytes;
      }
    }
  }

 private:
  [[nodiscard]] piece range(const layout& parts, std::uint32_t process) const noexcept {
    const piece first = parts.part(in_.first_of(process));
    const piece last = parts.part(in_.first_of(process + 1) - 1);
    return {first.offset, last.offset + last.bytes - first.offset};
  }

  const levels& in_;
  std::span<const exchanged> ranks_;
};

/// Sends each block to its process: ⌈(P − 1)/k⌉ rounds.
task<> exchange_directly(endpoint& leaders, const process_blocks& blocks, unsigned ports,
                         collective_traffic& traffic) {
  const std::uint32_t size = leaders.size(), rank = leaders.rank();
  for (std::uint32_t first = 1; first < size; first += std::min(ports, size - first)) {
    const std::uint32_t last = first + std::min(ports, size - first);
    leaders.begin_round(traffic);
    for (std::uint32_t offset = first; offset < last; ++offset) {
      const std::uint32_t process = (rank + offset) % size;
      const std::size_t bytes = blocks.bytes_to(process);
      if (bytes == 0) continue;
      edge& to = leaders.to(process);
      co_await leaders.room(to);
      leaders.push_packed(to, bytes, [&](std::byte* all) { blocks.pack(process, all); });
    }
    for (std::uint32_t offset = first; offset < last; ++offset) {
      const std::uint32_t process = (rank + size - offset) % size;
      const std::size_t bytes = blocks.bytes_from(process);
      if (bytes == 0) continue;
      edge& from = leaders.from(process);
      co_await leaders.value(from);
      leaders.take(from, bytes, [&](const std::byte* all) { blocks.unpack(process, all); });
      count_received(traffic, bytes);
    }
  }
  for (const edge* lent : leaders.lending()) co_await leaders.drained(*lent);
  leaders.all_drained();
}

/// Blocks on their way, by how far they have to go: those of this process until others take their
/// places.
class moving_blocks {
 public:
  moving_blocks(const endpoint& leaders, const process_blocks& own, const index_schedule& schedule)
      : leaders_(leaders),
        own_(own),
        schedule_(schedule),
        size_(leaders.size()),
        rank_(leaders.rank()),
        kept_(size_),
        sizes_(size_) {
    for (std::uint32_t distance = 0; distance < size_; ++distance)
      sizes_[distance] = own.bytes_to((rank_ + distance) % size_);
  }

  [[nodiscard]] std::uint64_t& bytes(std::size_t distance) noexcept { return sizes_[distance]; }
  [[nodiscard]] std::size_t bytes_of(const index_step& step) const noexcept {
    std::size_t all = 0;
    for_blocks(step, [&](std::size_t distance) { all += sizes_[distance]; });
    return all;
  }
  template <class Use> void for_blocks(const index_step& step, const Use& use) const {
    schedule_.each_moved(step, [&](std::size_t distance, bool) { use(distance); });
  }
  void pack(const index_step& step, std::byte* to) const {
    for_blocks(step, [&](std::size_t distance) {
      if (distance % step.place == 0)  // no earlier step has moved it
        own_.pack(static_cast<std::uint32_t>((rank_ + distance) % size_), to);
      else if (sizes_[distance] != 0)
        std::memcpy(to, kept_[distance].data(), sizes_[distance]);
      to += sizes_[distance];
    });
  }
  /// Replaces the blocks that were sent in this step: those that have arrived go to their ranks.
  /// Throws: std::bad_alloc; usage_error if one has another size than its ranks expect.
  void unpack(const index_step& step, const std::byte* from) {
    schedule_.each_moved(step, [&](std::size_t distance, bool arrives) {
      const std::size_t bytes = sizes_[distance];
      if (arrives) {
        const auto process = static_cast<std::uint32_t>((rank_ + size_ - distance) % size_);
        if (const std::size_t expected = own_.bytes_from(process); bytes != expected)
          leaders_.mismatch(process, bytes, expected);
        own_.unpack(process, from);
      } else {
        kept_[distance].assign(from, from + bytes);
      }
      from += bytes;
    });
  }

 private:
  const endpoint& leaders_;
  const process_blocks& own_;
  const index_schedule& schedule_;
  std::uint32_t size_, rank_;
  std::vector<std::vector<std::byte>> kept_;
  std::vector<std::uint64_t> sizes_;
};

/// Exchanges by the index algorithm; before each message of blocks goes one of their sizes.
task<> exchange_by_index(endpoint& leaders, const process_blocks& own, unsigned radix,
                         unsigned ports, collective_traffic& traffic) {
  const std::size_t size = leaders.size(), rank = leaders.rank();
  const index_schedule schedule(size, radix, ports);
  moving_blocks moving(leaders, own, schedule);
  const std::vector<index_step>& steps = schedule.steps();
  for (auto first = steps.begin(); first != steps.end();) {
    const auto last = std::find_if(
        first, steps.end(), [&](const index_step& step) { return step.round != first->round; });
    leaders.begin_round(traffic);
    for (auto step = first; step != last; ++step) {
      edge& to = leaders.to(static_cast<std::uint32_t>((rank + step->offset) % size));
      co_await leaders.room(to);
      leaders.push_packed(to, schedule.blocks(*step) * sizeof(std::uint64_t),
                          [&](std::byte* sizes) {
                            moving.for_blocks(*step, [&](std::size_t distance) {
                              std::memcpy(sizes, &moving.bytes(distance), sizeof(std::uint64_t));
                              sizes += sizeof(std::uint64_t);
                            });
                          });
      const std::size_t bytes = moving.bytes_of(*step);
      if (bytes == 0) continue;
      co_await leaders.room(to);
      leaders.push_packed(to, bytes, [&](std::byte* all) { moving.pack(*step, all); });
    }
    for (auto step = first; step != last; ++step) {
      edge& from = leaders.from(static_cast<std::uint32_t>((rank + size - step->offset) % size));
      co_await leaders.value(from);
      leaders.take(from, schedule.blocks(*step) * sizeof(std::uint64_t),
                   [&](const std::byte* sizes) {
                     moving.for_blocks(*step, [&](std::size_t distance) {
                       std::memcpy(&moving.bytes(distance), sizes, sizeof(std::uint64_t));
                       sizes += sizeof(std::uint64_t);
                     });
                   });
      const std::size_t bytes = moving.bytes_of(*step);
      if (bytes == 0) continue;
      co_await leaders.value(from);
      leaders.take(from, bytes, [&](const std::byte* all) { moving.unpack(*step, all); });
      traffic.blocks += schedule.blocks(*step);
      traffic.bytes += bytes;
    }
    first = last;
  }
  for (const edge* lent : leaders.lending()) co_await leaders.drained(*lent);
  leaders.all_drained();
}

/// Returns the radix that takes least time for blocks of so many bytes on average; P means to send
/// directly.
unsigned radix_for(std::size_t processes, double average, const exchange_options& how) {
  const auto cost_of = [&](double messages, double blocks) {
    return messages * how.cost.start + blocks * average * how.cost.per_byte;
  };
  const auto others = static_cast<double>(processes - 1);
  unsigned best = static_cast<unsigned>(processes);
  double least = cost_of(std::ceil(others / how.ports), others);
  for (unsigned radix = 2; radix < processes; ++radix) {
    const index_schedule schedule(processes, radix, how.ports);
    // Two messages a round, and blocks are copied once more.
    const double cost = cost_of(2.0 * static_cast<double>(schedule.rounds()),
                                2.0 * static_cast<double>(schedule.volume()));
    if (cost < least) least = cost, best = radix;
  }
  return best;
}

task<> exchange_between(endpoint& leaders, const process_blocks& blocks, exchange_options how,
                        collective_traffic& traffic) {
  const std::uint32_t size = leaders.size();
  auto radix = static_cast<unsigned>(std::min<std::size_t>(how.radix, size));
  if (radix == 0) {
    radix = size;
    // Asking costs q rounds, and two messages a round follow.
    if ((size - 1 + how.ports - 1) / how.ports > 3 * leaders.graph().rounds()) {
      std::uint64_t mine = 0;
      for (std::uint32_t process = 0; process < size; ++process)
        mine += process == leaders.rank() ? 0 : blocks.bytes_to(process);
      std::vector<std::uint64_t> all(size);
      task<> asked =
          all_broadcast(leaders, reinterpret_cast<const std::byte*>(&mine),
                        reinterpret_cast<std::byte*>(all.data()), {sizeof mine, 1}, 1, traffic);
      co_await asked;
      double total = 0;
      for (const std::uint64_t one : all) total += static_cast<double>(one);
      radix = radix_for(size, total / size / (size - 1.0), how);
    }
  }
  task<> work = radix >= size ? exchange_directly(leaders, blocks, how.ports, traffic)
                              : exchange_by_index(leaders, blocks, radix, how.ports, traffic);
  co_await work;
}

}  // namespace

task<> exchange_in_levels(endpoint& on, const std::byte* in, layout sent, std::byte* out,
                          layout received, exchange_options how, collective_traffic& traffic) {
  levels& levels = on.in_levels();
  endpoint& local = levels.local();
  const std::uint32_t first = levels.first_of(levels.process());
  const layout both[2] = {sent, received};
  std::vector<exchanged> all(local.size(), {in, out, both});
  if (local.size() > 1) {
    local.begin_part_of(on);
    rendezvous& here = local.shared_rendezvous();
    here.publish(local.rank(), {{in, out, 0}, both});
    co_await meet(local, 0);
    traffic.rounds += 2 * local.graph().rounds();
    for (std::uint32_t rank = 0; rank < local.size(); ++rank)
      all[rank] = {here.memory()[rank].in, here.memory()[rank].out, here.sent()[rank]};
  }
  for (std::uint32_t rank = 0; rank < local.size(); ++rank) {
    const piece theirs = all[rank].sent->part(on.rank()), ours = received.part(first + rank);
    if (theirs.bytes != ours.bytes) on.mismatch(first + rank, theirs.bytes, ours.bytes);
    receive(out + ours.offset, all[rank].in + theirs.offset, ours.bytes, traffic);
  }
  if (endpoint* const leaders = levels.leaders(); leaders != nullptr) {
    leaders->begin_part_of(on);
    const process_blocks blocks(levels, all);
    task<> work = exchange_between(*leaders, blocks, how, traffic);
    co_await work;
  }
  if (local.size() > 1) co_await meet(local, 0);
}

}  // namespace pleat::detail
