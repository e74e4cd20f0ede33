// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <new>

#include <pleat/oblivious/detail/distributed/slab_steps.hpp>
#include <pleat/runtime/error.hpp>
#include <pleat/runtime/interval.hpp>
#include <pleat/runtime/task.hpp>
#include <pleat/runtime/vp.hpp>

namespace pleat::detail::distribution {

namespace {

/// Bytes go from one field to the other: shared among the workers of this rank, or where there are
/// none to be had, by the caller.
void copy_fields(machine& on, const std::vector<std::byte*>& from,
                 const std::vector<std::byte*>& to, const std::vector<std::size_t>& bytes) {
  if (bytes.empty()) return;
  const auto copy_share = [&](std::size_t i, std::size_t count) {
    for (std::size_t f = 0; f < bytes.size(); ++f) {
      const interval<> part = interval<>{0, bytes[f]}.share(i, count);
      std::copy(from[f] + part.first, from[f] + part.last, to[f] + part.first);
    }
  };
  try {
    const machine::rank_turn here(on);
    on.run(on.threads(), [&](vp& me) -> task<> {
      copy_share(me.rank(), me.size());
      co_return;
    });
  } catch (const error&) {
    copy_share(0, 1);
  } catch (const std::bad_alloc&) {
    copy_share(0, 1);
  }
}

}  // namespace

void slab_steps::run(machine& on, collective_call& call, const agreed_words& words,
                     const stencil_options& options) const {
  const std::size_t rank = on.rank();
  const interval<> mine = rows.of(rank);
  std::vector<std::byte*> inside;  // the slabs' rows in the windows
  std::vector<std::size_t> bytes;
  const auto load = [&] { copy_fields(on, slab, inside, bytes); };
  call.here([&] {
    if (mine.empty()) return;
    for (const window_rows& window : windows) {
      inside.push_back(window.at(static_cast<row_place>(mine.first)));
      bytes.push_back(mine.size() * window.row_bytes);
    }
    load();
  });
  call.run([&](vp& me, const rank_places& places) {
    return agree(me, places, rank, words, "stencil: sizes, steps or options");
  });
  for (std::size_t done = 0; done < steps;) {
    const std::size_t all = options.every > 0 ? std::min(options.every, steps - done) : steps;
    for (std::size_t left = all; left > 0;) {
      const std::size_t count = std::min(depth, left);
      const halo_program exchange(rows, rank, count, windows);
      call.run_again(exchange);
      call.here([&] {
        if (!mine.empty()) step(rows.window(rank, count), count);
      });
      left -= count;
    }
    call.meet_again();
    copy_fields(on, inside, slab, bytes);  // which cannot fail
    done += all;
    if (all != options.every) continue;
    call.here([&] {
      options.after(done);
      load();
    });
    if (done == steps) call.meet_again();
  }
}

}  // namespace pleat::detail::distribution
