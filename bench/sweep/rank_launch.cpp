// SPDX-License-Identifier: Apache-2.0
#include "rank_launch.hpp"

#include <array>
#include <cstdlib>
#include <string_view>
#include <unistd.h>

#include <pleat/runtime/error.hpp>
#include <pleat/runtime/topology.hpp>

#include "tool/sweep_program.hpp"
#include "tool/words.hpp"

namespace pleat::bench {
namespace {

namespace fs = std::filesystem;

struct known_mpi {
  std::string_view name;
  std::array<std::string_view, 3> launchers;  // several MPIs call theirs mpirun
  std::string_view packages;                  // of Debian
};

constexpr std::array known{
    known_mpi{"openmpi", {"mpirun.openmpi", "mpiexec.openmpi", "mpirun"}, "openmpi-bin"},
    known_mpi{"mpich", {"mpiexec.hydra", "mpirun.mpich", "mpirun"}, "mpich"}};

std::optional<fs::path> in_path(std::string_view name) {
  const char* const variable = std::getenv("PATH");
  const std::string_view folders = variable == nullptr ? "" : variable;
  for (std::size_t start = 0; start <= folders.size();) {
    const std::size_t end = std::min(folders.find(':', start), folders.size());
    const fs::path file = fs::path(folders.substr(start, end - start)) / name;
    start = end + 1;
    if (file.is_absolute() && fs::is_regular_file(file) && ::access(file.c_str(), X_OK) == 0)
      return file;
  }
  return {};
}

rank_launcher found(const known_mpi& mpi) {
  rank_launcher result{
      std::string(mpi.name), {}, companion_program("pleat-" + std::string(mpi.name))};
  for (const std::string_view name : mpi.launchers) {
    if (auto file = in_path(name)) {
      result.launcher = *std::move(file);
      return result;
    }
  }
  throw environment_error("--ranks: no " + std::string(mpi.launchers.front()) +
                          " in PATH starts processes of " + result.name + "; install " +
                          std::string(mpi.packages));
}

}  // namespace

rank_launcher find_mpi(const std::string& name) {
  std::optional<std::string> missing;
  for (const known_mpi& mpi : known) {
    if (!name.empty() && name != mpi.name) continue;
    try {
      return found(mpi);
    } catch (const environment_error& why) {
      if (!missing) missing = why.what();
    }
  }
  if (!missing) throw usage_error("--mpi: '" + name + "' is unknown; known: openmpi, mpich");
  throw environment_error(*missing);
}

rank_launch launch_ranks(const rank_launcher& with, unsigned ranks, bool crowded,
                         const std::vector<std::string>& arguments) {
  rank_launch result{with.launcher, {}, {}};
  auto& words = result.arguments;
  if (with.name == "openmpi") {
    if (::geteuid() == 0) words.emplace_back("--allow-run-as-root");
    // Its own words about a rank that fails say less than ours.
    words.insert(words.end(), {"--quiet", "--oversubscribe", "--bind-to", "none"});
    if (crowded) words.insert(words.end(), {"--mca", "mpi_yield_when_idle", "1"});
  }
  words.insert(words.end(), {"-n", std::to_string(ranks), with.tool.string()});
  words.insert(words.end(), arguments.begin(), arguments.end());
  // Measured workers stay on their processors, as those of `pleat` do.
  result.environment = {{"PLEAT_PIN", "1"}};
  return result;
}

std::optional<rank_axis> rank_axis_of(const sweep_axes& axes,
                                      std::span<const std::string> programs) {
  if (axes.ranks.empty()) {
    if (!axes.mpi.empty())
      throw usage_error("--mpi: it is for ranks; say how many with --ranks 1,2,4");
    return {};
  }
  if (!axes.places.empty() || !axes.hardware_threads.empty())
    throw usage_error(
        "--ranks: ranks divide the cores of their node; leave --place and --hardware-threads out");
  for (const auto& name : programs) {
    if (find_sweep_program(name).types_over_ranks.empty())
      throw usage_error("--ranks: " + name + " is not measured over ranks; leave it out");
  }
  rank_axis result;
  for (const std::size_t count :
       parse_counts(axes.ranks, "--ranks", topology::host().available())) {
    if (count > most_ranks)
      throw usage_error("--ranks: " + std::to_string(count) + " are more than " +
                        std::to_string(most_ranks) + ", the most on one machine");
    result.counts.push_back(static_cast<unsigned>(count));
  }
  result.mpi = find_mpi(axes.mpi).name;
  return result;
}

}  // namespace pleat::bench
