// SPDX-License-Identifier: Apache-2.0
#include "case_request.hpp"

#include <exception>
#include <fstream>
#include <new>
#include <stdexcept>

#include <pleat/runtime/error.hpp>

#include "fields_json.hpp"
#include "measure/child_process.hpp"
#include "sample_stream.hpp"

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
  try {
    measure();
    return {};
  } catch (const std::length_error&) {
    return "too large for any memory; use a smaller n";
  } catch (const std::bad_alloc&) {
    return "out of memory; use a smaller n or a machine with more memory";
  } catch (const std::exception& failure) {
    return failure.what();
  }
}

int answer_request(const std::string& text, void (*measure)(const case_request&)) {
  const auto request = request_from(text);
  yield_to_the_sweep();
  const auto reason = reason_of_failure([&] { measure(request); });
  if (!reason) return 0;
  print_event({{"failed", *reason}});
  return 1;
}

}  // namespace pleat::bench
