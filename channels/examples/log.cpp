// SPDX-License-Identifier: Apache-2.0
// A thread writes log lines of any length to another one, which prints them. Short lines travel in
// the ring's own cache lines, and the tag says how urgent a line is.
#include <cstdint>
#include <cstring>
#include <iostream>
#include <string>
#include <string_view>
#include <thread>

#include <pleat/channels/line_ring.hpp>

namespace {

enum level : std::uint32_t { note, warning, end };

void write(pleat::line_ring& log, level how, std::string_view line) {
  line = line.substr(0, log.most());
  while (!log.room()) std::this_thread::yield();
  log.push(how, 0, static_cast<std::uint32_t>(line.size()),
           [line](std::byte* to) { std::memcpy(to, line.data(), line.size()); });
}

}  // namespace

int main() {
  pleat::line_ring log;
  std::jthread worker([&log] {
    for (int step = 1; step <= 20; ++step) write(log, note, "step " + std::to_string(step));
    write(log, warning, "a longer line: " + std::string(300, '.'));
    write(log, end, "");
  });

  std::size_t notes = 0, warnings = 0, characters = 0;
  for (bool open = true; open;) {
    while (!log.ready()) std::this_thread::yield();
    const pleat::line_ring::message line = log.front();
    const std::string_view text(reinterpret_cast<const char*>(line.data), line.bytes);
    if (line.tag == note) ++notes;
    if (line.tag == warning) {
      ++warnings;
      std::cout << "warning: " << text.substr(0, 20) << "...\n";
    }
    open = line.tag != end;
    characters += text.size();
    log.pop();  // from here on the line may be written again
  }
  std::cout << notes << " notes, " << characters << " characters\n";
  return notes == 20 && warnings == 1 && characters == 9 * 6 + 11 * 7 + 315 ? 0 : 1;
}
