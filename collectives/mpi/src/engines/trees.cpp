// SPDX-License-Identifier: Apache-2.0
// Gathers and scatters on binomial trees. In the order of ranks from the root on, rank v has the
// children v + c for each power of two c below its lowest bit; ranks v + c … v + 2c − 1 are below.
#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>
#include <vector>

#include "engines/byte_runs.hpp"
#include "engines/engines.hpp"
#include "engines/in_flight.hpp"

namespace pleat::preloaded {

namespace {

constexpr std::size_t most_children = 32;

/// Place of a rank in the tree of a root.
class tree_place {
 public:
  tree_place(const communicator& on, std::uint32_t root)
      : ranks_(on.size()),
        root_(root),
        own_((on.rank() + std::size_t{on.size()} - root) % on.size()),
        reach_(own_ == 0 ? std::bit_ceil(ranks_) : own_ & (~own_ + 1)) {}

  [[nodiscard]] bool is_root() const noexcept { return own_ == 0; }
  [[nodiscard]] bool is_below_root() const noexcept { return own_ == reach_; }
  [[nodiscard]] std::uint32_t parent() const noexcept { return rank(own_ - reach_); }
  /// Number of ranks from this one on that are below it, itself included.
  [[nodiscard]] std::size_t below() const noexcept { return std::min(reach_, ranks_ - own_); }
  /// The rank `distance` ranks further on.
  [[nodiscard]] std::uint32_t further(std::size_t distance) const noexcept {
    return rank(own_ + distance);
  }

  /// Calls use(distance, ranks below) for each child; the one with the fewest first, or last.
  template <class Use> void each_child(const Use& use) const {
    for (std::size_t c = 1; c < below(); c *= 2) use(c, std::min(c, below() - c));
  }
  template <class Use> void each_child_backwards(const Use& use) const {
    for (std::size_t c = std::bit_ceil(below()) / 2; c > 0; c /= 2)
      use(c, std::min(c, below() - c));
  }

 private:
  [[nodiscard]] std::uint32_t rank(std::size_t place) const noexcept {
    return static_cast<std::uint32_t>((place + root_) % ranks_);
  }

  std::size_t ranks_, root_, own_, reach_;
};

}  // namespace

task gather_parts(communicator& on, operation what, std::uint32_t root, part mine,
                  std::span<const part> parts) {
  const tree_place place(on, root);
  std::vector<std::vector<std::byte>> staged(most_children);
  in_flight messages(on, what, most_children);
  if (place.is_root()) {
    std::vector<byte_runs> coming;
    place.each_child([&](std::size_t child, std::size_t below) {
      byte_runs& runs = coming.emplace_back();
      for (std::size_t i = 0; i < below; ++i) runs.add(parts[place.further(child + i)]);
      if (runs.bytes() == 0) return;
      messages.receive(elements::of_bytes(runs.memory(staged[coming.size() - 1])), runs.bytes(),
                       place.further(child));
    });
    deferred_failure failure;
    for (std::size_t i = 0; i < coming.size(); ++i) {
      if (coming[i].bytes() == 0) continue;
      try {
        co_await messages.oldest();
        coming[i].unpack(staged[i].data());
      } catch (const mpi_failure& found) {
        failure.note(found.code);
      }
    }
    failure.raise();
    co_return;
  }
  byte_runs all;
  all.add(mine);
  for (std::size_t child = 1; child < place.below(); child *= 2) {
    const std::size_t bytes = co_await arriving(on, place.further(child));
    std::vector<std::byte>& memory = staged[static_cast<std::size_t>(std::bit_width(child))];
    memory.resize(bytes);
    messages.receive(elements::of_bytes(memory.data()), bytes, place.further(child));
    co_await messages.oldest();
    all.add({memory.data(), bytes});
  }
  // The root knows that nothing comes; others have to be told.
  if (all.bytes() == 0 && place.is_below_root()) co_return;
  messages.send(elements::of_bytes(all.packed(staged[0])), all.bytes(), place.parent());
  co_await messages.oldest();
}

task scatter_parts(communicator& on, operation what, std::uint32_t root,
                   std::span<const part> parts, part mine, std::span<const std::size_t> sizes) {
  const tree_place place(on, root);
  std::vector<part> blocks(place.below());       // for the ranks from this one on
  std::vector<std::size_t> told(blocks.size());  // their bytes
  std::vector<std::byte> received;
  std::vector<std::vector<std::byte>> staged;
  in_flight messages(on, what, most_children);
  const auto receive = [&](std::byte* to, std::size_t bytes) {
    if (bytes != 0) messages.receive(elements::of_bytes(to), bytes, place.parent());
  };
  if (!place.is_root() && blocks.size() == 1) {
    receive(mine.data, mine.bytes);
    co_await messages.all();
    co_return;
  }
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    if (place.is_root()) {
      blocks[i] = parts[place.further(i)];
      told[i] = blocks[i].bytes;
    } else if (!sizes.empty()) {
      told[i] = sizes[place.further(i)];
    }
  }
  deferred_failure failure;
  if (!place.is_root()) {
    const std::size_t header = sizes.empty() ? (blocks.size() - 1) * sizeof told[0] : 0;
    std::size_t bytes = std::accumulate(told.begin(), told.end(), std::size_t{0});
    if (sizes.empty()) bytes = co_await arriving(on, place.parent());
    received.resize(bytes);
    try {
      receive(received.data(), bytes);
      co_await messages.all();
    } catch (const mpi_failure& found) {
      failure.note(found.code);
    }
    if (bytes < header) throw mpi_failure{MPI_ERR_TRUNCATE};
    if (header != 0) std::memcpy(&told[1], received.data(), header);
    const std::size_t others = std::accumulate(told.begin() + 1, told.end(), std::size_t{0});
    if (others > bytes - header) throw mpi_failure{MPI_ERR_TRUNCATE};
    told[0] = bytes - header - others;
    std::byte* at = received.data() + header;
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      blocks[i] = {at, told[i]};
      at += told[i];
    }
    if (told[0] != mine.bytes) {
      failure.note(MPI_ERR_TRUNCATE);
    } else if (mine.bytes != 0) {
      std::memcpy(mine.data, blocks[0].data, mine.bytes);
    }
  }
  place.each_child_backwards([&](std::size_t child, std::size_t below) {
    byte_runs runs;
    for (std::size_t i = 0; i < below; ++i) runs.add(blocks[child + i]);
    std::span<const std::size_t> numbers;
    if (sizes.empty()) numbers = std::span(told).subspan(child + 1, below - 1);
    const std::size_t bytes = numbers.size_bytes() + runs.bytes();
    if (bytes == 0) return;
    messages.send(elements::of_bytes(runs.packed(staged.emplace_back(), numbers)), bytes,
                  place.further(child));
  });
  co_await messages.all();
  failure.raise();
}

}  // namespace pleat::preloaded
