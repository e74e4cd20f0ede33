// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <new>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <pleat/runtime/detail/threads.hpp>

namespace pleat::detail {

namespace {

// Upper bound of the size of a thread's descriptor.
constexpr std::uintptr_t descriptor_bytes = 4096;

/// Allocates a variable that is 0 in a forked child until the child writes it; returns null if the
/// kernel cannot.
std::atomic<pid_t>* make_emptied_by_fork() noexcept {
  const auto bytes = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  void* const page =
      ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) return nullptr;
  if (::madvise(page, bytes, MADV_WIPEONFORK) == 0) return new (page) std::atomic<pid_t>(0);
  ::munmap(page, bytes);
  return nullptr;
}
// Null until the library is loaded: constructors of static objects may run earlier. No fork can
// happen during the initialisation.
constinit std::atomic<std::atomic<pid_t>*> known_process{nullptr};
[[maybe_unused]] const bool loaded = [] {
  known_process.store(make_emptied_by_fork(), std::memory_order_relaxed);
  return true;
}();

}  // namespace

pid_t this_process() noexcept {
  std::atomic<pid_t>* const known = known_process.load(std::memory_order_relaxed);
  if (known == nullptr) return ::getpid();
  pid_t process = known->load(std::memory_order_relaxed);  // every thread stores the same value
  if (process == 0) known->store(process = ::getpid(), std::memory_order_relaxed);
  return process;
}

pid_t this_thread() noexcept {
  struct identity {
    pid_t process;
    pid_t thread;
  };
  static thread_local constinit identity known{0, 0};
  if (const pid_t process = this_process(); known.process != process) known = {process, ::gettid()};
  return known.thread;
}

bool joins_this_thread(pid_t thread) noexcept {
  char text[256];
  std::snprintf(text, sizeof text, "/proc/self/task/%d/syscall", static_cast<int>(thread));
  const int file = ::open(text, O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  const ssize_t length = ::read(file, text, sizeof text - 1);
  ::close(file);
  if (length <= 0) return false;  // the thread has ended meanwhile
  text[length] = '\0';
  long call = -1;
  std::uint64_t address = 0, operation = 0, value = 0, timeout = 0;
  // "running" if the thread is in no system call
  if (std::sscanf(text, "%ld %" SCNx64 " %" SCNx64 " %" SCNx64 " %" SCNx64, &call, &address,
                  &operation, &value, &timeout) != 5)
    return false;
  const auto descriptor = static_cast<std::uintptr_t>(::pthread_self());
  return call == SYS_futex && address - descriptor < descriptor_bytes &&
         static_cast<pid_t>(value) == this_thread() && timeout == 0;
}

void stay_loaded() noexcept {
  // A flag instead of a static variable with a guard, which another thread may hold at a fork.
  // Doing the work twice is harmless.
  static constinit std::atomic<bool> done{false};
  if (done.load(std::memory_order_relaxed)) return;  // relaxed: nothing else depends on it
  Dl_info where{};
  void* library = nullptr;
  if (::dladdr1(reinterpret_cast<const void*>(&stay_loaded), &where, &library, RTLD_DL_LINKMAP) !=
          0 &&
      library != nullptr) {
    const char* const name = static_cast<const link_map*>(library)->l_name;
    // The program itself has no name. With the exact name under which the object is loaded, dlopen
    // opens no file.
    void* const handle = name == nullptr || *name == '\0'
                             ? nullptr
                             : ::dlopen(name, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
    if (handle != nullptr) ::dlclose(handle);
  }
  done.store(true, std::memory_order_relaxed);
}

}  // namespace pleat::detail
