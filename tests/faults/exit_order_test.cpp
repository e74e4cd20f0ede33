// SPDX-License-Identifier: Apache-2.0
// The library used before main, after it, and by destructors of thread-local objects, whatever was
// used first: what the library keeps is made before the first use and outlives the last.
#include <algorithm>
#include <bit>
#include <complex>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include <pleat/oblivious/fft.hpp>
#include <pleat/oblivious/sort.hpp>
#include <pleat/runtime/default_machine.hpp>
#include <pleat/runtime/machine.hpp>

namespace {

// Ends the process if the library does not do what it should.
void use_library(const char* when) {
  std::vector<std::uint32_t> keys(50'000);
  for (std::size_t i = 0; i < keys.size(); ++i)
    keys[i] = static_cast<std::uint32_t>(i * 2654435761u);
  pleat::sort(keys);
  pleat::machine machine({.processors = 2});
  std::vector<std::complex<double>> signal(1000, 1.0);
  pleat::fft(machine, signal);
  if (std::ranges::is_sorted(keys) && std::abs(signal[0] - 1000.0) < 1e-9 &&
      std::abs(signal[1]) < 1e-9)
    return;
  std::fprintf(stderr, "wrong results %s\n", when);
  std::_Exit(3);
}

// Tells whether something is to happen, as decided before main by the process's own environment.
bool wanted(const char* when) {
  const char* const list = std::getenv("PLEAT_TEST_WHEN");
  return list != nullptr && std::string_view(list).find(when) != std::string_view::npos;
}

struct early {
  early() {
    if (wanted("static_constructor")) use_library("in a static object's constructor");
  }
  ~early() {
    if (wanted("static_destructor")) use_library("in a static object's destructor");
  }
};
const early first_of_all;
std::optional<pleat::machine> static_machine;

struct of_thread {
  std::unique_ptr<pleat::machine> machine;
  ~of_thread() {
    use_library("in a thread-local object's destructor");
    machine.reset();
  }
};

void use_at_thread_end() {
  static thread_local of_thread kept;
  kept.machine = std::make_unique<pleat::machine>(pleat::machine_options{.processors = 2});
  use_library("in a thread");
}

int run_all() {
  if (wanted("atexit"))
    std::atexit([] { use_library("in a function that std::atexit was given"); });
  if (wanted("main")) use_library("in main");
  if (wanted("machine")) static_machine.emplace();
  if (wanted("threads")) {
    std::jthread one(use_at_thread_end);
    std::jthread two(use_at_thread_end);
  }
  if (wanted("thread_local")) use_at_thread_end();
  if (wanted("elsewhere")) std::thread([] { std::exit(0); }).join();
  return 0;
}

}  // namespace

// Without arguments: starts itself once for every pair, and for all at once; for every combination
// with PLEAT_TEST_EXHAUSTIVE.
int main(int argc, char** argv) {
  ::alarm(120);
  if (argc > 1) return run_all();
  const std::vector<const char*> whens = {
      "static_constructor", "static_destructor", "atexit", "main", "machine", "threads",
      "thread_local",       "elsewhere"};
  int failures = 0, tried = 0;
  for (unsigned set = 0; set < 1u << whens.size(); ++set) {
    if (std::popcount(set) > 2 && set + 1 != 1u << whens.size() &&
        std::getenv("PLEAT_TEST_EXHAUSTIVE") == nullptr)
      continue;
    ++tried;
    std::string list;
    for (std::size_t i = 0; i < whens.size(); ++i) {
      if ((set >> i & 1u) != 0) list += std::string(" ") + whens[i];
    }
    ::setenv("PLEAT_TEST_WHEN", list.c_str(), 1);
    const pid_t child = ::fork();
    if (child == 0) {
      ::alarm(30);
      ::execl("/proc/self/exe", argv[0], "one", nullptr);
      std::_Exit(4);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    if (status != 0) {
      std::printf("with%s: status %x\n", list.c_str(), static_cast<unsigned>(status));
      ++failures;
    }
  }
  std::printf("%d of %d combinations failed\n", failures, tried);
  return failures == 0 ? 0 : 1;
}
