// SPDX-License-Identifier: Apache-2.0
#include "sample_stream.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <ctime>
#include <limits>
#include <random>
#include <thread>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include <pleat/runtime/error.hpp>

#include "report/json_file.hpp"

namespace pleat::bench {
namespace {

using json = nlohmann::ordered_json;

constexpr std::size_t most_warm_ups = 10;
constexpr double long_sample = 1;  // seconds: what lasts that long is warm by itself
constexpr double still_faster = 0.95;

double processor_seconds() {
  std::timespec now{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

sample sample_of(const candidate& one, const stream_settings& settings) {
  std::this_thread::sleep_for(settings.pace.rest);
  if (settings.pace.repeat_below.count() > 0) {
    const double before = processor_seconds();
    const double seconds = one.sample();
    if (seconds >= std::chrono::duration<double>(settings.pace.repeat_below).count())
      return {seconds, processor_seconds() - before, 1};
  }
  const double before = processor_seconds();
  double total = 0;
  std::size_t count = 0;
  do {
    total += one.sample();
    ++count;
  } while (total < settings.seconds);
  const auto operations = static_cast<double>(count);
  return {total / operations, (processor_seconds() - before) / operations, count};
}

void warm_up(std::span<const candidate> candidates, const stream_settings& settings) {
  for (const auto& one : candidates) {
    double before = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < most_warm_ups; ++i) {
      const double seconds = sample_of(one, settings).seconds;
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
      const sample taken = sample_of(*one, settings);
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
