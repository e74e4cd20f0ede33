// SPDX-License-Identifier: Apache-2.0
// Exchanges by the index algorithm, of ranks or of processes: what all ranks of one process send to
// all of another is one block; inside a process each rank copies from the others' memory. Of the
// largest radix it sends every block directly.
//
// Blocks of unequal size travel behind a message of their sizes, and only those that go on are kept
// meanwhile. Source: Ke Fan, Steve Petruzza, Thomas Gilray, Sidharth Kumar, 2024, arXiv:2411.02581
// (tunable non-uniform all-to-all).
#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <span>
#include <utility>
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
  const layout* sent;
  const layout* received;
};

/// The blocks of this process: block q is what its ranks send to those of process q, in the order
/// of the senders and, for each, of the receivers.
class process_blocks {
 public:
  /// `firsts`: the first rank of each process, and their number. `rank`: of `ranks`, the one that
  /// moves the blocks.
  process_blocks(std::vector<std::uint32_t> firsts, std::uint32_t process,
                 std::span<const exchanged> ranks, std::uint32_t rank = 0)
      : firsts_(std::move(firsts)), process_(process), ranks_(ranks), rank_(rank) {}

  [[nodiscard]] std::size_t bytes_to(std::uint32_t process) const noexcept {
    std::size_t bytes = 0;
    for (const exchanged& one : ranks_) bytes += range(*one.sent, process).bytes;
    return bytes;
  }
  [[nodiscard]] std::size_t bytes_from(std::uint32_t process) const noexcept {
    std::size_t bytes = 0;
    for (const exchanged& one : ranks_) bytes += range(*one.received, process).bytes;
    return bytes;
  }
  /// The block for a process, if it lies in one piece; else null.
  [[nodiscard]] const std::byte* whole(std::uint32_t process) const noexcept {
    return ranks_.size() == 1 ? ranks_[0].in + range(*ranks_[0].sent, process).offset : nullptr;
  }
  void pack(std::uint32_t process, std::byte* to) const {
    for (const exchanged& one : ranks_) {
      const piece p = range(*one.sent, process);
      if (p.bytes != 0) std::memcpy(to, one.in + p.offset, p.bytes);
      to += p.bytes;
    }
  }
  void unpack(std::uint32_t process, const std::byte* from) const {
    for (std::uint32_t rank = firsts_[process]; rank < firsts_[process + 1]; ++rank) {
      for (const exchanged& one : ranks_) {
        const piece p = one.received->part(rank);
        if (p.bytes != 0) std::memcpy(one.out + p.offset, from, p.bytes);
        from += p.bytes;
      }
    }
  }
  /// Copies what this rank gets from its process. Throws: usage_error if another one sends it
  /// another amount.
  void copy_here(const endpoint& on, collective_traffic& traffic) const {
    const std::uint32_t first = firsts_[process_];
    const exchanged& own = ranks_[rank_];
    for (std::uint32_t at = 0; at < ranks_.size(); ++at) {
      const piece theirs = ranks_[at].sent->part(first + rank_);
      const piece ours = own.received->part(first + at);
      if (theirs.bytes != ours.bytes) on.mismatch(first + at, theirs.bytes, ours.bytes);
      const std::byte* const from = ranks_[at].in + theirs.offset;
      if (at == rank_)
        copy(own.out + ours.offset, from, ours.bytes, traffic);
      else
        receive(own.out + ours.offset, from, ours.bytes, traffic);
    }
  }

 private:
  [[nodiscard]] piece range(const layout& parts, std::uint32_t process) const noexcept {
    const piece first = parts.part(firsts_[process]);
    const piece last = parts.part(firsts_[process + 1] - 1);
    return {first.offset, last.offset + last.bytes - first.offset};
  }

  std::vector<std::uint32_t> firsts_;
  std::uint32_t process_;
  std::span<const exchanged> ranks_;
  std::uint32_t rank_;
};

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

/// Exchanges by the index algorithm. Unless blocks are `equal` or sent directly, a message of their
/// sizes goes before each message of blocks. `on`: the endpoint whose ranks own.copy_here copies
/// among; it does so while the first messages travel.
task<> exchange_by_index(endpoint& leaders, const endpoint& on, const process_blocks& own,
                         unsigned radix, unsigned ports, bool equal, collective_traffic& traffic) {
  const std::uint32_t size = leaders.size(), rank = leaders.rank();
  const index_schedule schedule(size, radix, ports);
  const bool direct = radix >= size, tells_sizes = !equal && !direct;
  moving_blocks moving(leaders, own, schedule);
  const std::vector<index_step>& steps = schedule.steps();
  for (auto first = steps.begin(); first != steps.end();) {
    const auto last = std::find_if(
        first, steps.end(), [&](const index_step& step) { return step.round != first->round; });
    leaders.begin_round(traffic);
    for (auto step = first; step != last; ++step) {
      const auto to_rank = static_cast<std::uint32_t>((rank + step->offset) % size);
      edge& to = leaders.to(to_rank);
      if (tells_sizes) {
        co_await leaders.room(to);
        leaders.push_packed(to, schedule.blocks(*step) * sizeof(std::uint64_t),
                            [&](std::byte* sizes) {
                              moving.for_blocks(*step, [&](std::size_t distance) {
                                std::memcpy(sizes, &moving.bytes(distance), sizeof(std::uint64_t));
                                sizes += sizeof(std::uint64_t);
                              });
                            });
      }
      const std::size_t bytes = moving.bytes_of(*step);
      if (bytes == 0) continue;
      co_await leaders.room(to);
      const std::byte* const whole = direct ? own.whole(to_rank) : nullptr;
      if (whole != nullptr)
        leaders.push(to, whole, bytes);
      else
        leaders.push_packed(to, bytes, [&](std::byte* all) { moving.pack(*step, all); });
    }
    if (first == steps.begin()) own.copy_here(on, traffic);
    for (auto step = first; step != last; ++step) {
      const auto from_rank = static_cast<std::uint32_t>((rank + size - step->offset) % size);
      edge& from = leaders.from(from_rank);
      if (tells_sizes) {
        co_await leaders.value(from);
        leaders.take(from, schedule.blocks(*step) * sizeof(std::uint64_t),
                     [&](const std::byte* sizes) {
                       moving.for_blocks(*step, [&](std::size_t distance) {
                         std::memcpy(&moving.bytes(distance), sizes, sizeof(std::uint64_t));
                         sizes += sizeof(std::uint64_t);
                       });
                     });
      } else if (direct) {
        moving.bytes(step->offset) = own.bytes_from(from_rank);
      }
      const std::size_t bytes = moving.bytes_of(*step), blocks = schedule.blocks(*step);
      if (bytes == 0) continue;
      co_await leaders.value(from);
      leaders.take(from, bytes, [&](const std::byte* all) { moving.unpack(*step, all); });
      traffic.blocks += blocks;
      traffic.bytes += bytes;
      traffic.copies += direct ? blocks : 2 * blocks;  // into messages, and out of them
    }
    first = last;
  }
  while (leaders.is_lending()) co_await leaders.returned();
}

/// Returns the radix for the blocks of this process: P, to send directly, or as `how` says.
task<> find_radix(endpoint& leaders, const process_blocks& blocks, const exchange_options& how,
                  unsigned& radix, collective_traffic& traffic) {
  const std::uint32_t size = leaders.size();
  radix = std::min(how.radix == 0 ? size : how.radix, size);
  // Asking costs q rounds, and two messages a round follow.
  const unsigned rounds = (size - 1 + how.ports - 1) / how.ports;
  if (how.radix != 0 || rounds <= 3 * leaders.graph().rounds()) co_return;
  std::uint64_t mine = 0;
  for (std::uint32_t process = 0; process < size; ++process)
    mine += process == leaders.rank() ? 0 : blocks.bytes_to(process);
  std::vector<std::uint64_t> all(size);
  task<> asked =
      all_broadcast(leaders, reinterpret_cast<const std::byte*>(&mine),
                    reinterpret_cast<std::byte*>(all.data()), {sizeof mine, 1}, 1, traffic);
  co_await asked;
  const std::uint64_t total = std::accumulate(all.begin(), all.end(), std::uint64_t{0});
  radix = cheapest_radix(size, how.ports, total / size / (size - 1), how.cost, 2);
}

}  // namespace

unsigned cheapest_radix(std::uint32_t size, unsigned ports, std::size_t bytes,
                        const message_cost& cost, unsigned messages) {
  const std::size_t radix = best_index_radix(size, ports, bytes, cost);
  if (radix >= size) return size;
  const index_schedule schedule(size, radix, ports);
  const double block = static_cast<double>(bytes) * cost.per_byte;
  const auto rounds = static_cast<double>(messages * schedule.rounds());
  const auto moved = static_cast<double>(2 * size + 2 * schedule.volume());
  const auto others = static_cast<double>(size - 1);
  const double by_index = rounds * cost.start + moved * block;
  const double direct = std::ceil(others / ports) * cost.start + others * block;
  return by_index < direct ? static_cast<unsigned>(radix) : size;
}

task<> index_parts(endpoint& on, const std::byte* in, layout sent, std::byte* out, layout received,
                   unsigned radix, unsigned ports, collective_traffic& traffic) {
  // Ranks that have chosen another engine would wait for each other.
  if (!on.spread()) co_await meet(on, sent.total(on.size()));
  const exchanged own{in, out, &sent, &received};
  std::vector<std::uint32_t> firsts(on.size() + std::size_t{1});
  std::iota(firsts.begin(), firsts.end(), 0u);
  const process_blocks blocks(std::move(firsts), on.rank(), {&own, 1});
  task<> work = exchange_by_index(on, on, blocks, radix, ports, sent.ends.empty(), traffic);
  co_await work;
}

task<> exchange_in_levels(endpoint& on, const std::byte* in, layout sent, std::byte* out,
                          layout received, exchange_options how, collective_traffic& traffic) {
  levels& levels = on.in_levels();
  endpoint& local = levels.local();
  const exchanged mine{in, out, &sent, &received};
  std::vector<exchanged> all(local.size(), mine);
  if (local.size() > 1) {
    local.begin_part_of(on);
    const rendezvous_awaiter arrived = meet(local, 0, {nullptr, nullptr, &mine});
    const shown ranks = co_await arrived;
    traffic.rounds += 2 * local.graph().rounds();
    for (std::uint32_t rank = 0; rank < local.size(); ++rank)
      all[rank] = *static_cast<const exchanged*>(ranks[rank].more);
  }
  std::vector<std::uint32_t> firsts(levels.processes() + std::size_t{1});
  for (std::uint32_t process = 0; process < firsts.size(); ++process)
    firsts[process] = levels.first_of(process);
  const process_blocks blocks(std::move(firsts), levels.process(), all, local.rank());
  if (endpoint* const leaders = levels.leaders(); leaders != nullptr) {
    leaders->begin_part_of(on);
    unsigned radix = 0;
    task<> found = find_radix(*leaders, blocks, how, radix, traffic);
    co_await found;
    task<> work = exchange_by_index(*leaders, on, blocks, radix, how.ports, false, traffic);
    co_await work;
  } else {
    blocks.copy_here(on, traffic);
  }
  if (local.size() > 1) co_await part(local);
}

}  // namespace pleat::detail
