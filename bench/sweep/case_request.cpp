// SPDX-License-Identifier: Apache-2.0
#include "case_request.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <fstream>
#include <limits>
#include <random>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include <pleat/runtime/error.hpp>

#include "fields_json.hpp"
#include "measure/child_process.hpp"
#include "report/json_file.hpp"
#include "tool/tool.hpp"

namespace pleat::bench {

using json = nlohmann::ordered_json;

std::string request_text(const case_request& request) { return fields_json(request).dump(); }

case_request request_from(const std::string& text) {
  try {
    return fields_from<case_request>(json::parse(text));
  } catch (const json::exception&) {
    throw usage_error(std::string(measure_case_word) + " is what `pleat sweep` says to itself");
  }
}

void yield_to_the_sweep() {
  end_with_parent(SIGKILL);
  std::ofstream("/proc/self/oom_score_adj") << 1000;
}

std::optional<std::string> reason_of_failure(const std::function<void()>& measure) {
  const outcome end = outcome_of(measure);
  return end.exit_code == 0 ? std::nullopt : std::optional(end.why);
}

int answer_request(const std::string& text, void (*measure)(const case_request&)) {
  const auto request = request_from(text);
  yield_to_the_sweep();
  const auto reason = reason_of_failure([&] { measure(request); });
  if (!reason) return 0;
  print_event({{"failed", *reason}});
  return 1;
}

namespace {

constexpr std::size_t most_warm_ups = 10;
constexpr double long_sample = 1;  // seconds: what lasts that long is warm by itself
constexpr double still_faster = 0.95;

void warm_up(std::span<const candidate> candidates, const stream_settings& settings) {
  for (const auto& one : candidates) {
    double before = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < most_warm_ups; ++i) {
      const double seconds = sample_of(one, settings.pace, settings.seconds).seconds;
      if (seconds >= still_faster * before || seconds >= long_sample) break;
      before = seconds;
    }
  }
}

bool round_is_wanted() {
  char asked = 0;
  ssize_t count = 0;
  do {
    count = ::read(STDIN_FILENO, &asked, 1);
  } while (count < 0 && errno == EINTR);
  return count == 1;
}

}  // namespace

void print_event(const json& event) {
  const std::string text = json_text(event) + "\n";
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

void stream_samples(std::span<const candidate> candidates, const stream_settings& settings,
                    const json& ready) {
  for (const auto& one : candidates) {
    if (one.verify) one.verify();
  }
  if (settings.warm_up) warm_up(candidates, settings);
  print_event({{"ready", ready}});
  std::mt19937_64 random(settings.seed);
  std::vector<const candidate*> order;
  for (const auto& one : candidates) order.push_back(&one);
  while (round_is_wanted()) {
    std::ranges::shuffle(order, random);
    json round = json::array();
    for (const candidate* one : order) {
      const sample taken = sample_of(*one, settings.pace, settings.seconds);
      round.push_back({one->name, taken.seconds, taken.cpu_seconds, taken.iterations});
    }
    print_event({{"round", round}});
  }
}

std::optional<sample_round> round_from(const json& line) {
  if (!line.contains("round")) return {};
  sample_round round;
  for (const auto& one : line.at("round")) {
    const sample taken{one.at(1).get<double>(), one.at(2).get<double>(),
                       one.at(3).get<std::size_t>()};
    if (!(taken.seconds > 0) || !(taken.cpu_seconds >= 0) || taken.iterations == 0)
      throw error("a sample that no clock can have given");
    round.push_back({one.at(0).get<std::string>(), taken});
  }
  return round;
}

}  // namespace pleat::bench
