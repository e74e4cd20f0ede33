// SPDX-License-Identifier: Apache-2.0
#include <functional>
#include <iterator>
#include <memory>
#include <numeric>
#include <optional>
#include <pybind11/functional.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <string>
#include <unistd.h>
#include <utility>

#include <pleat/runtime/default_machine.hpp>
#include <pleat/runtime/detail/watch.hpp>
#include <pleat/runtime/error.hpp>
#include <pleat/runtime/memory_policy.hpp>
#include <pleat/runtime/placement.hpp>

#include "bindings.hpp"
#include "held_machine.hpp"

namespace pleat::python {

held_machine::held_machine(machine_options options)
    : options_(std::move(options)),
      machine_(std::make_shared<machine>(options_)),
      process_(::getpid()) {}

std::shared_ptr<machine> held_machine::use() {
  if (machine_ == nullptr)
    throw usage_error("this machine has been closed; make another one: pleat.machine()");
  if (const pid_t now = ::getpid(); now != process_) {
    machine_ = std::make_shared<machine>(options_);
    process_ = now;
  }
  return machine_;
}

void held_machine::close() noexcept {
  std::shared_ptr<machine> ended = std::move(machine_);  // machine_ changes under the lock alone
  if (ended == nullptr) return;
  const without_lock others;  // whoever runs on it may want the lock to end
  ended.reset();
}

namespace {

void carry_out(held_machine* on, const std::function<run_report(machine&)>& work, std::size_t runs,
               bool is_watched) {
  std::shared_ptr<machine> kept = on != nullptr ? on->use() : nullptr;
  run_report report;
  {
    const without_lock others;
    std::optional<detail::watch> looking;
    if (is_watched) {
      looking.emplace([&] {
        const with_lock lock;
        check_signals();
        const std::span<const std::uint64_t> of_labels = looking->supersteps;
        if (on != nullptr && on->progress)
          on->progress(std::reduce(of_labels.begin(), of_labels.end()));
      });
    }
    if (kept != nullptr) {
      report = work(*kept);
      kept.reset();
    } else {
      const default_machine turn;
      report = work(*turn);
    }
    if (looking) looking->rethrow();
  }
  if (on == nullptr || !report.costs) return;
  on->costs = std::move(report.costs);
  on->counted_runs += runs;
}

}  // namespace

void carry_out(held_machine* on, const std::function<run_report(machine&)>& work,
               std::size_t runs) {
  carry_out(on, work, runs, true);
}

void carry_out_whole(held_machine* on, const std::function<run_report(machine&)>& work) {
  carry_out(on, work, 1, on != nullptr && on->options().trace.has_value());
}

namespace {

namespace py = pybind11;

const char* const about_machine =
    R"(machine(processors=None, place=None, wait=None, memory=None, *, pages=None)

Worker threads, each at a processor, on which pleat's functions run: pleat.sort(a, machine=m).

processors: how many; by default PLEAT_NUM_PROCESSORS, else one for each core this process may use.
place: which: 'compact', 'spread', 'scatter', 'numa:1', 'p-cores', 'e-cores', 'list:0,2-5',
    'unpinned'; '/pu' appended, but to a list: every hardware thread. By default PLEAT_PLACE, else 'compact'.
wait: what a waiting worker does: 'auto', 'spin', 'yield', 'park'. By default PLEAT_WAIT.
memory: where the pages of scratch memory are: 'first-touch', 'local', 'interleave',
    'weighted-interleave', 'bind:N', 'dram', 'hbm', 'cxl', 'nvm', 'remote', 'master'; behind it
    '/4k', '/thp' or '/hugetlb', or apart from it as pages. By default PLEAT_MEMORY. Arrays are
    where NumPy has put them.
pages: '4k', 'thp' or 'hugetlb'.

Threads that call functions on one machine at the same time take turns. A forked child has a machine
of its own in place of its parent's, of the same options; a pickled machine becomes another one of
the same options. `with pleat.machine() as m:` ends its threads when the block is left, as close()
does.

Raises ValueError for arguments that make no sense, environment_error for what this machine does not
have.)";

// Makes a machine of arguments that pleat/_machines.py has checked.
std::unique_ptr<held_machine> make(const std::optional<std::string>& processors,
                                   const std::optional<std::string>& place,
                                   const std::optional<std::string>& wait,
                                   const std::optional<std::string>& memory) {
  machine_options options;
  if (processors) options.processors = parse_processors(*processors);
  if (memory) options.memory = parse_memory_policy(*memory);
  if (place) set_place(options, *place);
  if (wait) options.wait = parse_wait_policy(*wait);
  return std::make_unique<held_machine>(options);
}

std::unique_ptr<held_machine> make_counting() {
  machine_options options;
  options.trace = tracing{};
  return std::make_unique<held_machine>(options);
}

std::string_view name_of(wait_policy how) {
  constexpr std::string_view names[] = {"auto", "spin", "yield", "park"};
  static_assert(static_cast<int>(wait_policy::park) == 3);
  return names[static_cast<std::size_t>(how)];
}

// The arguments of an equal machine.
py::tuple arguments(const held_machine& held) {
  const machine_options& asked = held.options();
  const auto text = [](const auto& given, const auto& name) -> py::object {
    return given ? py::object(py::str(std::string(name(*given)))) : py::object(py::none());
  };
  return py::make_tuple(
      asked.processors, text(asked.place, [&](const auto&) { return place_notation(asked); }),
      text(asked.wait, name_of), text(asked.memory, [](const auto& m) { return to_string(m); }));
}

std::string text_of(const held_machine& held) {
  const py::tuple given = arguments(held);
  const char* const names[] = {"processors", "place", "wait", "memory"};
  std::string text;
  for (std::size_t i = 0; i < std::size(names); ++i)
    if (!given[i].is_none())
      text += (text.empty() ? "" : ", ") + std::string(names[i]) + "=" +
              std::string(py::repr(given[i]));
  return "pleat.machine(" + text + ")" + (held.closed() ? " closed" : "");
}

}  // namespace

void add_machine(py::module_& to) {
  py::class_<held_machine>(to, "machine", about_machine)
      .def(py::init(&make))
      .def_property_readonly(
          "processors", [](held_machine& held) { return held.use()->processors(); },
          "How many workers it has.")
      .def_property_readonly(
          "wait", [](held_machine& held) { return name_of(held.use()->waiting()); },
          "What a waiting worker does.")
      .def_property_readonly(
          "memory", [](held_machine& held) { return to_string(held.use()->memory()); },
          "Where the pages of its scratch memory are.")
      .def_property_readonly(
          "oversubscribed", [](held_machine& held) { return held.use()->oversubscribed(); },
          "Whether workers share a processor or a quota.")
      .def("_check", [](held_machine& held) { static_cast<void>(held.use()); })
      .def_property_readonly(
          "_counts", [](const held_machine& held) { return held.options().trace.has_value(); })
      .def("_tell", [](held_machine& held,
                       std::function<void(std::uint64_t)> f) { held.progress = std::move(f); })
      .def("close", &held_machine::close, "Ends its threads, when the calls under way have ended.")
      .def("__enter__", [](const py::object& self) { return self; })
      .def("__exit__", [](held_machine& held, const py::args&) { held.close(); })
      .def("__reduce__",
           [](const py::object& self) {
             return py::make_tuple(py::type::of(self), arguments(self.cast<held_machine&>()));
           })
      .def("__repr__", &text_of)
      .attr("__module__") = "pleat";
  to.def("counting_machine", &make_counting);
}

}  // namespace pleat::python
