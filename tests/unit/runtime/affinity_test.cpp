// SPDX-License-Identifier: Apache-2.0
// Threads and processes that the application starts while machines run may run where they could
// without them.
#include <cstddef>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/runtime/error.hpp>
#include <pleat/runtime/machine.hpp>
#include <pleat/runtime/topology.hpp>

#include "host/binding.hpp"
#include "machines.hpp"

namespace affinity_test {

using pleat::machine, pleat::machine_options, pleat::task, pleat::vp, pleat::workers;
using pleat::detail::affinity;

using mask = std::vector<unsigned>;

mask mine() { return affinity::current().pus(); }

mask of_a_new_thread() {
  mask seen;
  std::thread([&] { seen = mine(); }).join();
  return seen;
}

machine_options placed(const char* notation, machine_options options = {}) {
  set_place(options, notation);
  return options;
}

class affinities : public machines {
 protected:
  affinity before = affinity::current();
  ~affinities() override { before.apply(); }
};

TEST_F(affinities, of_threads_that_programs_start_are_those_of_the_process) {
  const mask all = mine();
  for (const unsigned p : {1u, 2u, 5u}) {
    for (const char* place : {"compact", "spread", "unpinned", "compact/pu"}) {
      for (const auto wait : {pleat::wait_policy::automatic, pleat::wait_policy::park}) {
        machine m(placed(place, {.processors = p, .wait = wait}));
        constexpr std::size_t v = 7;
        std::vector<mask> own(v), thread(v);
        m.run(v, [&](vp& me) -> task<> {
          own[me.rank()] = mine();
          co_await me.sync(0);
          thread[me.rank()] = of_a_new_thread();
        });
        for (std::size_t rank = 0; rank < v; ++rank) {
          EXPECT_EQ(own[rank], all) << p << ' ' << place;
          EXPECT_EQ(thread[rank], all) << p << ' ' << place;
        }
        EXPECT_EQ(mine(), all);
      }
    }
  }
}

TEST_F(affinities, of_pinned_machines_are_what_was_asked_for) {
  machine m({.processors = 2, .workers = workers::bound, .wait = pleat::wait_policy::park});
  std::vector<mask> seen(2);
  m.run(2, [&](vp& me) -> task<> {
    seen[me.rank()] = mine();
    co_return;
  });
  for (std::size_t i = 0; i < 2; ++i) EXPECT_EQ(seen[i], mask{m.placement().processors[i].pu});
  EXPECT_EQ(mine(), before.pus());
  const variable asked("PLEAT_PIN", "1");
  machine by_variable({.processors = 1, .wait = pleat::wait_policy::park});
  by_variable.run(1, [&](vp&) -> task<> {
    seen[0] = mine();
    co_return;
  });
  EXPECT_EQ(seen[0].size(), 1u);
  const variable wrong("PLEAT_PIN", "firmly");
  EXPECT_THROW(machine({.processors = 1}), pleat::usage_error);
}

TEST_F(affinities, of_a_bound_caller_has_its_processor_besides_and_comes_back) {
  const mask all = mine();
  for (const unsigned pu : all) {
    affinity::only(pu).apply();
    machine m(
        {.processors = 1, .place = pleat::parse_placement("list:" + std::to_string(all.front()))});
    mask inside;
    m.run(1, [&](vp&) -> task<> {
      inside = mine();
      co_return;
    });
    mask expected{all.front()};
    if (pu != all.front()) expected.push_back(pu);
    EXPECT_EQ(inside, expected);
    EXPECT_EQ(mine(), mask{pu});
    EXPECT_THROW(m.run(1,
                       [](vp&) -> task<> {
                         throw std::runtime_error("stop");
                         co_return;
                       }),
                 pleat::vp_failed);
    EXPECT_EQ(mine(), mask{pu}) << "after a failed run";
  }
}

TEST_F(affinities, of_a_bound_thread_do_not_make_a_small_machine) {
  const std::size_t all = mine().size();
  std::thread([&] {
    affinity::only(before.pus().back()).apply();
    EXPECT_EQ(pleat::detail::process_affinity(), before);
    EXPECT_EQ(pleat::topology::host().allowed_pus(), all);
    machine m;
    EXPECT_EQ(m.processors(), pleat::topology::host().available());
    std::vector<mask> seen(m.processors());
    m.run(m.processors(), [&](vp& me) -> task<> {
      seen[me.rank()] = of_a_new_thread();
      co_return;
    });
    for (std::size_t rank = 1; rank < seen.size(); ++rank) EXPECT_EQ(seen[rank], before.pus());
    EXPECT_EQ(mine(), mask{before.pus().back()});
  }).join();
  machine small({.topology = [this] {
    affinity::only(before.pus().back()).apply();
    pleat::topology restricted = pleat::topology::load_host();
    before.apply();
    return restricted;
  }()});
  EXPECT_EQ(small.processors(), 1u) << "as the way for those who mean it says";
}

/// The first VP's mask: one PU if workers are bound, all of the process's if they are kept or free.
std::size_t pus_of_a_worker(machine_options options) {
  options.processors = 1;
  options.wait = pleat::wait_policy::park;
  std::size_t pus = 0;
  machine(std::move(options)).run(1, [&](vp&) -> task<> {
    pus = mine().size();
    co_return;
  });
  return pus;
}

TEST_F(affinities, are_those_of_the_option_before_the_notation_and_of_that_before_the_variable) {
  const std::size_t all = mine().size();
  const variable pin("PLEAT_PIN", "1");
  EXPECT_EQ(pus_of_a_worker({}), 1u);
  EXPECT_EQ(pus_of_a_worker(placed("compact")), 1u);
  EXPECT_EQ(pus_of_a_worker(placed("unpinned")), all);
  EXPECT_EQ(pus_of_a_worker({.workers = workers::kept}), all);
  const variable place("PLEAT_PLACE", "unpinned/pu");
  EXPECT_EQ(pus_of_a_worker({}), all);
  EXPECT_EQ(pus_of_a_worker(placed("compact")), 1u);
  EXPECT_EQ(pus_of_a_worker({.workers = workers::bound}), 1u);
  machine every_pu({.workers = workers::bound});
  EXPECT_EQ(every_pu.processors(), machine(placed("compact/pu")).processors());
}

TEST_F(affinities, of_free_workers_have_a_notation_of_their_own) {
  for (const char* notation : {"unpinned", "unpinned/pu", "compact", "spread/pu", "list:0"})
    EXPECT_EQ(place_notation(placed(notation)), notation);
  EXPECT_EQ(pleat::place_notation({}), "compact");
  EXPECT_EQ(pleat::place_notation({.workers = workers::free}), "unpinned");
  EXPECT_THROW(placed("unpinned/cores"), pleat::usage_error);
  EXPECT_THROW((void)pleat::parse_placement("unpinned"), pleat::usage_error);
}

TEST_F(affinities, unpinned_machines_move_nobody) {
  machine m({.processors = 3, .workers = workers::free});
  EXPECT_EQ(m.processors(), 3u);
  const mask all = mine();
  affinity::only(all.back()).apply();
  mask inside;
  m.run(3, [&](vp& me) -> task<> {
    if (me.rank() == 0) inside = mine();
    co_await me.sync(0);
  });
  EXPECT_EQ(inside, mask{all.back()});
  before.apply();
  EXPECT_TRUE(works(m, 9));
}

}  // namespace affinity_test
