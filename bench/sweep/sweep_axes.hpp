// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sweep_case.hpp"
#include "swept_command.hpp"

namespace pleat::bench {

/// The axes of a sweep as they are written on the command line; what is empty was not given.
struct sweep_axes {
  std::string programs;                     ///< sort,fft
  std::string types;                        ///< u64,f64: of each program those it knows
  std::optional<std::string> distribution;  ///< of the keys
  std::string n;                            ///< 2^10,2^20 or sort=2^20..2^26,matmul=512..4096
  std::string per_processor;                ///< the same, of one processor: weak scaling
  std::string processors;                   ///< 1,2,4..max
  std::vector<std::string> places;
  std::vector<std::string> memory;  ///< first-touch,interleave,bind:1
  std::vector<std::string> pages;   ///< 4k,thp,hugetlb
  std::vector<std::string> wait;    ///< auto,spin
  std::string hardware_threads;     ///< one,all
  std::string ranks;                ///< 1,2,4: then `processors` are those of each
  std::string mpi;                  ///< openmpi; the first that is here

  swept_command command;  ///< instead of programs

  /// Makes all cases: the product of the axes, without repetitions, programs outermost.
  ///
  /// Sizes that name no program are those of all programs without sizes of their own. With
  /// `per_processor` N, p processors have the size with p times as many elements as N has: p·N
  /// numbers, matrices of N·√p rows. With `ranks`, each has one processor unless `processors` says
  /// otherwise, and p counts those of all ranks.
  ///
  /// Throws: pleat::usage_error naming the axis and what it takes; also where a type, a size or a
  /// distribution is of no program of the sweep, and for more than 100,000 cases;
  /// pleat::environment_error where there are ranks and nothing that starts them.
  [[nodiscard]] std::vector<sweep_case> cases() const;

  friend bool operator==(const sweep_axes&, const sweep_axes&) = default;

  /// Axes as fields_json.hpp has them; each under the name of its option.
  static void each_field(auto& axes, const auto& f) {
    f("programs", axes.programs);
    f("type", axes.types);
    f("distribution", axes.distribution);
    f("n", axes.n);
    f("per_processor", axes.per_processor);
    f("processors", axes.processors);
    f("place", axes.places);
    f("memory", axes.memory);
    f("pages", axes.pages);
    f("wait", axes.wait);
    f("hardware_threads", axes.hardware_threads);
    f("ranks", axes.ranks);
    f("mpi", axes.mpi);
    swept_command::each_field(axes.command, f);
  }
};

/// Sizes by program, from `2^10,2^12,sort=2^20..2^26,2^27,matmul=512`: what stands before the first
/// name is of every program that is not named. Throws: pleat::usage_error naming the option.
struct named_sizes {
  std::string program;  ///< empty: of all others
  std::string sizes;    ///< as parse_counts takes them
};
[[nodiscard]] std::vector<named_sizes> parse_named_sizes(const std::string& text,
                                                         const std::string& option);

}  // namespace pleat::bench
