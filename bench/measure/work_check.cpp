// SPDX-License-Identifier: Apache-2.0
#include "work_check.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <string>

#include <pleat/runtime/error.hpp>

#include "collectives/collective.hpp"
#include "sort/sort_keys.hpp"
#include "tool/names.hpp"
#include "tool/readable.hpp"

namespace pleat::bench {
namespace {

constexpr std::size_t unbounded = std::numeric_limits<std::size_t>::max();

// What a work takes; lists are separated by ", ", and empty where there is nothing to choose.
struct takes {
  std::string_view work;
  std::size_t least, most;
  std::string_view types, rivals;
};

constexpr std::string_view keys = "u64, f64, u32, i32, f32, pairs, u64_pair, string";
constexpr std::string_view parts = "f64, f32";
constexpr std::string_view fftw = "fftw-measure, fftw-estimate";

constexpr std::array table{
    takes{"sync", 1, unbounded, "", "flags, libomp, libgomp, std-barrier"},
    takes{"channel", 1024, unbounded, "", "cached-ring"},
    takes{"vp", 1, unbounded, "", ""},
    takes{"messages", 2, unbounded, "", ""},
    takes{"lend", 8, unbounded, "", "memcpy"},
    takes{"collectives", 1, unbounded, "", "openmpi, mpich, memcpy"},
    takes{"trace", 2, unbounded, "", "untraced, untraced-strict"},
    takes{"report", 1, unbounded, "", "unreported"},
    takes{"schedule", 3, 4000000, "", "transcription, single-calls"},
    takes{"fft", 2, unbounded, parts, fftw},
    takes{"rfft", 2, unbounded, parts, fftw},
    takes{"fft2", 2, unbounded, parts, fftw},
    takes{"sort", 1, unbounded, keys, "ips4o, tbb, gnu-parallel, boost-sort, serial"},
    takes{"stable-sort", 1, unbounded, keys, "gnu-parallel, serial"},
    takes{"argsort", 1, std::size_t{1} << 32U, keys,
          "ips4o, tbb, gnu-parallel, boost-sort, serial"},
    takes{"matmul", 1, unbounded, parts, "openblas"},
    takes{"min-plus", 1, unbounded, "f64, f32, i32, i64", "openmp"},
    takes{"stencil1", 1, unbounded, parts, "openmp"},
    takes{"stencil2", 1, unbounded, parts, "openmp"},
    takes{"stencil3", 1, unbounded, parts, "openmp"},
};

std::vector<std::string> names_in(std::string_view list) {
  std::vector<std::string> names;
  while (!list.empty()) {
    names.emplace_back(list.substr(0, list.find(", ")));
    list.remove_prefix(std::min(list.size(), names.back().size() + 2));
  }
  return names;
}

bool holds(std::string_view list, const std::string& name) {
  const auto names = names_in(list);
  return std::ranges::find(names, name) != names.end();
}

const takes& what_takes(const work& one) {
  const auto* const known = std::ranges::find(table, one.name, &takes::work);
  if (known == table.end())
    throw error("the work " + std::string(one.name) + " does not say which options it takes");
  return *known;
}

[[noreturn]] void refuse(const char* option, std::string_view work, const std::string& why) {
  throw usage_error(std::string(option) + ": " + std::string(work) + " " + why);
}

void check_size(const takes& known, std::size_t n) {
  if (n < known.least) refuse("--n", known.work, "needs at least " + std::to_string(known.least));
  if (n > known.most) refuse("--n", known.work, "takes at most " + readable_count(known.most));
  if (known.work == "lend" && n % 8 != 0) refuse("--n", known.work, "needs a multiple of 8 bytes");
}

void check_operations(std::string_view work, const std::vector<std::string>& operations) {
  if (work != "collectives" && !operations.empty())
    refuse("--operations", work, "has none; leave the option out");
  for (const auto& name : operations) {
    if (!operation_named(name))
      throw usage_error("--operations: '" + name + "' is unknown; known: " +
                        names_of(all_operations(), [](operation what) { return name_of(what); }));
  }
}

}  // namespace

std::vector<std::string> rivals_of(const work& one) { return names_in(what_takes(one).rivals); }

void check_options(const work& checked, const work_options& options, bool distribution_given) {
  const takes& known = what_takes(checked);
  if (options.n) check_size(known, *options.n);
  if (!options.type.empty() && !holds(known.types, options.type))
    refuse("--type", checked.name,
           known.types.empty()
               ? "has no elements of a type; leave the option out"
               : "is not measured with '" + options.type + "'; choose " + std::string(known.types));
  if (distribution_given) {
    if (known.types != keys) refuse("--distribution", checked.name, "has no keys; leave it out");
    static_cast<void>(parse_distribution(options.distribution));
  }
  if (!options.rivals.empty() && known.rivals.empty())
    refuse("--rivals", checked.name, "is measured without rivals; leave the option out");
  if (!options.rivals.empty() && std::ranges::none_of(options.rivals, [&](const auto& rival) {
        return holds(known.rivals, rival);
      }))
    refuse("--rivals", checked.name, "has none of these; its own: " + std::string(known.rivals));
  check_operations(checked.name, options.operations);
}

}  // namespace pleat::bench
