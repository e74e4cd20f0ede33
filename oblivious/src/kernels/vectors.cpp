// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <pleat/runtime/detail/each_process.hpp>
#include <pleat/runtime/error.hpp>

#include "kernels/choice.hpp"
#include "vector_targets.hpp"

namespace pleat::detail::kernels {
namespace {

/// Targets before any was forced, the widest first: Highway prefers lower bits.
const std::vector<std::int64_t>& targets() {
  static constinit made_once<std::vector<std::int64_t>> all;
  return all.get([] {
    std::vector<std::int64_t> targets = hwy::SupportedAndGeneratedTargets();
    std::erase_if(targets, [](std::int64_t target) { return !(target & PLEAT_COMPILED_TARGETS); });
    return targets;
  });
}

std::string name_of(std::int64_t target) {
  if (target == HWY_STATIC_TARGET) return "baseline";
#if HWY_ARCH_X86
  if (target == HWY_AVX3) return "avx512";
#endif
  std::string name;
  for (const char* c = hwy::TargetName(target); *c != '\0'; ++c)
    name += static_cast<char>(std::tolower(static_cast<unsigned char>(*c)));
  return name;
}

/// Kernels that are compiled for other processors.
std::vector<std::string> missing_names() {
  std::vector<std::string> names;
  for (std::int64_t rest = PLEAT_COMPILED_TARGETS; rest != 0; rest &= rest - 1) {
    const std::int64_t target = rest & -rest;
    if (std::ranges::find(targets(), target) == targets().end()) names.push_back(name_of(target));
  }
  return names;
}

kernel_choice described(const names_of_work& names, const forced_kernels& forced) {
  const auto place = forced.kernel_of(names);
  kernel_choice all{names.work, {}, place.value_or(0), kernel_reason::known};
  if (names.kernels.size() == 1) all.why = kernel_reason::only_one;
  if (place) all.why = kernel_reason::forced;
  for (const std::string& name : names.kernels) all.candidates.push_back({name});
  return all;
}

}  // namespace

names_of_work vector_names() {
  names_of_work names{"vectors", {}};
  for (const std::int64_t target : targets()) names.kernels.push_back(name_of(target));
  return names;
}

void use_vectors(const forced_kernels& forced) {
  if (targets().empty())
    throw environment_error("this Pleat has kernels for " + missing_names().front() +
                            " only, which this processor does not have; build it with "
                            "-D PLEAT_TARGETS=all");
  const auto place = forced.kernel_of(vector_names());
  if (!place) return;
  hwy::DisableTargets(targets()[*place] - 1);  // the bits below it: those preferred to it
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

kernel_choice vectors_described(const forced_kernels& forced) {
  kernel_choice all = described(vector_names(), forced);
  all.missing = missing_names();
  return all;
}

namespace {

using stencils::instructions;

/// Sets of a program that is compiled as the library is; the widest first, as `vectors` has them.
std::vector<instructions> sets() {
  std::vector<instructions> all = stencils::all_instructions();
  std::ranges::reverse(all);
  return all;
}

std::string name_of(instructions set) {
  constexpr std::array names{"baseline", "avx2", "avx512"};
  return names[static_cast<std::size_t>(set)];
}

}  // namespace

names_of_work stencil_names() {
  names_of_work names{"stencil", {}};
  for (const instructions set : sets()) names.kernels.push_back(name_of(set));
  return names;
}

std::optional<instructions> forced_stencil(const forced_kernels& forced) {
  const auto place = forced.kernel_of(stencil_names());
  if (!place) return std::nullopt;
  return sets()[*place];
}

kernel_choice stencil_described(const forced_kernels& forced) {
  return described(stencil_names(), forced);
}

}  // namespace pleat::detail::kernels

namespace pleat::detail::stencils {

std::vector<instructions> host_instructions() {
  std::vector<instructions> all{instructions::baseline};
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) all.push_back(instructions::avx2);
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw"))
    all.push_back(instructions::avx512);
#endif
  return all;
}

instructions chosen_instructions(std::span<const instructions> compiled) {
  static constinit made_once<std::optional<instructions>> once;
  const auto& forced = once.get([] { return kernels::forced_stencil(kernels::apply_forced()); });
  if (!forced) return compiled.back();
  if (std::ranges::find(compiled, *forced) == compiled.end())
    throw usage_error("PLEAT_KERNELS: this stencil was compiled without " +
                      kernels::name_of(*forced) + ": compile it with g++, or force " +
                      kernels::name_of(compiled.back()));
  return *forced;
}

}  // namespace pleat::detail::stencils
