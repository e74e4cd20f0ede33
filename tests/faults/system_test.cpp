// SPDX-License-Identifier: Apache-2.0
// The system refuses threads, bindings and policies of memory, interrupts, stops and moves the
// process: the right error or the right result, never a hang.
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstddef>
#include <dlfcn.h>
#include <filesystem>
#include <fstream>
#include <pthread.h>
#include <sched.h>
#include <string>
#include <sys/syscall.h>
#include <sys/time.h>
#include <thread>
#include <unistd.h>

#include <gtest/gtest.h>

#include <pleat/runtime/error.hpp>
#include <pleat/runtime/machine.hpp>
#include <pleat/runtime/memory_policy.hpp>

#include "base/sanitizer.hpp"
#include "threads_alive.hpp"
#include "unit/message_of.hpp"
#include "unit/runtime/machines.hpp"
#include "watchdog.hpp"

namespace {

/// Number of calls that succeed before one is refused; negative: all.
std::atomic<int> bindings_granted{-1};
[[maybe_unused]] std::atomic<int> threads_granted{-1};
/// The number of a system call that is refused, as containers do; negative: none.
std::atomic<long> call_refused{-1};

bool refused(std::atomic<int>& granted) { return granted >= 0 && granted-- == 0; }

}  // namespace

// Functions of an executable, which the libraries it is linked with use too.
extern "C" int sched_setaffinity(pid_t thread, std::size_t bytes, const cpu_set_t* set) noexcept {
  if (refused(bindings_granted)) {
    errno = EPERM;
    return -1;
  }
  return static_cast<int>(::syscall(SYS_sched_setaffinity, thread, bytes, set));
}

// Reads as many arguments as any call has, also what was not given: hence not sanitized.
extern "C" [[gnu::no_sanitize_address]] long syscall(long number, ...) noexcept {
  if (number == call_refused) {
    errno = EPERM;
    return -1;
  }
  using function = long (*)(long, long, long, long, long, long, long);
  static const auto really = reinterpret_cast<function>(::dlsym(RTLD_NEXT, "syscall"));
  std::va_list list;
  va_start(list, number);
  long arguments[6];  // no call has more
  for (long& argument : arguments) argument = va_arg(list, long);
  va_end(list);
  return really(number, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4],
                arguments[5]);
}

#if !defined(__has_feature)
#define PLEAT_TEST_REFUSES_THREADS
extern "C" int pthread_create(pthread_t* made, const pthread_attr_t* attributes,
                              void* (*body)(void*), void* argument) noexcept {
  using function = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  static const auto really = reinterpret_cast<function>(::dlsym(RTLD_NEXT, "pthread_create"));
  return refused(threads_granted) ? EAGAIN : really(made, attributes, body, argument);
}
#endif

namespace {

using pleat::machine, pleat::wait_policy;

constexpr wait_policy policies[] = {wait_policy::automatic, wait_policy::spin, wait_policy::yield,
                                    wait_policy::park};

class system_faults : public machines {
 protected:
  faults::watchdog dog;
};

#ifdef PLEAT_TEST_REFUSES_THREADS
TEST_F(system_faults, a_machine_whose_threads_are_refused_says_how_many_there_were) {
  for (int granted = 0; granted < 5; ++granted) {
    dog.watch("threads refused", static_cast<std::size_t>(granted));
    threads_granted = granted;
    const std::string what =
        message_of<pleat::environment_error>([] { const machine m({.processors = 6}); });
    EXPECT_NE(what.find("only " + std::to_string(granted + 1) + " of 6"), what.npos) << what;
    threads_granted = -1;
    EXPECT_EQ(threads_left(1), 1);
    machine m({.processors = 6});
    EXPECT_TRUE(works(m, 12));
  }
}
#endif

TEST_F(system_faults, a_machine_whose_bindings_are_refused_says_so) {
  constexpr unsigned p = 3;
  // Asks the kernel whether threads can be bound: a process does so once.
  machine({.processors = p});
  for (int granted = 0; granted < 12; ++granted) {
    dog.watch("bindings refused", static_cast<std::size_t>(granted));
    bindings_granted = granted;
    bool failed = false, right = true;
    try {
      machine m({.processors = p, .wait = wait_policy::park});  // which binds the caller at once
      try {
        for (int run = 0; run < 3; ++run) right = works(m, 6) && right;
      } catch (const pleat::environment_error&) {
        failed = true;
        bindings_granted = -1;
        right = works(m, 6);  // the next run finds everything in order
      }
    } catch (const pleat::environment_error& e) {
      failed = true;
      EXPECT_NE(std::string(e.what()).find("bind"), std::string::npos) << e.what();
    }
    bindings_granted = -1;
    EXPECT_TRUE(right);
    // Workers 1 and 2, then the caller at its first run; what restores the caller's is no error.
    if (granted < static_cast<int>(p)) {
      EXPECT_TRUE(failed) << granted;
    }
    EXPECT_EQ(threads_left(1), 1);
  }
}

TEST_F(system_faults, memory_that_may_not_be_placed_or_looked_for_is_an_error_that_names_the_call) {
  const auto message = [](long number, const pleat::machine_options& options) -> std::string {
    call_refused = number;
    std::string what;
    try {
      machine m(options);
      const machine::turn mine(m, machine::use::scratch);
      (void)m.scratch(1 << 16);
      EXPECT_TRUE(works(m, 6));
    } catch (const pleat::environment_error& e) {
      what = e.what();
    }
    call_refused = -1;
    return what;
  };
  const pleat::machine_options placed{.processors = 3,
                                      .memory = pleat::parse_memory_policy("local")};
  EXPECT_EQ(message(SYS_get_mempolicy, placed),
            "the kernel refuses to say where this thread's memory goes (get_mempolicy: Operation "
            "not permitted): in a container, allow set_mempolicy and get_mempolicy (Docker: "
            "--cap-add SYS_NICE)");
  EXPECT_EQ(message(SYS_set_mempolicy, placed),
            "the kernel refuses to place memory as asked for (set_mempolicy: Operation not "
            "permitted): in a container, allow set_mempolicy and get_mempolicy (Docker: --cap-add "
            "SYS_NICE)");
  EXPECT_EQ(message(SYS_move_pages, {.processors = 3, .observe = pleat::observed::pages}),
            "the kernel does not tell where pages are (move_pages: Operation not permitted): in a "
            "container, allow move_pages (Docker: --cap-add SYS_NICE)");
  for (const long number : {SYS_get_mempolicy, SYS_set_mempolicy, SYS_move_pages})
    EXPECT_EQ(message(number, {.processors = 3}), "") << "which has no need of it";
  EXPECT_EQ(threads_left(1), 1);
}

TEST_F(system_faults, runs_go_on_through_signals_that_interrupt_every_call) {
  static std::atomic<long> ticks{0};
  struct sigaction action {};
  action.sa_handler = [](int) { ++ticks; };  // without SA_RESTART
  struct sigaction before {};
  ::sigaction(SIGUSR1, &action, &before);
  for (const wait_policy policy : policies) {
    dog.watch("signals", static_cast<std::size_t>(policy));
    machine m({.processors = 2, .wait = policy});
    std::atomic<bool> stop = false;
    const pid_t self = ::getpid();
    std::thread sender([&] {
      while (!stop) {
        ::kill(self, SIGUSR1);
        std::this_thread::yield();
      }
    });
    for (int run = 0; run < 30; ++run) EXPECT_TRUE(works(m, 64));
    while (ticks == 0) std::this_thread::yield();
    stop = true;
    sender.join();
  }
  ::sigaction(SIGUSR1, &before, nullptr);
}

TEST_F(system_faults, a_mask_that_shrinks_during_runs_moves_workers_and_nothing_else) {
  cpu_set_t all;
  ASSERT_EQ(::sched_getaffinity(0, sizeof all, &all), 0);
  cpu_set_t one;
  CPU_ZERO(&one);
  for (int pu = 0; pu < CPU_SETSIZE; ++pu) {
    if (CPU_ISSET(pu, &all)) CPU_SET(pu, &one);
    if (CPU_COUNT(&one) == 1) break;
  }
  for (const wait_policy policy : policies) {
    dog.watch("a smaller mask", static_cast<std::size_t>(policy));
    machine m({.processors = 2, .wait = policy});
    std::atomic<bool> stop = false;
    std::thread mover([&] {
      // Every thread of the process, as taskset -a does.
      for (int i = 0; !stop; ++i) {
        for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task"))
          ::syscall(SYS_sched_setaffinity, std::stoi(entry.path().filename()), sizeof one,
                    i % 2 == 0 ? &one : &all);
        std::this_thread::yield();
      }
    });
    for (int run = 0; run < 20; ++run) {
      try {
        EXPECT_TRUE(works(m, 16));
      } catch (const pleat::environment_error& e) {
        // The mask changed between binding and reading it back.
        EXPECT_NE(std::string(e.what()).find("worker"), std::string::npos) << e.what();
      }
    }
    stop = true;
    mover.join();
    ::sched_setaffinity(0, sizeof all, &all);
  }
}

TEST_F(system_faults, many_machines_leave_no_thread_and_no_memory) {
  const int machines_made = pleat::detail::sanitized ? 100 : 400;
  const auto mapped = [] {
    std::ifstream maps("/proc/self/maps");
    std::size_t lines = 0;
    for (std::string line; std::getline(maps, line);) ++lines;
    return lines;
  };
  std::size_t before = 0;
  for (int i = 0; i < machines_made; ++i) {
    dog.watch("machines", static_cast<std::size_t>(i));
    machine m({.processors = 1 + static_cast<unsigned>(i % 3), .wait = wait_policy::park});
    ASSERT_TRUE(works(m, 7));
    if (i == 50) before = mapped();
  }
  EXPECT_EQ(threads_left(1), 1);
  if (!pleat::detail::sanitized) {
    EXPECT_LE(mapped(), before + 20);
  }
}

}  // namespace
