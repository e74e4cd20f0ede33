// SPDX-License-Identifier: Apache-2.0
#include "node_rings.hpp"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <fcntl.h>
#include <new>
#include <random>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "check.hpp"
#include "communicator.hpp"

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

}  // namespace

/// Words that a process tells the others of its node.
struct node_rings::told {
  std::uint64_t rank;
  std::uint64_t token;
  std::int64_t process;
  std::int64_t file;  // negative if it has none
};

node_rings::node_rings(MPI_Comm all, MPI_Comm node, bool wanted) {
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
  const told here{rank_in(all), token, ::getpid(), mine == nullptr ? -1 : own.number};
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
  outgoing_.reserve(size);
  outgoing_of_.resize(size_of(all));
  announced_.resize(size_of(all));
  for (std::size_t i = 0; i < size; ++i) {
    const auto rank = static_cast<std::size_t>(others[i].rank);
    announced_[rank] = static_cast<preface*>(memory[i]);
    if (i == self) continue;
    outgoing_of_[rank] =
        &outgoing_.emplace_back(outgoing{{ring_in(memory[i], self, slots), slots}});
    incoming_.push_back({rank, {ring_in(mine, i, slots), slots}});
  }
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

}  // namespace pleat::mpi
