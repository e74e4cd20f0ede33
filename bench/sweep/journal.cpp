// SPDX-License-Identifier: Apache-2.0
#include "journal.hpp"

#include <cerrno>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <limits>
#include <string>
#include <sys/file.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

#include <pleat/runtime/error.hpp>

#include "report/json_file.hpp"

namespace pleat::bench {
namespace {

using json = nlohmann::ordered_json;

constexpr auto header_key = "pleat_sweep";
constexpr std::string_view beginning = "{\"pleat_sweep\":";

std::string text_of(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in)
    throw usage_error("cannot read " + file.string() + ": " +
                      std::generic_category().message(errno));
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

journal::found journal::look_at(const std::filesystem::path& file) {
  std::error_code failure;
  const auto status = std::filesystem::status(file, failure);
  if (!std::filesystem::exists(status)) return found::nothing;
  if (!std::filesystem::is_regular_file(status)) return found::other;
  std::ifstream in(file, std::ios::binary);
  std::string start(beginning.size(), '\0');
  in.read(start.data(), static_cast<std::streamsize>(start.size()));
  start.resize(static_cast<std::size_t>(in.gcount()));
  if (!beginning.starts_with(start)) return found::other;
  in.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  return in.eof() ? found::begun : found::whole;
}

journal journal::begin(const std::filesystem::path& file, const json& header) {
  journal made(file);
  made.open(true);
  const auto what = look_at(file);
  if (what == found::whole)
    throw usage_error(file.string() +
                      " is there already, of a sweep that did not end: go on with " + "--resume " +
                      file.string() + ", or remove it");
  if (what == found::other)
    throw usage_error(file.string() + " is there already and is no journal of a sweep; give the " +
                      "results another name, or remove it");
  made.cut_to(0);
  try {
    made.write({{header_key, header}});
  } catch (const error&) {
    made.remove();
    throw;
  }
  return made;
}

journal journal::go_on(const std::filesystem::path& file) {
  journal old(file);
  old.open(false);
  const auto text = text_of(file);
  old.contents_ = old.parsed(text);
  old.cut_to(text.rfind('\n') + 1);
  return old;
}

// Opens and locks the file that has the name now: whoever had it locked may have removed it.
void journal::open(bool make) {
  descriptor_ = file_descriptor(::open(
      file_.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC | O_NONBLOCK | (make ? O_CREAT : 0), 0666));
  if (descriptor_.get() < 0) fail("open", errno);
  struct stat ours {};
  struct stat named {};
  const bool locked = ::flock(descriptor_.get(), LOCK_EX | LOCK_NB) == 0;
  if (!locked || ::fstat(descriptor_.get(), &ours) != 0 || ::stat(file_.c_str(), &named) != 0 ||
      ours.st_ino != named.st_ino || ours.st_dev != named.st_dev)
    throw usage_error(file_.string() + " is being written by another sweep; wait for its end");
}

void journal::cut_to(std::size_t bytes) {
  if (::ftruncate(descriptor_.get(), static_cast<::off_t>(bytes)) != 0) fail("go on with", errno);
}

void journal::add(std::size_t index, const json& event) {
  json line{{"case", index}};
  line.update(event);
  write(line);
}

// A line is written by one call: it is there whole, or a part of it at the end of the file.
void journal::write(const json& line) {
  const std::string text = json_text(line) + "\n";
  std::string_view rest = text;
  while (!rest.empty()) {
    const auto count = ::write(descriptor_.get(), rest.data(), rest.size());
    if (count < 0 && errno != EINTR) fail("write", errno);
    if (count > 0) rest.remove_prefix(static_cast<std::size_t>(count));
  }
}

void journal::remove() {
  std::error_code ignored;  // it is of no use any more, and of no harm
  std::filesystem::remove(file_, ignored);
}

void journal::fail(const char* doing, int number) const {
  throw error(std::string("cannot ") + doing + " the journal " + file_.string() + ": " +
              std::generic_category().message(number));
}

journal_contents journal::parsed(std::string_view text) const {
  journal_contents contents;
  std::size_t number = 1;
  for (auto end = text.find('\n'); end != std::string_view::npos; end = text.find('\n')) {
    json line;
    try {
      line = json_from(text.substr(0, end), file_.string());
    } catch (const usage_error&) {  // it is no object then
    }
    if (!line.is_object() || line.contains(header_key) != (number == 1) ||
        (number > 1 && !line.value("case", json()).is_number_unsigned()))
      throw usage_error(file_.string() + " is no journal of a sweep, or was damaged: line " +
                        std::to_string(number) + " cannot be read");
    if (number == 1)
      contents.header = line.at(header_key);
    else
      contents.events.emplace_back(line.at("case").get<std::size_t>(), line);
    text.remove_prefix(end + 1);
    ++number;
  }
  if (number == 1)
    throw usage_error(file_.string() + " is no journal of a sweep; begin without --resume");
  return contents;
}

}  // namespace pleat::bench
