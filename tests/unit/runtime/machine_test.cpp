// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <pleat/runtime/error.hpp>
#include <pleat/runtime/machine.hpp>

#include "host/binding.hpp"
#include "machines.hpp"
#include "unit/message_of.hpp"

namespace machine_test {

using pleat::machine, pleat::machine_options, pleat::task, pleat::vp;

std::vector<unsigned> allowed_pus() {
  std::vector<unsigned> result;
  for (const pleat::processing_unit& unit : pleat::topology::host().units()) {
    if (unit.allowed) result.push_back(unit.pu);
  }
  return result;
}

pleat::placement_request only(unsigned pu) {
  return pleat::parse_placement("list:" + std::to_string(pu));
}

std::vector<unsigned> my_affinity() { return pleat::detail::affinity::current().pus(); }

TEST_F(machines, have_a_processor_for_every_core_they_may_use) {
  machine m;
  EXPECT_EQ(m.processors(), pleat::topology::host().available());
  EXPECT_FALSE(m.oversubscribed());
  EXPECT_EQ(m.placement().processors.size(), m.processors());
  EXPECT_TRUE(m.topology().bindable());
  EXPECT_TRUE(works(m, 17));
}

TEST_F(machines, have_as_many_processors_as_asked_for) {
  for (const unsigned p : {1u, 2u, 3u, 5u, 8u, 17u, 64u}) {
    machine m({.processors = p});
    EXPECT_EQ(m.processors(), p);
    EXPECT_EQ(m.oversubscribed(), p > allowed_pus().size()) << p;
    for (const std::size_t v : {1, 2, 16, 70}) EXPECT_TRUE(works(m, v)) << v << " on " << p;
  }
}

TEST_F(machines, take_for_library_programs_p_or_the_power_of_two_above_8p) {
  const std::pair<unsigned, std::size_t> expected[] = {{1, 1},  {2, 2}, {3, 32},   {4, 4},
                                                       {5, 64}, {8, 8}, {12, 128}, {17, 256}};
  for (const auto& [p, vps] : expected) EXPECT_EQ(machine({.processors = p}).default_vps(), vps);
}

TEST_F(machines, read_the_number_of_processors_from_the_environment) {
  const variable given("PLEAT_NUM_PROCESSORS", "3");
  EXPECT_EQ(machine().processors(), 3u);
  EXPECT_EQ(machine({.processors = 2}).processors(), 2u) << "an argument counts more";
}

TEST_F(machines, read_the_placement_from_the_environment) {
  const unsigned last = allowed_pus().back();
  const variable given("PLEAT_PLACE", ("list:" + std::to_string(last)).c_str());
  machine m;
  ASSERT_EQ(m.processors(), 1u);
  EXPECT_EQ(m.placement().processors[0].pu, last);
  const unsigned first = allowed_pus().front();
  EXPECT_EQ(machine({.place = only(first)}).placement().processors[0].pu, first);
}

TEST_F(machines, read_the_way_to_wait_from_the_environment) {
  const variable given("PLEAT_WAIT", "yield");
  EXPECT_EQ(machine({.processors = 1}).waiting(), pleat::wait_policy::yield);
  EXPECT_EQ(machine({.processors = 1, .wait = pleat::wait_policy::spin}).waiting(),
            pleat::wait_policy::spin);
}

TEST_F(machines, take_an_empty_variable_for_an_unset_one) {
  const variable a("PLEAT_NUM_PROCESSORS", ""), b("PLEAT_WAIT", "");
  EXPECT_EQ(machine().processors(), pleat::topology::host().available());
}

TEST_F(machines, name_the_variable_that_makes_no_sense) {
  const std::pair<const char*, const char*> wrong[] = {
      {"PLEAT_NUM_PROCESSORS", "0"},  {"PLEAT_NUM_PROCESSORS", "two"},
      {"PLEAT_NUM_PROCESSORS", "-1"}, {"PLEAT_PLACE", "somewhere"},
      {"PLEAT_WAIT", "patiently"},    {"PLEAT_SHOW_BINDING", "maybe"}};
  for (const auto& [name, value] : wrong) {
    const variable given(name, value);
    EXPECT_NE(message_of<pleat::usage_error>([] { const machine m; }).find(name), std::string::npos)
        << name << '=' << value;
  }
}

TEST_F(machines, show_their_binding_only_on_request) {
  for (const bool shown : {false, true}) {
    const variable given("PLEAT_SHOW_BINDING", shown ? "1" : "0");
    testing::internal::CaptureStderr();
    const machine m({.place = only(allowed_pus().back())});
    const std::string printed = testing::internal::GetCapturedStderr();
    EXPECT_EQ(printed.empty(), !shown) << printed;
    if (!shown) continue;
    EXPECT_NE(printed.find("pleat"), std::string::npos) << printed;
    EXPECT_NE(printed.find(std::to_string(allowed_pus().back())), std::string::npos) << printed;
  }
}

TEST_F(machines, refuse_what_cannot_be_had) {
  EXPECT_THROW(machine({.processors = 0}), pleat::usage_error);
  EXPECT_THROW(machine({.place = only(1u << 20)}), pleat::environment_error);
  EXPECT_THROW(machine({.place = pleat::parse_placement("numa:999")}), pleat::environment_error);
}

TEST_F(machines, refuse_to_run_on_a_topology_that_is_not_the_hosts) {
  const std::string description = "numa:2 core:4 pu:2";
  const auto make = [&] { const machine m({.topology = pleat::topology::synthetic(description)}); };
  EXPECT_NE(message_of<pleat::usage_error>(make).find(description), std::string::npos);
}

TEST_F(machines, bind_every_worker_where_they_say_and_read_it_back) {
  for (const unsigned p : {1u, 2u, 5u}) {
    machine m({.processors = p,
               .workers = pleat::workers::bound,
               .wait = pleat::wait_policy::park});  // which binds the caller at once
    for (const std::size_t v : {1, 3, 20}) {
      std::vector<std::vector<unsigned>> seen(v);
      const pleat::run_report report = m.run(v, [&](vp& me) -> task<> {
        seen[me.rank()] = my_affinity();
        co_return;
      });
      const pleat::fold folding(v, report.processors);
      ASSERT_EQ(report.processors, std::min<std::size_t>(v, p));
      ASSERT_EQ(report.bindings.size(), report.processors);
      for (std::size_t i = 0; i < report.processors; ++i) {
        EXPECT_EQ(report.bindings[i].processor, i);
        EXPECT_EQ(report.bindings[i].pu, m.placement().processors[i].pu);
        EXPECT_TRUE(report.bindings[i].bound());
      }
      for (std::size_t rank = 0; rank < v; ++rank) {
        EXPECT_EQ(seen[rank],
                  std::vector<unsigned>{m.placement().processors[folding.owner(rank)].pu});
      }
    }
  }
}

TEST_F(machines, bind_the_caller_once_somebody_has_to_wait_for_it) {
  for (const auto policy :
       {pleat::wait_policy::automatic, pleat::wait_policy::spin, pleat::wait_policy::yield}) {
    const std::vector<unsigned> before = my_affinity();
    machine m({.processors = 2, .workers = pleat::workers::bound, .wait = policy});
    const std::vector<unsigned> its_processor{m.placement().processors[0].pu};
    const pleat::run_report report = m.run(2, [&](vp& me) -> task<> {
      // The other one waits for as long as this one is not bound.
      while (me.rank() == 0 && my_affinity() != its_processor) {
      }
      co_await me.sync(0);
    });
    EXPECT_TRUE(report.bindings[0].bound());
    EXPECT_EQ(my_affinity(), before);
  }
}

TEST_F(machines, bind_the_caller_once_it_has_to_wait) {
  machine m({.processors = 2, .workers = pleat::workers::bound});
  const std::vector<unsigned> its_processor{m.placement().processors[0].pu};
  const pid_t caller = ::gettid();
  m.run(2, [&](vp& me) -> task<> {
    while (me.rank() == 1 && pleat::detail::affinity::current(caller).pus() != its_processor) {
    }
    co_await me.sync(0);
    if (me.rank() == 0) {
      EXPECT_EQ(my_affinity(), its_processor) << "until the run ends";
    }
  });
  EXPECT_TRUE(works(m, 2));
}

TEST_F(machines, say_of_short_runs_where_they_were) {
  machine m({.processors = 2, .workers = pleat::workers::bound});
  for (int run = 0; run < 100; ++run) {
    const pleat::run_report report = m.run(2, [](vp& me) -> task<> { co_await me.sync(0); });
    ASSERT_EQ(report.bindings.size(), 2u);
    for (const pleat::binding& one : report.bindings) {
      EXPECT_EQ(one.pu, m.placement().processors[one.processor].pu);
      EXPECT_EQ(one.allowed.front(), one.pu);
    }
    EXPECT_TRUE(report.bindings[1].bound());
  }
}

TEST_F(machines, report_what_a_run_did) {
  machine m({.processors = 3});
  constexpr std::size_t v = 12;
  const pleat::run_report report = m.run(v, [](vp& me) -> task<> {
    const std::vector<double> values(10, 1.0);
    me.send(me.rank() ^ 1, std::span<const double>(values));
    me.send(me.rank() ^ 1, 1);
    co_await me.sync(3);
    me.lend(me.rank(), std::span<const double>(values));
    co_await me.sync(0);
    co_await me.sync(0);
  });
  EXPECT_EQ(report.vps, v);
  EXPECT_EQ(report.processors, 3u);
  EXPECT_EQ(report.supersteps, (std::vector<std::uint64_t>{2, 0, 0, 1}));
  EXPECT_EQ(report.messages, v * 3);
  EXPECT_EQ(report.bytes, v * (10 * sizeof(double) + sizeof(int))) << "lent memory is not copied";
  EXPECT_GT(report.seconds, 0.0);
}

TEST_F(machines, refuse_runs_without_or_with_too_many_virtual_processors) {
  machine m({.processors = 2});
  const auto nothing = [](vp&) -> task<> { co_return; };
  EXPECT_THROW(m.run(0, nothing), pleat::usage_error);
  EXPECT_THROW(m.run(std::size_t{1} << 32, nothing), pleat::usage_error);
  EXPECT_THROW(m.run(~std::size_t{0}, nothing), pleat::usage_error);
  EXPECT_TRUE(works(m, 5));
}

TEST_F(machines, refuse_runs_of_more_virtual_processors_than_there_is_memory_for) {
  constexpr std::size_t v = ~std::uint32_t{0};
  if (pleat::usable_memory() / 64 > v) GTEST_SKIP() << "there may be memory for them";
  machine m({.processors = 2});
  const std::string what =
      message_of<pleat::usage_error>([&] { m.run(v, [](vp&) -> task<> { co_return; }); });
  EXPECT_EQ(what.rfind("M(4294967295): the virtual processors of this process take ", 0), 0u);
  EXPECT_NE(what.find(" MiB of memory"), what.npos) << what;
  EXPECT_EQ(what.find('\n'), what.npos) << what;
  EXPECT_TRUE(works(m, 5));
}

TEST_F(machines, refuse_a_run_inside_a_run) {
  machine m({.processors = 2}), other({.processors = 1});
  for (machine* inner : {&m, &other}) {
    try {
      m.run(3, [&](vp& me) -> task<> {
        if (me.rank() == 1) inner->run(1, [](vp&) -> task<> { co_return; });
        co_await me.sync(0);
      });
      FAIL() << "a run inside a run";
    } catch (const pleat::vp_failed& e) {
      EXPECT_EQ(e.rank, 1u);
      EXPECT_THROW(e.rethrow_cause(), pleat::usage_error);
    }
    EXPECT_TRUE(works(m, 4));
    EXPECT_TRUE(works(*inner, 4));
  }
}

TEST_F(machines, are_made_used_and_ended_by_different_threads) {
  std::unique_ptr<machine> m;
  std::thread([&] { m = std::make_unique<machine>(machine_options{.processors = 3}); }).join();
  std::thread([&] { EXPECT_TRUE(works(*m, 10)); }).join();
  EXPECT_TRUE(works(*m, 10));
  std::thread([&] { m.reset(); }).join();
}

TEST_F(machines, keep_scratch_memory_between_runs) {
  machine m({.processors = 2});
  const std::span<std::byte> small = m.scratch(1000);
  ASSERT_EQ(small.size(), 1000u);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(small.data()) % 4096, 0u);
  small[999] = std::byte{7};
  EXPECT_TRUE(works(m, 9));
  const std::span<std::byte> again = m.scratch(500);
  EXPECT_EQ(again.data(), small.data());
  const std::span<std::byte> large = m.scratch(10'000'000);
  ASSERT_EQ(large.size(), 10'000'000u);
  large.back() = std::byte{1};
  EXPECT_EQ(m.scratch(1).data(), large.data()) << "the block never shrinks by itself";
  EXPECT_EQ(m.scratch(0).size(), 0u);
}

TEST_F(machines, run_again_after_they_gave_their_memory_back) {
  machine m({.processors = 3});
  for (int round = 0; round < 3; ++round) {
    for (const std::size_t v : {1, 7, 100}) EXPECT_TRUE(works(m, v));
    EXPECT_EQ(m.scratch(5000).size(), 5000u);
    m.release_memory();
    m.release_memory();
  }
}

TEST_F(machines, run_programs_that_are_functions_function_objects_and_lambdas) {
  machine m({.processors = 2});
  static std::atomic<int> called;
  called = 0;
  struct object {
    task<> operator()(vp&) const {
      ++called;
      co_return;
    }
  };
  task<> (*function)(vp&) = [](vp&) -> task<> {
    ++called;
    co_return;
  };
  m.run(3, function);
  m.run(3, object{});
  const object constant;
  m.run(3, constant);
  m.run(3, [](vp&) -> task<> {
    ++called;
    co_return;
  });
  EXPECT_EQ(called, 12);
}

TEST_F(machines, call_the_program_once_per_virtual_processor_on_its_worker) {
  machine m({.processors = 3});
  std::vector<std::thread::id> made(20), ran(20);
  const auto body = [&](vp& me) -> task<> {
    ran[me.rank()] = std::this_thread::get_id();
    co_return;
  };
  m.run(20, [&](vp& me) {
    made[me.rank()] = std::this_thread::get_id();
    return body(me);
  });
  EXPECT_EQ(made, ran);
  EXPECT_EQ(made[0], std::this_thread::get_id()) << "the caller is worker 0";
}

TEST_F(machines, refuse_to_take_a_message_as_what_it_is_not) {
  machine m({.processors = 1});
  long lent[2] = {};
  const auto expect_refused = [&](const char* words, const auto& take) {
    try {
      m.run(1, [&](vp& me) -> task<> {
        me.send(0, 7);
        me.lend(0, std::span<const long>(lent));
        co_await me.sync(0);
        const auto sent = me.receive();
        take(*sent, *me.receive());
      });
      ADD_FAILURE() << "taken: " << words;
    } catch (const pleat::vp_failed& failure) {
      EXPECT_NE(std::string(failure.what()).find(words), std::string::npos) << failure.what();
      EXPECT_THROW(failure.rethrow_cause(), pleat::usage_error);
    }
  };
  using pleat::message;
  expect_refused("one value of 8 bytes", [](const message& sent, auto) { (void)sent.get<long>(); });
  expect_refused("one value of 2 bytes",
                 [](const message& sent, auto) { (void)sent.get<short>(); });
  expect_refused("4 bytes that VP 0 has sent",
                 [](const message& sent, auto) { (void)sent.span<long>(); });
  expect_refused("a view of values", [](const message& sent, auto) { (void)sent.view<int>(); });
  expect_refused("one value", [](auto, const message& loan) { (void)loan.get<long>(); });
  expect_refused("a span of values", [](auto, const message& loan) { (void)loan.span<long>(); });
  expect_refused("a view of values of 4 bytes",
                 [](auto, const message& loan) { (void)loan.view<const int>(); });
  expect_refused("writable values", [](auto, const message& loan) { (void)loan.view<long>(); });
}

}  // namespace machine_test
