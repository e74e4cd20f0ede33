// SPDX-License-Identifier: Apache-2.0
#include "benchmark.hpp"

#include "evidence/rivals/rivals.hpp"
#include "sort/sort_keys.hpp"
#include "tool/printable.hpp"
#include "tool/words.hpp"

namespace pleat::bench {
namespace {

bool holds(std::string_view list, const std::string& name) {
  const auto names = names_in(list);
  return std::ranges::find(names, name) != names.end();
}

[[noreturn]] void refuse(const char* option, const benchmark& by, const std::string& why) {
  throw usage_error(std::string(option) + ": " + std::string(by.name) + " " + why);
}

void check_rivals(const benchmark& checked, const std::vector<std::string>& rivals) {
  if (rivals.empty()) return;
  if (checked.rivals.empty())
    refuse("--rivals", checked, "is measured without rivals; leave the option out");
  if (std::ranges::none_of(rivals, [&](const auto& rival) { return holds(checked.rivals, rival); }))
    refuse("--rivals", checked, "has none of these; its own: " + std::string(checked.rivals));
}

}  // namespace

const std::vector<benchmark>& all_benchmarks() {
#define PLEAT_CALLED(problem) problem##_benchmarks(),
  static const auto all = joined<benchmark>({PLEAT_COMPARE_PROBLEMS(PLEAT_CALLED)});
#undef PLEAT_CALLED
  return all;
}

void check_options(const benchmark& checked, const benchmark_options& options,
                   bool distribution_given) {
  if (options.n && *options.n < checked.least_n)
    refuse("--n", checked, "needs at least " + std::to_string(checked.least_n));
  if (options.n && *options.n > checked.most_n)
    refuse("--n", checked, "takes at most " + readable_count(checked.most_n));
  if (!options.type.empty() && !holds(checked.types, options.type))
    refuse("--type", checked,
           checked.types.empty() ? "has no elements of a type; leave the option out"
                                 : "is not measured with '" + options.type + "'; choose " +
                                       std::string(checked.types));
  if (!options.shape.empty() && !holds(checked.shapes, options.shape))
    refuse("--shape", checked,
           checked.shapes.empty() ? "has no shapes to choose from; leave the option out"
                                  : "is not measured with '" + options.shape + "'; choose " +
                                        std::string(checked.shapes));
  if (distribution_given) {
    if (!checked.has_keys) refuse("--distribution", checked, "has no keys; leave it out");
    static_cast<void>(distribution(options.distribution));
  }
  check_rivals(checked, options.rivals);
  if (!checked.has_operations && !options.operations.empty())
    refuse("--operations", checked, "has none; leave the option out");
  if (checked.check != nullptr) checked.check(options);
}

void testbed::require_dedicated(std::string_view benchmark) const {
  static_cast<void>(pair(benchmark));
  auto distinct = pus;
  std::ranges::sort(distinct);
  const auto repeated = std::ranges::unique(distinct);
  if (!repeated.empty())
    throw environment_error("compare " + std::string(benchmark) +
                            " needs a processor for each of the " + std::to_string(pus.size()) +
                            " workers; ask for at most " +
                            std::to_string(pus.size() - repeated.size()) + " with --processors");
}

std::vector<unsigned> testbed::pair(std::string_view benchmark) const {
  if (pus.size() < 2 || pus[0] == pus[1])
    throw environment_error("compare " + std::string(benchmark) +
                            " needs two processors; allow this process a second core, or choose " +
                            "two hardware threads with --place compact/pu");
  return {pus[0], pus[1]};
}

void comparison::add_rival(const benchmark_options& options, std::string_view rival,
                           const std::function<candidate()>& make, bool by_default) {
  const auto& known = rival_named(rival);
  if (!options.wants(rival, by_default && known.expected())) return;
  if (!known.linked) {
    missing.emplace_back(rival);
    return;
  }
  rivals.push_back(make());
  rivals.back().name = rival;
}

}  // namespace pleat::bench
