// SPDX-License-Identifier: Apache-2.0
#include "host/core_claims.hpp"

#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <fcntl.h>
#include <sched.h>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

#include <pleat/runtime/detail/threads.hpp>

namespace pleat::detail {

namespace {

// Claim of a PU: the processes that have claimed it last. Only its lock is binding, but that does
// not show the owner.
struct claim {
  std::int32_t last = 0;
  std::int32_t another = 0;  // the last other one
};

constexpr off_t place_of(unsigned pu) { return off_t{pu} * off_t{sizeof(claim)}; }
// Record that is locked while a process chooses PUs, behind the records of all possible PUs.
constexpr unsigned choosing = 1u << 20;

struct flock lock_of(unsigned pu, short how) {
  struct flock lock {};
  lock.l_type = how;
  lock.l_whence = SEEK_SET;
  lock.l_start = place_of(pu);
  lock.l_len = sizeof(claim);
  return lock;
}

/// Tells whether a folder belongs to this user, and no other user can write to it.
bool is_private(const std::string& folder) {
  struct stat about {};
  return ::lstat(folder.c_str(), &about) == 0 && S_ISDIR(about.st_mode) &&
         about.st_uid == ::geteuid() && (about.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

claim claim_of(int file, unsigned pu) noexcept {
  claim found;
  const ssize_t bytes = ::pread(file, &found, sizeof found, place_of(pu));
  return bytes == sizeof found ? found : claim{};
}

int open_in(const std::string& folder) {
  if (!is_private(folder)) return -1;
  return ::open((folder + "/pleat-cores").c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
}

int open_claims() {
  if (const char* given = std::getenv("XDG_RUNTIME_DIR"); given != nullptr && *given != '\0') {
    if (const int file = open_in(given); file >= 0) return file;
  }
  const std::string user = std::to_string(::geteuid());
  if (const int file = open_in("/run/user/" + user); file >= 0) return file;
  const std::string own = "/tmp/pleat-" + user;
  ::mkdir(own.c_str(), 0700);
  return open_in(own);
}

/// Prevents other processes from choosing meanwhile. It waits only for a while, because one of them
/// may be stopped.
class exclusive_placement {
 public:
  explicit exclusive_placement(int file) : file_(file) {
    constexpr int tries = 10000;
    for (int i = 0; i < tries && !set(F_WRLCK); ++i) ::sched_yield();
  }
  ~exclusive_placement() { set(F_UNLCK); }
  exclusive_placement(const exclusive_placement&) = delete;
  exclusive_placement& operator=(const exclusive_placement&) = delete;

 private:
  bool set(short how) const noexcept {
    struct flock lock = lock_of(choosing, how);
    return ::fcntl(file_, F_OFD_SETLK, &lock) == 0;
  }
  int file_;
};

}  // namespace

core_claims::core_claims(bool takes_part)
    : file_(takes_part ? open_claims() : -1), owner_(this_process()) {}

core_claims::~core_claims() {
  if (file_ < 0) return;
  if (owner_ == this_process()) release();
  ::close(file_);
}

/// Unlocks explicitly: forked children also have the file open, and would keep the locks if it were
/// only closed.
void core_claims::release() const noexcept {
  const exclusive_placement mine(file_);
  for (const unsigned pu : held_) {
    struct flock lock = lock_of(pu, F_UNLCK);
    static_cast<void>(::fcntl(file_, F_OFD_SETLK, &lock));
    struct flock other = lock_of(pu, F_WRLCK);
    const bool free = ::fcntl(file_, F_OFD_GETLK, &other) == 0 && other.l_type == F_UNLCK;
    const claim nobody;
    if (free) static_cast<void>(::pwrite(file_, &nobody, sizeof nobody, place_of(pu)));
  }
}

placement core_claims::place(const topology& machine, const placement_request& request,
                             std::optional<unsigned> processors) {
  if (file_ < 0) return pleat::place(machine, request, processors);
  const exclusive_placement mine(file_);
  placement placed = pleat::place(machine, request, processors, taken(machine));
  shared_ = of_other_processes(placed.contended);
  hold(placed);
  return placed;
}

std::vector<unsigned> core_claims::taken(const topology& machine) const {
  std::vector<unsigned> pus;
  for (const processing_unit& unit : machine.units()) {
    struct flock lock = lock_of(unit.pu, F_WRLCK);
    // F_OFD_GETLK reports locks that conflict with this one, except those of this open file itself.
    if (unit.allowed && ::fcntl(file_, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK)
      pus.push_back(unit.pu);
  }
  return pus;
}

void core_claims::hold(const placement& placed) {
  const std::int32_t me = this_process();
  for (const processor& one : placed.processors) held_.push_back(one.pu);
  for (const processor& one : placed.processors) {
    struct flock lock = lock_of(one.pu, F_RDLCK);  // several processes may hold it
    static_cast<void>(::fcntl(file_, F_OFD_SETLK, &lock));
    const claim before = claim_of(file_, one.pu);
    const claim now{me, before.last == me ? before.another : before.last};
    static_cast<void>(::pwrite(file_, &now, sizeof now, place_of(one.pu)));
  }
}

std::vector<unsigned> core_claims::of_other_processes(std::span<const unsigned> pus) const {
  std::vector<unsigned> others;
  for (const unsigned pu : pus) {
    const claim known = claim_of(file_, pu);
    const pid_t other = known.last == this_process() ? known.another : known.last;
    if (other != 0 && ::kill(other, 0) == 0) others.push_back(pu);
  }
  return others;
}

}  // namespace pleat::detail
