// SPDX-License-Identifier: Apache-2.0
#include "sweep_axes.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <nlohmann/json.hpp>

#include <pleat/runtime/error.hpp>

#include "machine/environment.hpp"
#include "rank_launch.hpp"
#include "sort/sort_keys.hpp"
#include "tool/machine_arguments.hpp"
#include "tool/sweep_program.hpp"
#include "tool/words.hpp"

namespace pleat::bench {
namespace {

constexpr std::size_t most_cases = 100'000;

// The words of a list, without repetitions.
std::vector<std::string> words_of(const std::string& list, const char* option) {
  std::vector<std::string> words;
  for (auto& word : split(list)) {
    if (word.empty())
      throw usage_error(std::string(option) + ": '" + list +
                        "' has an empty place; separate by single commas");
    if (std::ranges::find(words, word) == words.end()) words.push_back(std::move(word));
  }
  return words;
}

// The words of an option that may be given several times; `usual` if it was not given.
std::vector<std::string> words_of(const std::vector<std::string>& lists, const char* option,
                                  const std::string& usual) {
  std::vector<std::string> words;
  for (const auto& list : lists) {
    for (auto& word : words_of(list, option))
      if (std::ranges::find(words, word) == words.end()) words.push_back(std::move(word));
  }
  if (words.empty()) words.push_back(usual);
  return words;
}

// Placement in canonical notation, with the number of processors it offers.
struct place_choice {
  std::string text;
  std::size_t most;
};

// Number of processors of a place; 1 if this machine does not have the place: the rows of its cases
// say that it is not there.
std::size_t processors_of(const placement_request& request, std::optional<unsigned> number) {
  try {
    return place(topology::host(), request, number).processors.size();
  } catch (const environment_error&) {
    return 1;
  }
}

std::vector<place_choice> chosen_places(const sweep_axes& axes) {
  auto texts = axes.places;
  const machine_arguments environment;  // what the PLEAT_* variables say
  if (texts.empty()) texts.push_back(place_notation(environment.options()));
  const auto threads = axes.hardware_threads.empty()
                           ? std::vector<std::string>{""}
                           : words_of(axes.hardware_threads, "--hardware-threads");
  std::vector<place_choice> choices;
  for (const auto& text : texts) {
    for (const auto& each : threads) {
      machine_options asked;
      set_place(asked, text);
      if (!each.empty() && each != "one" && each != "all")
        throw usage_error("--hardware-threads: '" + each +
                          "' is unknown; known: one (of each core), all");
      if (!each.empty() && asked.place->how == placement_request::policy::list)
        throw usage_error("--hardware-threads: " + text +
                          " names its hardware threads already; leave the option out");
      if (!each.empty()) asked.place->every_pu = each == "all";
      const auto canonical = place_notation(asked);
      if (std::ranges::find(choices, canonical, &place_choice::text) != choices.end()) continue;
      choices.push_back({canonical, processors_of(*asked.place, environment.number())});
    }
  }
  return choices;
}

// Memory policy of the PLEAT_* variables, else the usual one.
std::string usual_nodes() {
  memory_policy policy = detail::environment::memory().value_or(memory_policy{});
  policy.size = memory_policy{}.size;
  return to_string(policy);
}

std::string usual_pages() {
  const memory_policy policy{.size = detail::environment::memory().value_or(memory_policy{}).size};
  const auto text = to_string(policy);
  const auto slash = text.find('/');
  return slash == std::string::npos ? sweep_case{}.pages : text.substr(slash + 1);
}

std::string usual_wait() {
  constexpr std::array names{"auto", "spin", "yield", "park"};
  const auto chosen = detail::environment::wait().value_or(wait_policy::automatic);
  for (const auto* const name : names)
    if (parse_wait_policy(name) == chosen) return name;
  return sweep_case{}.wait;
}

std::vector<std::string> chosen_memory(const sweep_axes& axes) {
  auto words = words_of(axes.memory, "--memory", usual_nodes());
  for (const auto& word : words) {
    if (word.find('/') != std::string::npos)
      throw usage_error("--memory: write the page size of '" + word + "' with --pages");
  }
  // Accepts policies that this machine does not have if some other is possible: their cases fail
  // and say so. Otherwise every case would fail.
  std::optional<usage_error> refused;
  std::size_t possible = 0;
  for (const auto& word : words) {
    const memory_policy policy = parse_memory_policy(word);
    try {
      require_nodes(policy, topology::host());
      ++possible;
    } catch (const usage_error& why) {
      if (!refused) refused = why;
    }
  }
  if (possible == 0 && refused) throw usage_error(*refused);
  return words;
}

std::vector<std::string> chosen_pages(const sweep_axes& axes) {
  auto words = words_of(axes.pages, "--pages", usual_pages());
  for (const auto& word : words) static_cast<void>(parse_memory_policy("/" + word));
  return words;
}

std::vector<std::string> chosen_waits(const sweep_axes& axes) {
  auto words = words_of(axes.wait, "--wait", usual_wait());
  for (const auto& word : words) static_cast<void>(parse_wait_policy(word));
  return words;
}

// Types that the program is measured with.
std::string_view types_in(const sweep_program& program, const sweep_axes& axes) {
  return axes.ranks.empty() ? program.types : program.types_over_ranks;
}

// Types of `types` that the program knows, its usual one if none were chosen.
std::vector<std::string> types_of(const sweep_program& program, const sweep_axes& axes) {
  const auto known = names_in(types_in(program, axes));
  if (axes.types.empty()) return {known.front()};
  std::vector<std::string> types;
  for (auto& one : words_of(axes.types, "--type"))
    if (std::ranges::find(known, one) != known.end()) types.push_back(std::move(one));
  return types;
}

void check_types(const std::vector<std::string>& programs, const sweep_axes& axes) {
  if (axes.types.empty()) return;
  for (const auto& type : words_of(axes.types, "--type")) {
    if (std::ranges::none_of(programs, [&](const auto& name) {
          const auto known = names_in(types_in(find_sweep_program(name), axes));
          return std::ranges::find(known, type) != known.end();
        })) {
      const auto& first = find_sweep_program(programs.front());
      throw usage_error("--type: " + std::string(first.name) + " is not measured with '" + type +
                        "'; choose " + std::string(types_in(first, axes)));
    }
  }
  for (const auto& name : programs) {
    const auto& program = find_sweep_program(name);
    if (types_of(program, axes).empty())
      throw usage_error("--type: " + name + " is measured with none of " + axes.types +
                        "; choose " + std::string(types_in(program, axes)));
  }
}

// The size with `processors` times as many elements.
std::size_t grown(const sweep_program& program, std::size_t n, std::size_t processors) {
  if (program.batch != nullptr && program.batch(n) != 1)
    throw usage_error("--per-processor: " + std::string(program.name) + " of " + std::to_string(n) +
                      " elements is measured many at a time; give a larger size");
  if (processors == 1) return n;
  const double factor =
      std::pow(static_cast<double>(processors), 1.0 / static_cast<double>(program.dimensions));
  const double size = std::round(static_cast<double>(n) * factor);
  if (size >= static_cast<double>(std::numeric_limits<std::size_t>::max()))
    throw usage_error("--per-processor: too large on " + std::to_string(processors) +
                      " processors; use a smaller size");
  return static_cast<std::size_t>(size);
}

std::string sizes_of(const std::vector<named_sizes>& all, const sweep_program& program) {
  std::string sizes;
  for (const auto& one : all) {
    if (one.program == program.name) return one.sizes;
    if (one.program.empty()) sizes = one.sizes;
  }
  return sizes.empty() ? std::string(program.n) : sizes;
}

std::vector<std::string> chosen_programs(const sweep_axes& axes,
                                         const std::vector<named_sizes>& sizes) {
  std::vector<std::string> programs;
  if (!axes.programs.empty()) {
    programs = words_of(axes.programs, "--programs");
  } else {
    for (const auto& one : sizes)
      if (!one.program.empty()) programs.push_back(one.program);
  }
  if (programs.empty()) programs.emplace_back("sort");
  for (const auto& name : programs) static_cast<void>(find_sweep_program(name));
  for (const auto& one : sizes) {
    if (!one.program.empty() && std::ranges::find(programs, one.program) == programs.end())
      throw usage_error("sizes of " + one.program +
                        " are given, which is not swept; add it to --programs");
  }
  return programs;
}

void check_number(std::size_t cases) {
  if (cases > most_cases) throw usage_error("more than 100,000 cases; leave some of the axes out");
}

// Multiplies cases: each becomes one for each of the values.
template <class Values, class Set>
void cross(std::vector<sweep_case>& cases, const Values& values, const Set& set) {
  check_number(cases.size() * std::size(values));
  std::vector<sweep_case> all;
  for (const auto& one : cases) {
    for (const auto& value : values) {
      all.push_back(one);
      set(all.back(), value);
    }
  }
  cases = std::move(all);
}

}  // namespace

std::vector<named_sizes> parse_named_sizes(const std::string& text, const std::string& option) {
  std::vector<named_sizes> all;
  if (text.empty()) return all;
  for (const auto& word : split(text)) {
    const auto equals = word.find('=');
    if (equals != std::string::npos) {
      const auto name = word.substr(0, equals);
      if (name.empty())
        throw usage_error(option + ": '" + word + "' names no program; write sort=2^20");
      static_cast<void>(find_sweep_program(name));
      if (std::ranges::find(all, name, &named_sizes::program) != all.end())
        throw usage_error(option + ": sizes of " + name + " are given twice; join them by commas");
      all.push_back({name, word.substr(equals + 1)});
    } else if (all.empty()) {
      all.push_back({"", word});
    } else {
      all.back().sizes += "," + word;
    }
  }
  for (const auto& one : all) static_cast<void>(parse_counts(one.sizes, option));
  return all;
}

namespace {

// Cases of a command of somebody's own: sizes only if they are chosen.
std::vector<sweep_case> command_cases(const sweep_axes& axes) {
  for (const auto& [option, given] : {std::pair("--programs", !axes.programs.empty()),
                                      {"--type", !axes.types.empty()},
                                      {"--distribution", axes.distribution.has_value()},
                                      {"--wait", !axes.wait.empty()},
                                      {"--ranks", !axes.ranks.empty()},
                                      {"--mpi", !axes.mpi.empty()}}) {
    if (given)
      throw usage_error(std::string(option) +
                        " is of Pleat's programs, not of a command of your own; leave it out");
  }
  for (const auto& size : chosen_pages(axes)) {
    if (size == "hugetlb")
      throw usage_error("--pages: a command reserves hugetlb pages itself; choose thp, 4k");
  }
  const bool weak = !axes.per_processor.empty();
  const std::string& sizes = weak ? axes.per_processor : axes.n;
  std::vector<std::size_t> counts{0};
  if (!sizes.empty()) counts = parse_counts(sizes, weak ? "--per-processor" : "--n");
  std::vector<sweep_case> all;
  for (const auto& choice : chosen_places(axes)) {
    std::vector<sweep_case> some(1);
    axes.command.describe(some[0]);
    some[0].place = choice.text;
    cross(some, axes.command.settings(), [](sweep_case& at, const auto& x) { at.type = x; });
    cross(some, chosen_memory(axes), [](sweep_case& at, const auto& x) { at.memory = x; });
    cross(some, chosen_pages(axes), [](sweep_case& at, const auto& x) { at.pages = x; });
    cross(some, counts,
          [&](sweep_case& at, std::size_t x) { (weak ? at.per_processor : at.n) = x; });
    cross(
        some,
        parse_counts(axes.processors.empty() ? "1..max" : axes.processors, "--processors",
                     choice.most),
        [](sweep_case& at, std::size_t x) { at.processors = parse_processors(std::to_string(x)); });
    for (auto& at : some) {
      if (weak) at.n = at.per_processor * at.processors;
      static_cast<void>(axes.command.filled(at));  // refuses what cannot be filled in, now
    }
    all.insert(all.end(), some.begin(), some.end());
    check_number(all.size());
  }
  return all;
}

}  // namespace

std::vector<sweep_case> sweep_axes::cases() const {
  command.check();
  if (!n.empty() && !per_processor.empty())
    throw usage_error("--per-processor: the sizes are those of one processor; leave --n out");
  if (command.words) return command_cases(*this);
  const bool weak = !per_processor.empty();
  const char* const size_option = weak ? "--per-processor" : "--n";
  const auto sizes = parse_named_sizes(weak ? per_processor : n, size_option);
  const auto chosen = chosen_programs(*this, sizes);
  const auto keys = distribution.value_or("random");
  static_cast<void>(bench::distribution(keys));
  for (const auto& name : chosen) {
    if (distribution && !find_sweep_program(name).has_keys)
      throw usage_error("--distribution: " + name +
                        " has no keys; leave the option out, or sweep sort alone");
  }
  const std::optional<rank_axis> over = rank_axis_of(*this, chosen);
  check_types(chosen, *this);
  const auto where = chosen_places(*this);
  const auto memories = chosen_memory(*this), page_sizes = chosen_pages(*this),
             waits = chosen_waits(*this);

  std::vector<sweep_case> all;
  for (const auto& name : chosen) {
    const sweep_program& program = find_sweep_program(name);
    for (const auto& choice : where) {
      const auto counts = parse_counts(!processors.empty() ? processors
                                       : over              ? "1"
                                                           : "1..max",
                                       "--processors", choice.most);
      std::vector<sweep_case> some(1);
      some[0].program = name;
      some[0].distribution = keys;
      some[0].place = choice.text;
      cross(some, types_of(program, *this), [](sweep_case& at, const auto& x) { at.type = x; });
      cross(some, memories, [](sweep_case& at, const auto& x) { at.memory = x; });
      cross(some, page_sizes, [](sweep_case& at, const auto& x) { at.pages = x; });
      cross(some, waits, [](sweep_case& at, const auto& x) { at.wait = x; });
      cross(some, parse_counts(sizes_of(sizes, program), size_option),
            [&](sweep_case& at, std::size_t x) { (weak ? at.per_processor : at.n) = x; });
      cross(some, counts, [](sweep_case& at, std::size_t x) {
        at.processors = parse_processors(std::to_string(x));
      });
      if (over) {
        cross(some, over->counts, [&](sweep_case& at, unsigned x) {
          at.ranks = x;
          at.mpi = over->mpi;
          at.processors = parse_processors(std::to_string(std::size_t{at.processors} * x));
        });
      }
      for (auto& at : some) {
        if (weak) at.n = grown(program, at.per_processor, at.processors);
        if (program.batch != nullptr) at.batch = program.batch(at.n);
      }
      all.insert(all.end(), some.begin(), some.end());
      check_number(all.size());
    }
  }
  return all;
}

}  // namespace pleat::bench
