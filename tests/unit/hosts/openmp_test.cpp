// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <omp.h>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

#include <pleat/runtime/default_machine.hpp>
#include <pleat/runtime/error.hpp>
#include <pleat/runtime/host/openmp.hpp>
#include <pleat/runtime/machine.hpp>

#include "threads_alive.hpp"
#include "unit/runtime/machines.hpp"

/// libomp keeps memory of its own until the process ends, where the sanitizer does not look for it.
extern "C" const char* __lsan_default_suppressions() { return "leak:libomp.so"; }

namespace openmp_test {

using pleat::machine, pleat::task, pleat::vp;

using openmp = machines;

TEST_F(openmp, threads_of_a_region_carry_out_the_runs) {
  machine m({.processors = 3, .workers = borrowed});
  const std::ptrdiff_t others = threads_alive();  // of other runtimes that tests before have used
  std::ptrdiff_t inside = 0;
  for (const int size : {1, 2, 3, 5}) {
    pleat::openmp::region(
        m,
        [&] {
          const unsigned most = size < 3 ? static_cast<unsigned>(size) : 3u;
          while (m.threads() < most) {
          }
          for (const std::size_t v : {1, 2, 7, 64}) EXPECT_TRUE(works(m, v));
          const auto report = m.run(64, [](vp& me) -> task<> { co_await me.sync(0); });
          EXPECT_EQ(report.processors, most);
          inside = threads_alive();
        },
        size);
    EXPECT_EQ(m.threads(), 1u);
  }
  EXPECT_LE(inside, others + 4) << "OpenMP's threads and no others";
}

TEST_F(openmp, a_region_hands_on_what_its_work_throws) {
  machine m({.processors = 2, .workers = borrowed});
  EXPECT_THROW(pleat::openmp::region(
                   m, [] { throw std::runtime_error("stop"); }, 2),
               std::runtime_error);
  machine own({.processors = 2});
  EXPECT_THROW(pleat::openmp::region(
                   own, [] {}, 2),
               pleat::usage_error);
  bool called = false;
  pleat::openmp::region(
      m, [&] { called = works(m, 5); }, 2);
  EXPECT_TRUE(called);
}

TEST_F(openmp, a_team_inside_its_region_carries_out_the_runs) {
  machine m({.processors = 4, .workers = borrowed});
  std::atomic<int> wrong{0}, calls{0};
#pragma omp parallel num_threads(3)
  {
    for (int round = 0; round < 5; ++round) {
      pleat::openmp::by_team(m, [&] {
        ++calls;
        wrong += !works(m, 9);
      });
    }
  }
  EXPECT_EQ(calls, 5);
  EXPECT_EQ(wrong, 0);
}

TEST_F(openmp, a_team_hands_what_the_work_throws_to_its_first_thread) {
  machine m({.processors = 2, .workers = borrowed});
  std::atomic<int> caught{0};
#pragma omp parallel num_threads(2)
  {
    try {
      pleat::openmp::by_team(m, [] { throw std::runtime_error("stop"); });
    } catch (const std::runtime_error&) {
      caught += 1 + 10 * omp_get_thread_num();
    }
  }
  EXPECT_EQ(caught, 1);
}

TEST_F(openmp, a_region_inside_another_makes_do_with_its_caller) {
  std::atomic<int> wrong{0};
#pragma omp parallel num_threads(2)
  {
    machine m({.processors = 2, .workers = borrowed});
    pleat::openmp::region(
        m, [&] { wrong += !works(m, 6); }, 2);
  }
  EXPECT_EQ(wrong, 0);
}

TEST_F(openmp, the_default_machine_of_a_region_is_its_callers_alone) {
  std::atomic<int> wrong{0}, inside{0};
  for (int round = 0; round < 3; ++round) {
#pragma omp parallel num_threads(3)
    {
      const pleat::default_machine on;
      wrong += on->processors() != 1;
      ++inside;
#pragma omp barrier  // all have theirs at the same time
      wrong += inside != 3 * (round + 1);
      wrong += !works(*on, 9);
    }
    const pleat::default_machine outside;
    EXPECT_EQ(outside->processors(), pleat::topology::host().available());
  }
  EXPECT_EQ(wrong, 0);
#pragma omp parallel num_threads(1)
  wrong += pleat::default_machine()->processors() != pleat::topology::host().available();
  EXPECT_EQ(wrong, 0) << "a region of one thread is no parallel one";
}

// OpenMP reads its variables, and binds the main thread, when a program is loaded: so this runs
// itself once more.
TEST_F(openmp, that_binds_the_main_thread_does_not_make_small_machines) {
  constexpr const char* name = "PLEAT_TEST_PROCESSORS";
  if (const char* const expected = std::getenv(name)) {
    EXPECT_EQ(std::to_string(machine().processors()), expected);
    return;
  }
  const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
  for (const char* const binding : {"OMP_PROC_BIND=true", "OMP_PROC_BIND=close OMP_PLACES=cores",
                                    "OMP_PROC_BIND=spread OMP_PLACES=threads"}) {
    const std::string command =
        std::string(name) + "=" + std::to_string(pleat::topology::host().available()) + " " +
        binding + " '" + self + "' --gtest_filter='*that_binds_the_main_thread*' > /dev/null";
    EXPECT_EQ(std::system(command.c_str()), 0) << command;
  }
}

TEST_F(openmp, says_how_large_a_machine_is_to_be_only_if_it_is_asked) {
  const int before = omp_get_max_threads();
  omp_set_num_threads(1);
  EXPECT_EQ(pleat::openmp::processors(), 1u);
  EXPECT_EQ(machine({.processors = pleat::openmp::processors()}).processors(), 1u);
  EXPECT_EQ(machine().processors(), pleat::topology::host().available());
  omp_set_num_threads(1000);
  EXPECT_EQ(pleat::openmp::processors(), pleat::topology::host().available());
  omp_set_num_threads(before);
}

}  // namespace openmp_test
