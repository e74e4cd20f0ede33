// SPDX-License-Identifier: Apache-2.0
// All-to-all exchanges. The sizes of irregular ones are known to the two ranks of a block only, so
// the ranks agree on the most blocks and bytes that one of them sends or receives.
#include <algorithm>
#include <array>
#include <memory>
#include <utility>
#include <vector>

#include "engines.hpp"
#include "in_flight.hpp"
#include "operations.hpp"
#include "typed_parts.hpp"

namespace pleat::preloaded {

plan alltoall(communicator& on, const side& mine, const side& each) {
  constexpr operation what = operation::alltoall;
  if (each.in_place() || !each.is_valid() || !mine.is_valid()) return {};
  const std::size_t bytes = each.bytes();
  if (!on.chosen().ours(what, bytes * on.size()) || !(mine.in_place() || mine.bytes() == bytes))
    return {};
  return [&on, in = typed_parts(each, on.size()),
          out = typed_parts(mine.in_place() ? each : mine, on.size(), mine.in_place()),
          sizes = std::vector(on.size(), bytes), radix = on.with().radix(bytes)] {
    out.pack(on);
    exchange(on, operation::alltoall, out.get(), in.get(), sizes, radix);
    in.unpack(on);
  };
}

namespace {

/// The largest of each of two numbers that the ranks have, which they are telling each other.
class largest {
 public:
  /// Collective over `comm`, but waits for no rank. Throws: mpi_failure.
  largest(MPI_Comm comm, std::size_t partners, std::size_t bytes)
      : numbers_(new std::array<std::size_t, 4>{partners, bytes}) {
    check(PMPI_Iallreduce(numbers_.get(), &(*numbers_)[2], 2, MPI_UINT64_T, MPI_MAX, comm,
                          &pending_.request));
  }
  largest(const largest&) = delete;
  largest& operator=(const largest&) = delete;
  largest(largest&& other) noexcept
      : numbers_(std::move(other.numbers_)), pending_(std::exchange(other.pending_, {})) {}
  ~largest() {
    if (pending_.request != MPI_REQUEST_NULL) (void)numbers_.release();  // the MPI still uses it
  }

  /// Waits for the others the first time.
  void wait(const communicator& on) {
    if (pending_.request != MPI_REQUEST_NULL) pending_.wait(on);
  }
  [[nodiscard]] std::size_t partners() const noexcept { return (*numbers_)[2]; }
  [[nodiscard]] std::size_t bytes() const noexcept { return (*numbers_)[3]; }

 private:
  std::unique_ptr<std::array<std::size_t, 4>> numbers_;  // this rank's, and the largest
  pending pending_;
};

}  // namespace

plan irregular_exchange(communicator& on, operation what, const std::optional<irregular_side>& mine,
                        const irregular_side& theirs) {
  if (on.chosen().sizes[index(what)] == 0 || !theirs.is_valid() || (mine && !mine->is_valid()))
    return {};
  typed_parts in(theirs);
  typed_parts out(mine ? *mine : theirs, !mine);
  largest most(on.with().comm(), std::max(out.filled(), in.filled()),
               std::max(out.bytes(), in.bytes()));
  if (on.blocks()) {
    most.wait(on);
    if (!on.chosen().ours(what, most.bytes())) return {};
  }
  return [&on, in = std::move(in), out = std::move(out), what, most = std::move(most)]() mutable {
    most.wait(on);
    // Blocks go straight where the answer, for which the call did not wait, says that it would have
    // been the MPI's.
    const std::size_t radix = on.chosen().ours(what, most.bytes())
                                  ? on.with().radix(most.partners(), most.bytes())
                                  : on.size();
    out.pack(on);
    exchange(on, what, out.get(), in.get(), {}, radix);
    in.unpack(on);
  };
}

}  // namespace pleat::preloaded
