// SPDX-License-Identifier: Apache-2.0
#include "node_rings.hpp"

#include <array>
#include <bit>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <new>
#include <random>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/uio.h>
#include <unistd.h>

#include "check.hpp"

namespace pleat::mpi {

namespace {

/// Begin of a process's memory, before its rings.
struct alignas(destructive_distance) preface : announcement {};

/// Returns the number of slots with which the rings of a node take at most some 64 MiB, if that is
/// possible.
std::uint32_t slots_for(std::size_t processes) noexcept {
  return std::clamp(std::bit_floor(static_cast<std::uint32_t>(256 / processes)), 2U,
                    shared_ring::most_slots);
}

/// Returns the ring from the process of that number on the node.
shared_ring* ring_in(void* memory, std::size_t from, std::uint32_t slots) noexcept {
  std::byte* const first = static_cast<std::byte*>(memory) + sizeof(preface);
  return reinterpret_cast<shared_ring*>(first + from * shared_ring::extent(slots));
}

/// Tells whether a file may have so many bytes. The system ends a process that makes a longer one.
bool may_have(std::size_t bytes) noexcept {
  rlimit most{};
  return ::getrlimit(RLIMIT_FSIZE, &most) == 0 && bytes <= most.rlim_cur;
}

/// File descriptor that is closed at the end of its scope.
struct file {
  int number;
  ~file() {
    if (number >= 0) ::close(number);
  }
};

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

}  // namespace

/// Words that a process tells the others of its node.
struct node_rings::told {
  std::uint64_t rank;
  std::uint64_t token;
  std::int64_t process;
  std::int64_t file;      // negative if it has none
  std::uint64_t address;  // of what it shows
};

node_rings::node_rings(MPI_Comm all, MPI_Comm node, bool wanted) : all_(all) {
  const std::size_t size = size_of(node), self = rank_in(node);
  if (size == 1) return;
  const std::uint32_t slots = slots_for(size);
  const std::size_t bytes = sizeof(preface) + size * shared_ring::extent(slots);
  mappings_.reserve(size);
  std::random_device random;
  const std::uint64_t token = std::uint64_t{random()} << 32U | random();
  const file own{wanted && may_have(bytes) ? ::memfd_create("pleat rings", MFD_CLOEXEC) : -1};
  void* const mine = own.number >= 0 && ::ftruncate(own.number, static_cast<off_t>(bytes)) == 0
                         ? map(own.number, bytes)
                         : nullptr;
  if (mine != nullptr) (new (mine) preface)->token = token;  // rings that are all zero are empty
  const told here{rank_in(all), token, ::getpid(), mine == nullptr ? -1 : own.number,
                  reinterpret_cast<std::uintptr_t>(mine)};
  std::vector<told> others(size);
  check(MPI_Allgather(&here, sizeof here, MPI_BYTE, others.data(), sizeof here, MPI_BYTE, node));
  std::vector<void*> memory(size, mine);
  int alike = mine != nullptr ? 1 : 0;
  for (std::size_t i = 0; i < size && alike != 0; ++i) {
    if (i != self) memory[i] = map_of(others[i], bytes);
    alike = memory[i] != nullptr ? 1 : 0;
  }
  check(MPI_Allreduce(MPI_IN_PLACE, &alike, 1, MPI_INT, MPI_MIN, node));
  if (alike == 0) return;
  own_ = static_cast<preface*>(mine);
  outgoing_.reserve(size);
  ranks_.resize(size_of(all));
  std::vector<unsigned char> readable(size), read_by(size);
  for (std::size_t i = 0; i < size; ++i) {
    if (i == self) continue;
    const auto rank = static_cast<std::size_t>(others[i].rank);
    neighbour& other = ranks_[rank];
    other.to = &outgoing_.emplace_back(outgoing{{ring_in(memory[i], self, slots), slots}});
    other.shows = static_cast<preface*>(memory[i]);
    other.process = static_cast<pid_t>(others[i].process);
    incoming_.push_back({rank, {ring_in(mine, i, slots), slots}});
    std::uint64_t read = 0;
    iovec there{reinterpret_cast<void*>(others[i].address + offsetof(announcement, token)),
                sizeof read};
    const bool can_read = read_memory(other.process, {&there, 1}, {&read, sizeof read}) == 0;
    readable[i] = can_read && read == others[i].token ? 1 : 0;
  }
  check(MPI_Alltoall(readable.data(), 1, MPI_UNSIGNED_CHAR, read_by.data(), 1, MPI_UNSIGNED_CHAR,
                     node));
  for (std::size_t i = 0; i < size; ++i)
    ranks_[static_cast<std::size_t>(others[i].rank)].reads_us = read_by[i] != 0;
}

node_rings::~node_rings() {
  for (const mapping& each : mappings_) ::munmap(each.memory, each.bytes);
}

void* node_rings::map(int file, std::size_t bytes) noexcept {
  void* const memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (memory == MAP_FAILED) return nullptr;
  mappings_.push_back({memory, bytes});  // there is room
  return memory;
}

/// Maps the memory of another process. Returns null if that cannot be opened, or is another one's:
/// processes may count each other differently.
void* node_rings::map_of(const told& other, std::size_t bytes) noexcept {
  if (other.file < 0) return nullptr;
  char path[64];
  std::snprintf(path, sizeof path, "/proc/%lld/fd/%lld", static_cast<long long>(other.process),
                static_cast<long long>(other.file));
  const file theirs{::open(path, O_RDWR | O_CLOEXEC)};
  if (theirs.number < 0) return nullptr;
  if (::lseek(theirs.number, 0, SEEK_END) != static_cast<off_t>(bytes)) return nullptr;
  void* const memory = map(theirs.number, bytes);
  if (memory == nullptr || static_cast<const preface*>(memory)->token != other.token)
    return nullptr;
  return memory;
}

bool node_rings::read(std::size_t rank, const lent_block& lent, std::uint64_t loan,
                      std::byte* to) const noexcept {
  const neighbour& lender = ranks_[rank];
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
    failed = read_memory(lender.process, {there.data(), some}, {to, some * row_bytes});
    to += some * row_bytes;
  }
  // release: what was read comes before; pairs with the fetch_add in take_back
  if (lender.shows->loan.fetch_add(0, std::memory_order_release) != loan) return false;
  if (failed == 0) return true;
  std::fprintf(stderr, "Pleat: the memory that rank %zu has lent cannot be read any more: %s\n",
               rank, std::strerror(failed));
  MPI_Abort(all_, 1);
  return false;
}

}  // namespace pleat::mpi
