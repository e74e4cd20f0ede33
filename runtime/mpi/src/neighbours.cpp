// SPDX-License-Identifier: Apache-2.0
#include "neighbours.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <span>
#include <sys/uio.h>
#include <unistd.h>

#include "check.hpp"
#include "communicator.hpp"

namespace pleat::mpi {

namespace {

/// Reads all of it. Returns an error number if it cannot.
int read_memory(pid_t from, std::span<iovec> there, iovec here) noexcept {
  while (here.iov_len != 0) {
    const ssize_t some = ::process_vm_readv(from, &here, 1, there.data(), there.size(), 0);
    if (some < 0) return errno;
    if (some == 0) return EFAULT;
    auto left = static_cast<std::size_t>(some);
    here.iov_base = static_cast<std::byte*>(here.iov_base) + left;
    here.iov_len -= left;
    while (!there.empty() && left >= there.front().iov_len) {
      left -= there.front().iov_len;
      there = there.subspan(1);
    }
    if (left != 0) {
      there.front().iov_base = static_cast<std::byte*>(there.front().iov_base) + left;
      there.front().iov_len -= left;
    }
  }
  return 0;
}

template <class T> int read_value(pid_t from, std::uint64_t address, T& to) noexcept {
  iovec there{reinterpret_cast<void*>(address), sizeof to};
  return read_memory(from, {&there, 1}, {&to, sizeof to});
}

}  // namespace

neighbours::neighbours(MPI_Comm all, MPI_Comm node, node_rings& rings)
    : all_(all),
      announced_(rings.of(rank_in(all))),
      processes_(size_of(all)),
      reads_us_(processes_.size()) {
  const std::size_t size = size_of(node);
  std::vector<process> of_node(size);
  std::vector<unsigned char> readable(size), read_by(size);
  const process mine{rank_in(all), ::getpid(), reinterpret_cast<std::uintptr_t>(announced_),
                     nullptr};
  check(MPI_Allgather(&mine, sizeof mine, MPI_BYTE, of_node.data(), sizeof mine, MPI_BYTE, node));
  for (std::size_t i = 0; i < size; ++i) {
    process& other = of_node[i];
    other.shows = rings.of(static_cast<std::size_t>(other.rank));
    std::uint64_t token = 0;
    const bool can_read = other.shows != nullptr &&
                          read_value(static_cast<pid_t>(other.id),
                                     other.address + offsetof(announcement, token), token) == 0;
    readable[i] = can_read && token == other.shows->token ? 1 : 0;
  }
  check(MPI_Alltoall(readable.data(), 1, MPI_UNSIGNED_CHAR, read_by.data(), 1, MPI_UNSIGNED_CHAR,
                     node));
  for (std::size_t i = 0; i < size; ++i) {
    const auto rank = static_cast<std::size_t>(of_node[i].rank);
    if (readable[i] != 0) processes_[rank] = of_node[i];
    reads_us_[rank] = read_by[i];
  }
}

bool neighbours::read(std::size_t rank, const lent_block& lent, std::uint64_t loan,
                      std::byte* to) const noexcept {
  const process& lender = processes_[rank];
  const auto id = static_cast<pid_t>(lender.id);
  const std::size_t rows = lent.contiguous() ? 1 : lent.rows;
  const std::size_t row_bytes = lent.count() / rows * lent.element_size;
  std::array<iovec, 256> there{};
  int failed = 0;
  for (std::size_t row = 0; row < rows && failed == 0;) {
    const std::size_t some = std::min(rows - row, there.size());
    for (std::size_t i = 0; i < some; ++i, ++row) {
      there[i].iov_base =
          static_cast<std::byte*>(lent.data) + row * lent.stride * lent.element_size;
      there[i].iov_len = row_bytes;
    }
    failed = read_memory(id, {there.data(), some}, {to, some * row_bytes});
    to += some * row_bytes;
  }
  // acq_rel: what was read comes before; pairs with the fetch_add in take_back
  if (lender.shows->loan.fetch_add(0, std::memory_order_acq_rel) != loan) return false;
  if (failed == 0) return true;
  std::fprintf(stderr, "Pleat: the memory that rank %zu has lent cannot be read any more: %s\n",
               rank, std::strerror(failed));
  MPI_Abort(all_, 1);
  return false;
}

}  // namespace pleat::mpi
