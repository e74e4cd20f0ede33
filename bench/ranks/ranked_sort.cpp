// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <mpi.h>
#include <type_traits>
#include <vector>

#include <pleat/runtime/error.hpp>

#include "arrays/distributed_numbers.hpp"
#include "ranked_program.hpp"
#include "sort/sort_keys.hpp"

namespace pleat::bench {
namespace {

template <class T> constexpr arrays::number_type type_of() {
  using enum arrays::number_kind;
  constexpr auto kind = std::is_floating_point_v<T> ? floating
                        : std::is_signed_v<T>       ? signed_integer
                                                    : unsigned_integer;
  return {kind, sizeof(T)};
}

template <class T> class sorted_ranks final : public ranked_program {
 public:
  sorted_ranks(const rank_group& all, machine& on, const sweep_case& at)
      : ranked_program(all, on), n_(at.n), keys_(at.distribution) {}

  double sample() override { return run(false); }
  void verify() override { static_cast<void>(run(true)); }

 private:
  double run(bool checks) {
    double seconds = 0;
    arrays::sort_distributed_numbers(
        on_, type_of<T>(), n_,
        [&](std::span<std::byte> block, std::size_t first) {
          all_.each([&] { make_fresh(block, first); });
          clock_.start();
        },
        [&](std::span<const std::byte> block, std::size_t) {
          seconds = clock_.stop();
          if (checks) check({reinterpret_cast<const T*>(block.data()), block.size() / sizeof(T)});
        });
    return seconds;
  }
  void make_fresh(std::span<std::byte> block, std::size_t first) {
    if (before_.empty()) {
      constexpr std::uint64_t seed = 1;
      before_.resize(block.size() / sizeof(T));
      for (std::size_t i = 0; i < before_.size(); ++i)
        before_[i] = key_at<T>(keys_.key(seed, first + i, n_), first + i);
    }
    if (!block.empty()) std::memcpy(block.data(), before_.data(), block.size());
  }
  // In order in the blocks and from each to the next, and the keys that were there.
  void check(std::span<const T> block) {
    std::array<std::uint64_t, 2> sums{key_fingerprint(std::span<const T>(before_)),
                                      key_fingerprint(block)};
    MPI_Allreduce(MPI_IN_PLACE, sums.data(), 2, MPI_UINT64_T, MPI_SUM, all_.processes());
    const block_ends here{on_.rank(), block.empty() ? 0U : 1U, block.empty() ? T{} : block.front(),
                          block.empty() ? T{} : block.back()};
    std::vector<block_ends> ends(static_cast<std::size_t>(all_.ranks()));
    MPI_Allgather(&here, sizeof here, MPI_BYTE, ends.data(), sizeof here, MPI_BYTE,
                  all_.processes());
    std::ranges::sort(ends, {}, &block_ends::rank);
    std::erase_if(ends, [](const block_ends& one) { return one.keys == 0; });
    all_.each([&] {
      const bool follow = std::ranges::is_sorted(
          ends, [](const block_ends& a, const block_ends& b) { return a.last < b.first; });
      const bool meet =
          std::ranges::adjacent_find(ends, [](const block_ends& a, const block_ends& b) {
            return b.first < a.last;
          }) == ends.end();
      if (!std::ranges::is_sorted(block) || !follow || !meet)
        throw error("verification failed: pleat::sort over ranks left keys in the wrong order");
      if (sums[0] != sums[1])
        throw error("verification failed: pleat::sort over ranks lost or changed keys");
    });
  }

  struct block_ends {
    std::uint64_t rank, keys;
    T first, last;
  };

  std::size_t n_;
  distribution keys_;
  std::vector<T> before_;
};

}  // namespace

prepared_ranks ranked_sort(const rank_group& all, machine& on, const sweep_case& at) {
  prepared_ranks made;
  with_type<std::uint64_t, double, std::uint32_t, std::int32_t, float, std::int64_t, std::uint16_t,
            std::uint8_t>(
      at.type, [&]<class T>() { made = std::make_unique<sorted_ranks<T>>(all, on, at); });
  return made;
}

}  // namespace pleat::bench
