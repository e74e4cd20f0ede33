// SPDX-License-Identifier: Apache-2.0
#include "tool.hpp"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <system_error>

#include "base/process_defaults.hpp"

namespace pleat::bench {

void print_data(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); }

int exit_code_of(const std::function<outcome()>& program) {
  // Measured workers stay on their processors, and on those that were asked for.
  ::setenv("PLEAT_PIN", "1", 0);
  pleat::detail::defaults.claim_cores = false;
  const outcome end = program();
  complain(end);
  errno = 0;
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return end.exit_code;
  const int number = errno == 0 ? EIO : errno;
  complain({1, "cannot write the results: " + std::generic_category().message(number)});
  return 1;
}

}  // namespace pleat::bench
