// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstring>
#include <memory>
#include <vector>

#include "arc.hpp"
#include "engines.hpp"
#include "in_flight.hpp"

namespace pleat::preloaded {

namespace {

/// Blocks of one message: bytes at one or more places of the parts.
class blocks_of_message {
 public:
  void find(communicator& on, const circulant_rounds& rounds, std::size_t round,
            std::uint32_t receiver, std::span<const part> parts) {
    runs_.clear();
    bytes_ = 0;
    const auto units = [&](std::uint32_t root) { return parts[root].bytes; };
    each_block(on, rounds, round, receiver, units, [&](std::uint32_t root, range block) {
      std::byte* const at = parts[root].data + block.first;
      bytes_ += block.count;
      if (!runs_.empty() && runs_.back().data + runs_.back().bytes == at) {
        runs_.back().bytes += block.count;
      } else {
        runs_.push_back({at, block.count});
      }
    });
  }

  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }

  /// Memory of the message: that of the blocks if they lie side by side, else `staged`, which is
  /// resized.
  [[nodiscard]] std::byte* memory(std::vector<std::byte>& staged) const {
    if (runs_.size() == 1) return runs_.front().data;
    if (staged.size() < bytes_) staged.resize(bytes_);
    return staged.data();
  }
  void pack(std::byte* to) const {
    if (runs_.size() == 1) return;
    for (const part& run : runs_) {
      std::memcpy(to, run.data, run.bytes);
      to += run.bytes;
    }
  }
  void unpack(const std::byte* from) const {
    if (runs_.size() == 1) return;
    for (const part& run : runs_) {
      std::memcpy(run.data, from, run.bytes);
      from += run.bytes;
    }
  }

 private:
  std::vector<part> runs_;
  std::size_t bytes_ = 0;
};

/// Message that this rank is receiving.
struct incoming {
  blocks_of_message blocks;
  std::vector<std::byte> staged;
  std::byte* memory = nullptr;
};

}  // namespace

void all_broadcast(communicator& on, operation what, std::span<const part> parts,
                   std::size_t blocks) {
  constexpr std::size_t at_once = 2;
  const circulant_rounds rounds(on.graph(), blocks);
  std::array<incoming, at_once> in;
  std::array<std::vector<std::byte>, at_once> out_staged;
  blocks_of_message out;
  in_flight<at_once> receives(on, what);
  in_flight<at_once> sends(on, what);
  std::size_t sent = 0;
  const auto post = [&](std::size_t round) {
    incoming& next = in[round % at_once];
    next.blocks.find(on, rounds, round, on.rank(), parts);
    if (next.blocks.bytes() == 0) return;
    next.memory = next.blocks.memory(next.staged);
    receives.receive(elements::of_bytes(next.memory), next.blocks.bytes(),
                     on.graph().from(on.rank(), rounds.skip_index(round)));
  };
  if (rounds.size() > 0) post(0);
  for (std::size_t round = 0; round < rounds.size(); ++round) {
    if (round + 1 < rounds.size()) post(round + 1);
    const std::uint32_t to = on.graph().to(on.rank(), rounds.skip_index(round));
    out.find(on, rounds, round, to, parts);
    if (out.bytes() != 0) {
      sends.make_room();  // from here on, staged memory is free again
      std::byte* const memory = out.memory(out_staged[sent++ % at_once]);
      out.pack(memory);
      sends.send(elements::of_bytes(memory), out.bytes(), to);
    }
    incoming& now = in[round % at_once];
    if (now.blocks.bytes() == 0) continue;
    receives.wait_oldest();
    now.blocks.unpack(now.memory);
  }
  sends.wait_all();
}

}  // namespace pleat::preloaded
