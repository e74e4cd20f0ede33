// SPDX-License-Identifier: Apache-2.0
#include "outcome.hpp"

#include <cstdio>
#include <exception>
#include <new>
#include <stdexcept>

#include <pleat/runtime/error.hpp>

#include "printable.hpp"

namespace pleat::bench {
namespace {

constexpr int failed = 1;
constexpr int misused = 2;

}  // namespace

outcome outcome_of(const std::function<void()>& command) {
  try {
    command();
    return {};
  } catch (const finished& end) {
    return {end.exit_code, {}};
  } catch (const usage_error& failure) {
    return {misused, failure.what()};
  } catch (const no_such_place& failure) {
    return {misused, failure.what()};
  } catch (const std::length_error&) {  // more elements than any memory has
    return {failed, "too large for any memory; use a smaller n"};
  } catch (const std::bad_alloc&) {
    return {failed, "out of memory; use a smaller n or a machine with more memory"};
  } catch (const std::exception& failure) {
    return {failed, failure.what()};
  }
}

void complain(const outcome& end) {
  if (end.why.empty()) return;
  const std::string line = "pleat: " + printable(end.why) + "\n";
  std::fwrite(line.data(), 1, line.size(), stderr);
}

}  // namespace pleat::bench
