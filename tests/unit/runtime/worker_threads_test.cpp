// SPDX-License-Identifier: Apache-2.0
//
// What a worker's thread is made with, and what a run carries from its caller's to it.
#include <array>
#include <cfenv>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <latch>
#include <locale.h>
#include <pthread.h>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include <pleat/runtime/error.hpp>
#include <pleat/runtime/machine.hpp>

#if defined(__SSE__)
#include <immintrin.h>
#endif

namespace worker_threads_test {

double third() {
  volatile double three = 3;
  return 1 / three;
}

/// Answers of `ask` on the thread of each of two workers.
template <class T>
std::array<T, 2> on_both(pleat::machine& machine, const std::function<T()>& ask) {
  std::array<T, 2> answers{};
  machine.run(2, [&](pleat::vp& me) -> pleat::task<> {
    answers[me.rank()] = ask();
    co_return;
  });
  return answers;
}

/// For each way to have two workers.
template <class Property> void for_owned_and_borrowed(const Property& property) {
  {
    pleat::machine machine({.processors = 2});
    property(machine);
  }
  pleat::machine machine({.processors = 2, .workers = pleat::workers::borrowed});
  std::thread other;
  {
    const pleat::machine::gathering open(machine);
    other = std::thread([&] { static_cast<void>(machine.join()); });
    while (machine.threads() < 2) std::this_thread::yield();
    property(machine);
  }
  other.join();
}

TEST(worker_threads, round_as_their_caller_does) {
  for_owned_and_borrowed([](pleat::machine& machine) {
    const double nearest = third();
    for (const int mode : {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO, FE_TONEAREST}) {
      std::fesetround(mode);
      const auto thirds = on_both<double>(machine, third);
      const auto modes = on_both<int>(machine, [] { return std::fegetround(); });
      const double expected = third();
      std::fesetround(FE_TONEAREST);
      EXPECT_EQ(thirds, (std::array{expected, expected}));
      EXPECT_EQ(modes, (std::array{mode, mode}));
      EXPECT_EQ(expected == nearest, mode != FE_UPWARD);
    }
  });
}

#if defined(__SSE__)
unsigned number_control() { return _mm_getcsr(); }
void set_number_control(unsigned wanted) { _mm_setcsr(wanted); }
constexpr unsigned flush_to_zero = 0x8040;  // denormals are zero as well
#elif defined(__aarch64__)
std::uint64_t number_control() {
  std::uint64_t fpcr = 0;
  asm volatile("mrs %0, fpcr" : "=r"(fpcr));
  return fpcr;
}
void set_number_control(std::uint64_t wanted) { asm volatile("msr fpcr, %0" : : "r"(wanted)); }
constexpr std::uint64_t flush_to_zero = 1 << 24;
#endif

#if defined(__SSE__) || defined(__aarch64__)
TEST(worker_threads, flush_subnormal_numbers_as_their_caller_does) {
  for_owned_and_borrowed([](pleat::machine& machine) {
    const auto tiny = []() -> double {
      volatile double small = 1e-300;
      return small * 1e-10;
    };
    const auto before = number_control();
    set_number_control(before | flush_to_zero);
    const auto flushed = on_both<double>(machine, tiny);
    set_number_control(before);
    EXPECT_EQ(flushed, (std::array{0.0, 0.0}));
    EXPECT_GT(on_both<double>(machine, tiny)[1], 0);
  });
}
#endif

TEST(worker_threads, give_the_exceptions_they_raise_to_their_caller) {
  for_owned_and_borrowed([](pleat::machine& machine) {
    for (const int worker : {0, 1}) {
      std::feclearexcept(FE_ALL_EXCEPT);
      const auto divide = [&](pleat::vp& me) -> pleat::task<> {
        volatile double zero = 0;
        volatile double quotient = static_cast<int>(me.rank()) == worker ? 1 / zero : 1;
        static_cast<void>(quotient);
        co_return;
      };
      machine.run(2, divide);
      EXPECT_TRUE(std::fetestexcept(FE_DIVBYZERO)) << "of worker " << worker;
      std::feclearexcept(FE_ALL_EXCEPT);
      machine.run(2, [](pleat::vp&) -> pleat::task<> { co_return; });
      EXPECT_FALSE(std::fetestexcept(FE_DIVBYZERO)) << "of the run before";
    }
  });
}

TEST(worker_threads, leave_the_environment_of_their_caller_as_it_was) {
  pleat::machine machine({.processors = 2});
  machine.run(2, [](pleat::vp&) -> pleat::task<> {
    std::fesetround(FE_UPWARD);
    co_return;
  });
  EXPECT_EQ(std::fegetround(), FE_TONEAREST);
  EXPECT_EQ(on_both<int>(machine, [] { return std::fegetround(); }),
            (std::array{FE_TONEAREST, FE_TONEAREST}));
}

TEST(worker_threads, have_the_locale_of_their_caller_in_a_run) {
  for_owned_and_borrowed([](pleat::machine& machine) {
    const locale_t mine = ::newlocale(LC_ALL_MASK, "C", nullptr);
    const locale_t before = ::uselocale(mine);
    const auto now = [] { return ::uselocale(nullptr); };
    const auto inside = on_both<locale_t>(machine, now);
    ::uselocale(before);
    ::freelocale(mine);
    EXPECT_EQ(inside, (std::array{mine, mine}));
    EXPECT_EQ(on_both<locale_t>(machine, now), (std::array{before, before}));
  });
}

TEST(worker_threads, leave_signals_to_those_of_the_application) {
  sigset_t before;
  ::pthread_sigmask(SIG_SETMASK, nullptr, &before);
  pleat::machine machine({.processors = 2});
  sigset_t after;
  ::pthread_sigmask(SIG_SETMASK, nullptr, &after);
  const auto blocks = [](int signal) {
    return [signal] {
      sigset_t mine;
      ::pthread_sigmask(SIG_SETMASK, nullptr, &mine);
      return ::sigismember(&mine, signal);
    };
  };
  for (const int signal : {SIGTERM, SIGINT, SIGALRM, SIGCHLD, SIGUSR1}) {
    EXPECT_EQ(on_both<int>(machine, blocks(signal)), (std::array{0, 1})) << signal;
    EXPECT_EQ(::sigismember(&after, signal), ::sigismember(&before, signal)) << signal;
  }
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGPIPE, SIGPROF})
    EXPECT_EQ(on_both<int>(machine, blocks(signal)), (std::array{0, 0})) << signal;
}

TEST(worker_threads, are_named) {
  pleat::machine machine({.processors = 2});
  const auto name = []() -> std::string {
    char text[16] = {};
    ::pthread_getname_np(::pthread_self(), text, sizeof text);
    return text;
  };
  EXPECT_EQ(on_both<std::string>(machine, name)[1], "pleat/1");
}

std::size_t stack_of_this_thread() {
  pthread_attr_t all;
  void* first = nullptr;
  std::size_t bytes = 0, guard = 0;
  ::pthread_getattr_np(::pthread_self(), &all);
  ::pthread_attr_getstack(&all, &first, &bytes);
  ::pthread_attr_getguardsize(&all, &guard);
  ::pthread_attr_destroy(&all);
  return guard == 0 ? 0 : bytes;
}

TEST(worker_threads, have_the_stack_they_are_given) {
  const auto of = [](const pleat::machine_options& options) {
    pleat::machine machine(options);
    return on_both<std::size_t>(machine, stack_of_this_thread)[1];
  };
  // At least: threads get stacks that others have left.
  constexpr std::size_t mib = std::size_t{1} << 20;
  EXPECT_GE(of({.processors = 2, .threads = {.stack = 64 << 10}}), std::size_t{64} << 10);
  EXPECT_THROW(of({.processors = 2, .threads = {.stack = (64 << 10) - 1}}), pleat::usage_error);
  EXPECT_GE(of({.processors = 2, .threads = {.stack = 20 * mib + 1}}), 20 * mib + 4096);
  EXPECT_GE(of({.processors = 2, .threads = {.stack = 40 * mib}}), 40 * mib);
  EXPECT_THROW(of({.processors = 2, .threads = {.stack = ~std::size_t{0} / 2}}),
               pleat::environment_error);
}

pleat::machine& static_machine() {
  static pleat::machine machine({.processors = 2});
  return machine;
}
void exit_on_vp(pleat::machine& machine, std::size_t rank) {
  machine.run(2, [rank](pleat::vp& me) -> pleat::task<> {
    if (me.rank() == rank) std::exit(7);
    co_await me.sync(0);
  });
}

/// std::exit destroys static objects, the machine too, on the thread that calls it.
TEST(exits, of_any_thread_have_the_status_asked_for) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto seven = testing::ExitedWithCode(7);
  EXPECT_EXIT(exit_on_vp(static_machine(), 0), seven, "");
  EXPECT_EXIT(exit_on_vp(static_machine(), 1), seven, "");
  EXPECT_EXIT(
      {
        pleat::machine local({.processors = 2});
        exit_on_vp(local, 1);
      },
      seven, "");
  EXPECT_EXIT(
      {
        static_machine().run(2, [](pleat::vp&) -> pleat::task<> { co_return; });
        std::thread([] { std::exit(7); }).join();
      },
      seven, "");
  EXPECT_EXIT(
      {
        // Beside a run that does not end.
        pleat::machine& machine = static_machine();
        static std::latch begun(2);
        std::thread([&] {
          machine.run(2, [](pleat::vp& me) -> pleat::task<> {
            begun.count_down();
            while (true) co_await me.sync(0);
          });
        }).detach();
        begun.wait();
        std::exit(7);
      },
      seven, "");
}

}  // namespace worker_threads_test
