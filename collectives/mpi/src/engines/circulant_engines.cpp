// SPDX-License-Identifier: Apache-2.0
// Broadcasts and reductions along the circulant graph, of one root or of all ranks at once.
#include <algorithm>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "engines/engines.hpp"
#include "engines/in_flight.hpp"
#include "schedule_engines/circulant_walk.hpp"

namespace pleat::preloaded {

namespace {

using detail::piece, schedule_engines::block, schedule_engines::direction;

/// Memory of a message, which grows and does not keep its contents.
class staged_message {
 public:
  [[nodiscard]] std::byte* of(std::size_t bytes) {
    if (bytes > bytes_) {
      memory_ = std::make_unique_for_overwrite<std::byte[]>(bytes);
      bytes_ = bytes;
    }
    return memory_.get();
  }

 private:
  std::unique_ptr<std::byte[]> memory_;
  std::size_t bytes_ = 0;
};

/// Transport of a rank of an MPI. Messages that do not lie in one piece are staged. The data also
/// has the operation, `what`, whose window it is.
template <class Data> class rank_transport {
 public:
  using task = preloaded::task;
  using place = communicator;
  using data = Data;
  template <class X> using slots = schedule_engines::many_slots<X>;

  rank_transport(communicator& on, Data moved)
      : moved_(std::move(moved)),
        window_(on.chosen().window(moved_.what)),
        staged_in_(window_),
        staged_out_(window_),
        receives_(on, moved_.what, window_),
        sends_(on, moved_.what, window_) {}

  [[nodiscard]] Data& moved() noexcept { return moved_; }
  [[nodiscard]] std::size_t window() const noexcept { return window_; }
  [[nodiscard]] static std::suspend_never agreed() noexcept { return {}; }
  static void begin_round() noexcept {}
  template <class Message> void receive(std::size_t number, const Message& message) {
    receives_.receive(elements::of_bytes(arrival(number, message)), message.bytes(),
                      message.peer());
  }
  template <class Message> [[nodiscard]] auto arrived(const Message& /*message*/) noexcept {
    return receives_.oldest();
  }
  template <class Message> void take(std::size_t number, const Message& message) {
    message.take(arrival(number, message));
  }
  template <class Message> [[nodiscard]] auto room(const Message& /*message*/) noexcept {
    return sends_.room();
  }
  template <class Message> void send(const Message& message) {
    const std::byte* here = message.memory();
    if (here == nullptr) {
      std::byte* const packed = staged_out_[sent_++].of(message.bytes());
      message.pack(packed);
      here = packed;
    }
    sends_.send(elements::of_bytes(here), message.bytes(), message.peer());
  }
  [[nodiscard]] bool lends() const noexcept { return sends_.are_pending(); }
  [[nodiscard]] auto returned() noexcept { return sends_.all(); }

 private:
  template <class Message>
  [[nodiscard]] const std::byte* arrival(std::size_t number, const Message& message) {
    return message.memory() != nullptr ? message.memory() : staged_in_[number].of(message.bytes());
  }

  // Messages are the last members: they end before the memory that they use.
  Data moved_;
  std::size_t window_;
  slots<staged_message> staged_in_, staged_out_;
  std::size_t sent_ = 0;  // staged
  in_flight receives_, sends_;
};

/// Parts that are copied to their places.
struct copied_parts {
  static constexpr bool only_copied = true;
  operation what;
  std::span<const part> parts;
  std::size_t blocks;

  [[nodiscard]] piece at(std::uint32_t of, std::size_t number) const noexcept {
    return detail::block_split{1, parts[of].bytes, blocks}.at(number);
  }
  [[nodiscard]] std::byte* sent(const block& one) const noexcept {
    return parts[one.part].data + one.at.offset;
  }
  [[nodiscard]] std::byte* received(const block& one) const noexcept { return sent(one); }
  void take(const block& one, const std::byte* from) const {
    if (from != sent(one)) std::memcpy(sent(one), from, one.at.bytes);
  }
  static void while_sent() noexcept {}
};

/// Partial sums of parts that lie one behind the other. Elements of a block to which nothing was
/// added yet are those of `in`.
class partial_sums {
 public:
  operation what;
  std::size_t blocks;

  partial_sums(const communicator& on, operation of_call, elements in, elements sums,
               std::span<const std::size_t> counts, combining op, std::size_t in_blocks)
      : what(of_call),
        blocks(in_blocks),
        on_(&on),
        in_(in),
        sums_(sums),
        op_(op),
        ends_(counts.size()),
        begun_(counts.size() * blocks, in.buffer() == sums.buffer()),
        combined_(begun_),
        aside_(op.of->dense ? 0 : std::ranges::max(counts) / blocks + 1, *op.of) {
    std::partial_sum(counts.begin(), counts.end(), ends_.begin());
  }

  [[nodiscard]] piece at(std::uint32_t of, std::size_t number) const noexcept {
    return detail::layout{op_.of->size, 0, ends_}.at(of, number, blocks);
  }
  [[nodiscard]] const std::byte* sent(const block& one) const noexcept {
    return op_.of->dense ? so_far(one).bytes() : nullptr;
  }
  void pack(const block& one, std::byte* to) const { so_far(one).pack(count(one), to, *on_); }
  /// The first contribution to a block may arrive in the place of its sum.
  [[nodiscard]] const std::byte* received(const block& one) {
    const bool first = !begun_[index(one)];
    begun_[index(one)] = true;
    return first && op_.of->dense ? place(sums_, one).bytes() : nullptr;
  }
  void take(const block& one, const std::byte* from) {
    const elements sum = place(sums_, one);
    if (!combined_[index(one)]) {
      sum.unpack(count(one), from, *on_);  // does nothing if it is there
      op_(place(in_, one), sum, count(one));
      combined_[index(one)] = true;
    } else if (op_.of->dense) {
      op_(elements(from - op_.of->first, *op_.of), sum, count(one));
    } else {
      aside_.get().unpack(count(one), from, *on_);
      op_(aside_.get(), sum, count(one));
    }
  }
  static void while_sent() noexcept {}

 private:
  [[nodiscard]] std::size_t index(const block& one) const noexcept {
    return one.part * blocks + one.number;
  }
  [[nodiscard]] std::size_t count(const block& one) const noexcept {
    return one.at.bytes / op_.of->size;
  }
  [[nodiscard]] elements place(elements all, const block& one) const noexcept {
    return all.from(static_cast<std::ptrdiff_t>(one.at.offset / op_.of->size));
  }
  [[nodiscard]] elements so_far(const block& one) const noexcept {
    return place(combined_[index(one)] ? sums_ : in_, one);
  }

  const communicator* on_;
  elements in_, sums_;
  combining op_;
  std::vector<std::size_t> ends_;
  std::vector<bool> begun_;  // a contribution comes, or has come
  std::vector<bool> combined_;
  element_memory aside_;
};

}  // namespace

void combining::operator()(elements here, elements there, std::size_t count) const {
  constexpr std::size_t most_at_once = std::numeric_limits<int>::max();
  for (std::size_t i = 0; i < count; i += most_at_once) {
    const auto before = static_cast<std::ptrdiff_t>(i);
    check(PMPI_Reduce_local(here.from(before).buffer(), there.from(before).buffer(),
                            static_cast<int>(std::min(count - i, most_at_once)), of->type, op));
  }
}

task broadcast(communicator& on, operation what, std::uint32_t root, std::span<const part, 1> data,
               std::size_t blocks) {
  return schedule_engines::walk<rank_transport<copied_parts>, schedule_engines::one_root>(
      on, direction::forwards, {what, data, blocks}, root);
}

task all_broadcast(communicator& on, operation what, std::span<const part> parts,
                   std::size_t blocks) {
  return schedule_engines::walk<rank_transport<copied_parts>, schedule_engines::all_roots>(
      on, direction::forwards, {what, parts, blocks});
}

task reduce(communicator& on, operation what, std::uint32_t root, elements in, elements sum,
            std::size_t count, combining op, std::size_t blocks) {
  return schedule_engines::walk<rank_transport<partial_sums>, schedule_engines::one_root>(
      on, direction::backwards, {on, what, in, sum, {&count, 1}, op, blocks}, root);
}

task reduce_parts(communicator& on, operation what, elements in, elements sums,
                  std::span<const std::size_t> counts, combining op, std::size_t blocks) {
  return schedule_engines::walk<rank_transport<partial_sums>, schedule_engines::all_roots>(
      on, direction::backwards, {on, what, in, sums, counts, op, blocks});
}

}  // namespace pleat::preloaded
