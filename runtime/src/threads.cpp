// SPDX-License-Identifier: Apache-2.0
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <pleat/runtime/detail/threads.hpp>

namespace pleat::detail {

namespace {

// A thread's descriptor is smaller than this.
constexpr std::uintptr_t descriptor_bytes = 4096;

}  // namespace

pid_t this_thread() noexcept {
  struct identity {
    pid_t process;
    pid_t thread;
  };
  static thread_local constinit identity known{0, 0};
  if (const pid_t process = ::getpid(); known.process != process) known = {process, ::gettid()};
  return known.thread;
}

bool joins_this_thread(pid_t thread) noexcept {
  char text[256];
  std::snprintf(text, sizeof text, "/proc/self/task/%d/syscall", static_cast<int>(thread));
  const int file = ::open(text, O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  const ssize_t length = ::read(file, text, sizeof text - 1);
  ::close(file);
  if (length <= 0) return false;  // it has ended meanwhile
  text[length] = '\0';
  long call = -1;
  std::uint64_t address = 0;
  std::uint64_t operation = 0;
  std::uint64_t value = 0;
  std::uint64_t timeout = 0;
  // "running" where it is in no call
  if (std::sscanf(text, "%ld %" SCNx64 " %" SCNx64 " %" SCNx64 " %" SCNx64, &call, &address,
                  &operation, &value, &timeout) != 5)
    return false;
  const auto descriptor = static_cast<std::uintptr_t>(::pthread_self());
  return call == SYS_futex && address - descriptor < descriptor_bytes &&
         static_cast<pid_t>(value) == this_thread() && timeout == 0;
}

void stay_loaded() noexcept {
  static const bool done = [] {
    Dl_info where{};
    void* library = nullptr;
    if (::dladdr1(reinterpret_cast<const void*>(&stay_loaded), &where, &library, RTLD_DL_LINKMAP) ==
            0 ||
        library == nullptr)
      return false;
    const char* const name = static_cast<const link_map*>(library)->l_name;
    if (name == nullptr || *name == '\0') return false;  // the program itself
    // By the very name under which it is loaded, so that no file is opened.
    if (void* handle = ::dlopen(name, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE)) ::dlclose(handle);
    return true;
  }();
  static_cast<void>(done);
}

}  // namespace pleat::detail
