// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <mpi.h>
#include <span>
#include <string>
#include <vector>

#include <pleat/runtime/error.hpp>
#include <pleat/runtime/interval.hpp>
#include <pleat/runtime/task.hpp>
#include <pleat/runtime/vp.hpp>

#include "work_of_ranks.hpp"

namespace pleat::bench {
namespace {

using words = std::vector<std::uint64_t>;

/// h-relation in which each rank sends h words, an equal share to each other rank, the first share
/// to the next rank.
struct relation {
  std::size_t h, ranks;

  [[nodiscard]] std::size_t to(std::size_t from, std::size_t rank) const {
    if (rank == from) return 0;
    return interval<>{0, h}.share((rank + ranks - from) % ranks - 1, ranks - 1).size();
  }
};

/// Program of the VP of a rank: all supersteps of one sample.
task<> supersteps(vp& me, const relation& of, std::span<const std::uint64_t> out,
                  std::span<std::uint64_t> firsts, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    std::size_t at = 0;
    for (std::size_t d = 1; d < of.ranks; ++d) {
      const std::size_t to = (me.rank() + d) % of.ranks;
      const std::size_t n = of.to(me.rank(), to);
      if (n != 0) me.lend(to, out.subspan(at, n));
      at += n;
    }
    co_await me.sync(0);
    while (const auto m = me.receive()) firsts[m->source()] = m->view<const std::uint64_t>()(0, 0);
  }
}

}  // namespace

void compare_superstep(pleat::machine& machine, std::size_t h, std::size_t repetitions) {
  const std::size_t ranks = machine.ranks(), rank = machine.rank();
  if (ranks < 2) throw usage_error("superstep: start it on at least two ranks");
  if (h > std::size_t{std::numeric_limits<int>::max()})
    throw usage_error("superstep: MPI_Alltoallv counts in int, take a smaller h");
  const relation of{h, ranks};
  words out(h), in(h), firsts(ranks), rival_firsts(ranks);
  for (std::size_t i = 0; i < h; ++i) out[i] = mixed(rank * h + i);

  std::vector<int> sent(ranks, 0), from(ranks, 0), coming(ranks, 0), to(ranks, 0);
  int sent_before = 0, come_before = 0;
  for (std::size_t d = 1; d < ranks; ++d) {
    const std::size_t next = (rank + d) % ranks, last = (rank + ranks - d) % ranks;
    sent[next] = static_cast<int>(of.to(rank, next));
    coming[last] = static_cast<int>(of.to(last, rank));
    from[next] = sent_before;
    to[last] = come_before;
    sent_before += sent[next];
    come_before += coming[last];
  }
  // Makes a sample some 10 ms long.
  const std::size_t count = std::clamp<std::size_t>(10'000'000 / (h + 2000), 4, 2000);
  compare_sides(
      machine,
      {.work = "superstep",
       .n = h,
       .type = "u64",
       .rival = "MPI_Alltoallv, " PLEAT_MPI_NAME,
       .rival_version = PLEAT_MPI_VERSION},
      {.prepare_ours = {},
       .ours =
           [&] {
             machine.run(ranks, [&](vp& me) { return supersteps(me, of, out, firsts, count); });
           },
       .prepare_rival = {},
       .rival =
           [&] {
             for (std::size_t i = 0; i < count; ++i) {
               MPI_Alltoallv(out.data(), sent.data(), from.data(), MPI_UINT64_T, in.data(),
                             coming.data(), to.data(), MPI_UINT64_T, MPI_COMM_WORLD);
               for (std::size_t r = 0; r < ranks; ++r) {
                 if (coming[r] != 0) rival_firsts[r] = in[static_cast<std::size_t>(to[r])];
               }
             }
           },
       .check = [&]() -> std::string {
         std::size_t first = 0;
         words expected(ranks, 0);
         for (std::size_t r = 0; r < ranks; ++r) {
           if (of.to(r, rank) == 0) continue;
           first = 0;
           for (std::size_t d = 1; (r + d) % ranks != rank; ++d) first += of.to(r, (r + d) % ranks);
           expected[r] = mixed(r * h + first);
         }
         if (!everywhere(rival_firsts == expected)) return "the rival receives wrong words";
         return everywhere(firsts == expected) ? "" : "pleat receives wrong words";
       },
       .calls = count},
      repetitions);
}

}  // namespace pleat::bench
