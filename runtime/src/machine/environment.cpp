// SPDX-License-Identifier: Apache-2.0
#include "machine/environment.hpp"

#include <charconv>
#include <cstddef>
#include <cstdlib>
#include <string>
#include <string_view>
#include <system_error>

#include <pleat/runtime/error.hpp>

namespace pleat {

wait_policy parse_wait_policy(std::string_view name) {
  if (name == "auto") return wait_policy::automatic;
  if (name == "spin") return wait_policy::spin;
  if (name == "yield") return wait_policy::yield;
  if (name == "park") return wait_policy::park;
  throw usage_error("unknown way to wait \"" + std::string(name) +
                    "\": choose auto, spin, yield or park");
}

namespace detail {

namespace {

template <class Parse>
auto read(const char* variable, Parse&& parse) -> std::optional<decltype(parse(""))> {
  const char* value = std::getenv(variable);
  if (value == nullptr || *value == '\0') return std::nullopt;
  try {
    return parse(value);
  } catch (const usage_error& e) {
    throw usage_error(std::string(variable) + ": " + e.what());
  }
}

bool parse_switch(std::string_view text) {
  if (text == "1" || text == "true" || text == "yes" || text == "on") return true;
  if (text == "0" || text == "false" || text == "no" || text == "off") return false;
  throw usage_error("\"" + std::string(text) + "\" is neither 1 nor 0");
}

/// Parses a number of bytes, such as "32M"; K, M and G stand for 2^10, 2^20 and 2^30.
std::size_t parse_bytes(std::string_view text) {
  std::size_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  const std::string_view unit(rest, static_cast<std::size_t>(end - rest));
  const int shift = unit.empty() ? 0 : unit == "K" ? 10 : unit == "M" ? 20 : unit == "G" ? 30 : -1;
  if (error != std::errc() || shift < 0 || number > (~std::size_t{0} >> shift)) {
    throw usage_error("\"" + std::string(text) +
                      "\" is no size: give bytes, or a number with K, M or G as in 32M");
  }
  return number << shift;
}

}  // namespace

namespace environment {

std::optional<unsigned> processors() {
  return read("PLEAT_NUM_PROCESSORS", [](const char* v) { return parse_processors(v); });
}
std::optional<machine_options> place() {
  return read("PLEAT_PLACE", [](const char* v) {
    machine_options said;
    set_place(said, v);
    return said;
  });
}
std::optional<wait_policy> wait() {
  return read("PLEAT_WAIT", [](const char* v) { return parse_wait_policy(v); });
}
std::optional<memory_policy> memory() {
  return read("PLEAT_MEMORY", [](const char* v) { return parse_memory_policy(v); });
}
std::optional<bool> thread_each() { return read("PLEAT_THREAD_EACH", parse_switch); }
bool pin() { return read("PLEAT_PIN", parse_switch).value_or(false); }
std::optional<std::size_t> stack() { return read("PLEAT_STACK", parse_bytes); }
bool claim_cores() { return read("PLEAT_CLAIM_CORES", parse_switch).value_or(true); }
std::optional<std::size_t> cache() { return read("PLEAT_CACHE", parse_bytes); }
bool read_processes() { return read("PLEAT_READ_PROCESSES", parse_switch).value_or(true); }
bool show_binding() { return read("PLEAT_SHOW_BINDING", parse_switch).value_or(false); }
bool show_overflow() { return read("PLEAT_SHOW_OVERFLOW", parse_switch).value_or(false); }

}  // namespace environment

}  // namespace detail

}  // namespace pleat
