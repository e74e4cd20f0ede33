// SPDX-License-Identifier: Apache-2.0
#include "circulant_transcription.hpp"

#include <algorithm>
#include <limits>

namespace pleat::bench {
namespace {

// Linked list of the skip indices q … 0, largest first; −1 marks its end.
class skip_list {
 public:
  explicit skip_list(int q) {
    for (int e = -1; e <= q; ++e) {
      next_[at(e)] = e - 1;
      previous_[at(e)] = e + 1;
    }
  }
  [[nodiscard]] int next(int e) const { return next_[at(e)]; }
  void unlink(int e) {
    next_[at(previous_[at(e)])] = next_[at(e)];
    previous_[at(next_[at(e)])] = previous_[at(e)];
  }

 private:
  static std::size_t at(int e) { return static_cast<std::size_t>(e + 1); }

  std::array<int, 34> next_;
  std::array<int, 34> previous_;
};

struct search {
  const circulant_transcription& graph;
  skip_list& list;
  circulant_transcription::entries& recv;
  std::int64_t target;  // p + r
  std::int64_t bound;   // sums accepted later are less

  int all_blocks(std::int64_t sum, int e, int k) {
    while (e != -1) {
      const std::int64_t longer = sum + graph.skip(e);
      if (longer <= target - graph.skip(k) && longer < bound) {
        if (longer <= target - graph.skip(k + 1)) k = all_blocks(longer, e, k);
        if (sum > target - graph.skip(k + 1)) return k;
        bound = longer;
        recv[static_cast<std::size_t>(k)] = static_cast<std::int8_t>(e);
        ++k;
        list.unlink(e);
      }
      e = list.next(e);
    }
    return k;
  }
};

}  // namespace

circulant_transcription::circulant_transcription(std::uint32_t p) : p_(p) {
  while (std::int64_t{1} << q_ < p_) ++q_;
  const auto q = static_cast<std::size_t>(q_);
  skip_[q] = p_;
  for (std::size_t k = q; k-- > 0;) skip_[k] = (skip_[k + 1] + 1) / 2;
  skip_[q + 1] = std::numeric_limits<std::int64_t>::max() / 2;
}

int circulant_transcription::baseblock(std::uint32_t rank) const {
  std::int64_t sum = 0;
  for (int k = q_ - 1; k >= 0; --k) {
    if (sum + skip(k) == rank) return k;
    if (sum + skip(k) < rank) sum += skip(k);
  }
  return q_;
}

int circulant_transcription::receive(std::uint32_t rank, entries& recv) const {
  const int b = baseblock(rank);
  skip_list list(q_);
  list.unlink(b);
  search from{*this, list, recv, p_ + rank, 2 * p_};
  from.all_blocks(0, b == q_ ? q_ - 1 : q_, 0);
  for (int k = 0; k < q_; ++k) {
    auto& entry = recv[static_cast<std::size_t>(k)];
    entry = static_cast<std::int8_t>(entry == q_ ? b : entry - q_);
  }
  return b;
}

int circulant_transcription::send(std::uint32_t rank, entries& send) const {
  const auto set = [&](int k, int block) {
    send[static_cast<std::size_t>(k)] = static_cast<std::int8_t>(block);
  };
  if (rank == 0) {
    for (int k = 0; k < q_; ++k) set(k, k);
    return 0;
  }
  int violations = 0;
  const auto violation = [&](int k) {
    entries recv{};
    receive(static_cast<std::uint32_t>((rank + skip(k)) % p_), recv);
    set(k, recv[static_cast<std::size_t>(k)]);
    ++violations;
  };
  const int b = baseblock(rank);
  std::int64_t v = rank, e = p_;
  int c = b;
  for (int k = q_ - 1; k >= 1; --k) {
    if (v < skip(k)) {
      if (v + skip(k) < e || e < skip(k - 1) || (k == 1 && b > 0))
        set(k, c);
      else
        violation(k);
      e = std::min(e, skip(k));
    } else {
      c = k - q_;
      if (k == 1 || v > skip(k) || e - skip(k) < skip(k - 1) || v + skip(k) <= e)
        set(k, c);
      else
        violation(k);
      v -= skip(k);
      e -= skip(k);
    }
  }
  set(0, b - q_);
  return violations;
}

}  // namespace pleat::bench
