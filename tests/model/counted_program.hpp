// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include <pleat/runtime/fold.hpp>
#include <pleat/runtime/vp.hpp>

/// Programs given step by step, for whoever counts: random ones, and how they are carried out.
namespace model::counted {

using pleat::cluster_of, pleat::label_count, pleat::task, pleat::vp;

enum class kind { value, large_value, span, lent, lent_window, dummy };

struct sent {
  std::size_t destination;
  std::size_t elements;
  kind what;
};
/// Without a label the VP ends instead, with messages that belong to no superstep.
struct step {
  std::vector<sent> messages;
  std::optional<unsigned> label;
};
/// [rank][superstep]; a VP ends when its steps do.
using program_steps = std::vector<std::vector<step>>;

struct large {
  std::uint64_t words[9];
};
using elements = std::span<const std::uint32_t>;

inline const std::vector<std::uint32_t> memory(4096, 7);  // what is sent or lent

class program_writer {
 public:
  program_writer(std::size_t v, std::mt19937_64& random) : random_(random), p_(v) {}

  /// A random sequence of labels, the same for all, and messages inside its clusters, some of which
  /// send nothing.
  program_steps write(bool early_ends) {
    const std::size_t v = p_.size();
    for (std::size_t s = below(12); s > 0; --s) {
      const auto label = static_cast<unsigned>(below(label_count(v)));
      for (std::size_t rank = 0; rank < v;) {
        const pleat::rank_range cluster = cluster_of(v, rank, label);
        const bool busy = below(4) != 0;
        for (; rank < cluster.last; ++rank) {
          p_[rank].push_back({{}, label});
          if (busy) add_messages(rank, below(5), cluster);
        }
      }
    }
    if (early_ends) {
      // From one VP to a third of them; few of these with messages that nothing can count.
      const std::size_t one_in = 3 + below(2) * v, last_words = 2 + below(3) * v;
      for (std::size_t rank = 0; rank < v; ++rank) {
        if (below(one_in) == 0) p_[rank].resize(below(p_[rank].size() + 1));
        if (below(last_words) != 0) continue;
        p_[rank].push_back({{}, std::nullopt});
        add_messages(rank, 1 + below(3), {0, v});
      }
    }
    return std::move(p_);
  }

 private:
  std::size_t below(std::size_t n) { return n == 0 ? 0 : random_() % n; }

  void add_messages(std::size_t rank, std::size_t count, pleat::rank_range to) {
    for (; count > 0; --count) {
      const auto what = static_cast<kind>(below(6));
      const bool one = what == kind::value || what == kind::large_value;
      const std::size_t length = one ? 1 : below(3) == 0 ? below(40) * 12 : below(3);
      p_[rank].back().messages.push_back({to.first + below(to.size()), length, what});
    }
  }

  std::mt19937_64& random_;
  program_steps p_;
};

inline program_steps random_program(std::size_t v, std::mt19937_64& random, bool early_ends) {
  return program_writer(v, random).write(early_ends);
}

inline task<> play(vp& me, const std::vector<step>& steps) {
  for (const step& s : steps) {
    for (const sent& m : s.messages) {
      const elements values = elements(memory).first(m.elements);
      switch (m.what) {
        case kind::value:
          me.send(m.destination, std::uint16_t{5});
          break;
        case kind::large_value:
          me.send(m.destination, large{});
          break;
        case kind::span:
          me.send(m.destination, values);
          break;
        case kind::lent:
          me.lend(m.destination, values);
          break;
        case kind::lent_window: {  // as many rows as give this number of elements
          const std::size_t columns = m.elements % 4 == 0 ? 4 : 1;
          const pleat::strided_view<const std::uint32_t> window(memory.data(), m.elements / columns,
                                                                columns, columns + 3);
          me.lend(m.destination, window);
          break;
        }
        case kind::dummy:
          me.dummy(m.destination, m.elements);
          break;
      }
    }
    if (!s.label) co_return;
    co_await me.sync(*s.label);
    while (me.receive()) {
    }
  }
}

}  // namespace model::counted
