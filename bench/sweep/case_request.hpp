// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "measure/interleave.hpp"
#include "sweep_case.hpp"

namespace pleat::bench {

/// First word of the command line of a program that was started to measure one case of a sweep; the
/// second word is the request.
inline constexpr auto measure_case_word = "--measure-case";

/// Commands that a case is measured with, if it is of a command of somebody's own.
struct case_commands {
  std::vector<std::vector<std::string>> lines;  ///< the name of each, then its words
  std::vector<std::string> environment;         ///< NAME=VALUE
  std::string measure;  ///< elapsed, cpu, memory, or the pattern of a printed number
  double unit_seconds = 1;
  bool inverse = false;  ///< the number is a rate
};

/// Request of a sweep to the program it starts for a case. That program checks the result, warms
/// up, says that it is ready, and takes a round of samples for every line it reads, until its
/// standard input ends (sample_stream.hpp has the answers).
struct case_request {
  sweep_case at;
  double seconds = 0;               ///< that a sample lasts at least, unless it is one call
  bool count = false;               ///< whether to count the run's supersteps and messages
  std::uint64_t seed = 1;           ///< of the data and of the order of the candidates
  std::vector<std::string> rivals;  ///< of pleat-rivals only these; empty: all
  case_commands commands = {};      ///< none: of a program of the library

  /// Visits the fields, as fields_json.hpp wants it.
  static void each_field(auto& request, const auto& f) {
    sweep_case::each_field(request.at, f);
    f("seconds", request.seconds);
    f("count", request.count);
    f("seed", request.seed);
    f("rivals", request.rivals);
    f("commands", request.commands.lines);
    f("environment", request.commands.environment);
    f("measured", request.commands.measure);
    f("unit_seconds", request.commands.unit_seconds);
    f("inverse", request.commands.inverse);
  }
};

/// Converts a request to one word, and back. Throws: pleat::usage_error for what is no request.
[[nodiscard]] std::string request_text(const case_request& request);
[[nodiscard]] case_request request_from(const std::string& text);

/// Makes this process end with its parent, and be killed before others when memory runs out, so
/// that the sweep can continue.
void yield_to_the_sweep();

/// Calls `measure` and returns why the case cannot be measured, if it throws.
[[nodiscard]] std::optional<std::string> reason_of_failure(const std::function<void()>& measure);

/// Answers the request in the program that was started: carries it out with `measure` and returns
/// the exit code. What measure throws is answered as the reason why the case cannot be measured.
/// Throws: pleat::usage_error for what is no request.
int answer_request(const std::string& text, void (*measure)(const case_request&));

/// Round of samples: one of every candidate, by its name, in the order they were taken.
using sample_round = std::vector<std::pair<std::string, sample>>;

/// Settings for measuring a case, in the process that was started for it.
struct stream_settings {
  double seconds = 0;      ///< that a sample lasts at least; 0: it is one call
  std::uint64_t seed = 1;  ///< of the order in a round
  bool warm_up = true;     ///< else the run that verifies is enough
  bench::pace pace = {};
};

/// Verifies all candidates, warms up, prints `ready` as a line of JSON, and then a round of samples
/// for each line that can be read from standard input.
///
/// A program is warm when it is no longer faster by a twentieth than the time before: after at
/// least two samples of every candidate and at most ten, or after one that took a second.
///
/// Throws: what the candidates throw.
void stream_samples(std::span<const candidate> candidates, const stream_settings& settings,
                    const nlohmann::ordered_json& ready);

/// Prints an event (case_record.hpp) as a line.
void print_event(const nlohmann::ordered_json& event);

/// Reads the round that stream_samples printed as a line; empty for any other line. Throws:
/// pleat::error or nlohmann::json::exception for a round that makes no sense.
[[nodiscard]] std::optional<sample_round> round_from(const nlohmann::ordered_json& line);

/// The other side of run_sweep: measures Pleat on the case of a request, or counts what it costs in
/// the model, and answers on standard output (case_record.hpp has the events).
/// Returns: the exit code. Throws: pleat::usage_error for what is no request.
int measure_case(const std::string& request);

}  // namespace pleat::bench
