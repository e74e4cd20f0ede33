// SPDX-License-Identifier: Apache-2.0
//
// Calls and files of the kernel that only make things better, refused one by one as containers do.
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <string>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/runtime/error.hpp>
#include <pleat/runtime/machine.hpp>

namespace refused_calls_test {

/// Makes the kernel answer that call of this process so from now on.
void answer(int call, unsigned with) {
  sock_filter program[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<unsigned>(call), 0, 1),
      BPF_STMT(BPF_RET | BPF_K, with),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog filter{std::size(program), program};
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
      ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0)
    std::_Exit(99);
}

void refuse(int call, unsigned error) { answer(call, SECCOMP_RET_ERRNO | error); }

struct refusal {
  const char* name;
  int call;
};

class refused_call : public testing::TestWithParam<refusal> {};

/// 0 if a run on two processors that nobody has asked to be bound goes as ever.
[[noreturn]] void run_and_exit(pleat::machine_options options) {
  try {
    pleat::machine machine(std::move(options));
    std::vector<std::size_t> seen(16);
    machine.run(seen.size(), [&](pleat::vp& me) -> pleat::task<> {
      me.send((me.rank() + 1) % me.size(), me.rank());
      co_await me.sync(0);
      const auto message = me.receive();
      seen[me.rank()] = message->get<std::size_t>();
    });
    std::rotate(seen.begin(), seen.begin() + 1, seen.end());
    for (std::size_t i = 0; i < seen.size(); ++i)
      if (seen[i] != i) std::_Exit(2);
    std::exit(machine.scratch(std::size_t{8} << 20).empty() ? 3 : 0);
  } catch (const std::exception& e) {
    std::fputs(e.what(), stderr);
    std::_Exit(1);
  }
}

TEST_P(refused_call, leaves_plain_runs_as_they_are) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        answer(GetParam().call, SECCOMP_RET_KILL_PROCESS);
        run_and_exit({.processors = 2});
      },
      testing::KilledBySignal(SIGSYS), "")
      << "plain runs do not make it";
  for (const unsigned error : {EPERM, ENOSYS}) {
    EXPECT_EXIT(
        {
          refuse(GetParam().call, error);
          run_and_exit({.processors = 2});
        },
        testing::ExitedWithCode(0), "")
        << error;
  }
}

INSTANTIATE_TEST_SUITE_P(by_the_kernel, refused_call,
                         testing::Values(refusal{"sched_setaffinity", SYS_sched_setaffinity},
                                         refusal{"sched_getaffinity", SYS_sched_getaffinity},
                                         refusal{"membarrier", SYS_membarrier},
                                         refusal{"madvise", SYS_madvise},
                                         refusal{"fcntl", SYS_fcntl}),
                         [](const auto& one) { return std::string(one.param.name); });

TEST(refused_calls, that_bind_workers_are_told_of_where_that_was_asked_for) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        refuse(SYS_sched_setaffinity, EPERM);
        run_and_exit({.processors = 2, .place = pleat::placement_request{}});
      },
      testing::ExitedWithCode(1), "PLEAT_PLACE=unpinned");
  EXPECT_EXIT(
      {
        refuse(SYS_sched_setaffinity, EPERM);
        run_and_exit({.processors = 2, .workers = pleat::workers::bound});
      },
      testing::ExitedWithCode(1), "PLEAT_PLACE=unpinned");
}

pleat::run_report report_of(pleat::machine_options options) {
  pleat::machine machine(std::move(options));
  return machine.run(2, [](pleat::vp&) -> pleat::task<> { co_return; });
}

TEST(refused_calls, that_bind_workers_are_in_the_report) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        refuse(SYS_sched_setaffinity, EPERM);
        ::setenv("PLEAT_SHOW_BINDING", "1", 1);
        const bool said = report_of({.processors = 2}).binding_refused;
        const bool borrowed =
            report_of({.processors = 2, .workers = pleat::workers::borrowed}).binding_refused;
        std::_Exit(said && !borrowed ? 0 : 1);
      },
      testing::ExitedWithCode(0), "2 unpinned workers.* which refuses to bind threads");
}

TEST(refused_calls, are_in_no_report_where_threads_can_be_bound) {
  pleat::machine_options unpinned{.processors = 2};
  unpinned.workers = pleat::workers::free;
  EXPECT_FALSE(report_of({.processors = 2}).binding_refused);
  EXPECT_FALSE(report_of(unpinned).binding_refused);
}

/// An empty folder there, in this process alone. False where a process may not have mounts of its
/// own.
bool hide(const char* folder) {
  const auto user = ::getuid();
  if (::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return false;
  std::ofstream("/proc/self/uid_map") << "0 " << user << " 1";
  return ::mount("none", folder, "tmpfs", 0, nullptr) == 0;
}

bool can_hide() {
  const pid_t child = ::fork();
  if (child == 0) std::_Exit(hide("/sys") ? 0 : 1);
  int status = 1;
  return child > 0 && ::waitpid(child, &status, 0) == child && status == 0;
}

TEST(hidden_files, of_the_kernel_leave_plain_runs_as_they_are) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  if (!can_hide()) GTEST_SKIP() << "a process may not have mounts of its own here";
  for (const char* const folder : {"/proc", "/sys"}) {
    EXPECT_EXIT(
        {
          if (!hide(folder)) std::_Exit(98);
          run_and_exit({.processors = 2});
        },
        testing::ExitedWithCode(0), "")
        << folder;
  }
  EXPECT_EXIT(
      {
        if (!hide("/sys") || ::mount("none", "/proc", "tmpfs", 0, nullptr) != 0) std::_Exit(98);
        run_and_exit({.processors = 2});
      },
      testing::ExitedWithCode(0), "")
      << "both";
}

}  // namespace refused_calls_test
