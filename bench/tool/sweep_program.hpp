// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <pleat/runtime/machine.hpp>

namespace pleat::bench {

/// One point of a sweep.
struct sweep_case {
  std::string program;
  std::string type;
  std::string distribution;
  std::size_t n = 0;
  unsigned processors = 0;
  std::string place;

  /// The name of its benchmark: `sort/u64/random/n:1048576/processors:2/place:compact`.
  [[nodiscard]] std::string name() const;

  /// The same on one processor: what speed-up is relative to.
  [[nodiscard]] sweep_case on_one() const;
};

/// A program at one point of the sweep, with its data.
class prepared_program {
 public:
  prepared_program() = default;
  prepared_program(const prepared_program&) = delete;
  prepared_program& operator=(const prepared_program&) = delete;
  virtual ~prepared_program() = default;

  /// Fresh data, one run: the seconds of the run alone.
  virtual double sample() = 0;
  /// Checks what the last sample left. Throws: pleat::error if it is wrong.
  virtual void verify() = 0;

  /// What a run costs in the model, and the bytes of one of its elements: counted by a run on fresh
  /// data with as many virtual processors as the machine would take. None if that is a single one.
  struct model_costs {
    cost_trace trace;
    std::size_t element_bytes;
  };
  virtual std::optional<model_costs> costs() = 0;
};

/// A program of the library that a sweep can run.
struct sweep_program {
  std::string_view name;
  std::string_view summary;
  std::string_view type;  ///< of the elements, unless the user chooses
  std::string_view n;     ///< the sizes, likewise
  /// Throws: pleat::usage_error if there is no such type of elements.
  void (*check_type)(std::string_view type);
  /// What a run of size n does: sorted keys, multiplications.
  double (*operations)(std::size_t n);
  std::unique_ptr<prepared_program> (*prepare)(machine& on, const sweep_case& at);
};

/// Every program there is: the one place to add one.
[[nodiscard]] std::span<const sweep_program> sweep_programs();

/// Throws: pleat::usage_error naming those there are.
[[nodiscard]] const sweep_program& find_sweep_program(std::string_view name);

[[nodiscard]] std::unique_ptr<prepared_program> prepare_sort(machine& on, const sweep_case& at);
[[nodiscard]] std::unique_ptr<prepared_program> prepare_matmul(machine& on, const sweep_case& at);

}  // namespace pleat::bench
