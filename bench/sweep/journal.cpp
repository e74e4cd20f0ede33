// SPDX-License-Identifier: Apache-2.0
#include "journal.hpp"

#include <cerrno>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

#include <pleat/runtime/error.hpp>

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

journal::journal(std::filesystem::path file, const json& header) : file_(std::move(file)) {
  descriptor_ = ::open(file_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0666);
  if (descriptor_ < 0 && errno == EEXIST)
    throw usage_error(file_.string() +
                      " is there already, of a sweep that did not end: go on with --resume " +
                      file_.string() + ", or remove it");
  if (descriptor_ < 0) fail("begin", errno);
  write({{header_key, header}});
}

journal::journal(std::filesystem::path file) : file_(std::move(file)) {
  const auto text = text_of(file_);
  descriptor_ = ::open(file_.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  if (descriptor_ < 0) fail("go on with", errno);
  const auto whole = static_cast<::off_t>(text.rfind('\n') + 1);
  if (::ftruncate(descriptor_, whole) != 0) {
    const int number = errno;
    ::close(descriptor_);
    fail("go on with", number);
  }
}

journal::~journal() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void journal::add(std::size_t index, const json& event) {
  json line{{"case", index}};
  line.update(event);
  write(line);
}

// A line is written by one call: it is there whole, or a part of it at the end of the file.
void journal::write(const json& line) {
  const std::string text = line.dump() + "\n";
  std::string_view rest = text;
  while (!rest.empty()) {
    const auto count = ::write(descriptor_, rest.data(), rest.size());
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

journal_contents journal::read(const std::filesystem::path& file) {
  const std::string text = text_of(file);
  journal_contents contents;
  std::string_view rest = text;
  std::size_t number = 1;
  for (auto end = rest.find('\n'); end != std::string_view::npos; end = rest.find('\n')) {
    const json line = json::parse(rest.substr(0, end), nullptr, false);
    if (line.is_discarded() || !line.is_object() || line.contains(header_key) != (number == 1) ||
        (number > 1 && !line.value("case", json()).is_number_unsigned()))
      throw usage_error(file.string() + " is no journal of a sweep, or was damaged: line " +
                        std::to_string(number) + " cannot be read");
    if (number == 1)
      contents.header = line.at(header_key);
    else
      contents.events.emplace_back(line.at("case").get<std::size_t>(), line);
    rest.remove_prefix(end + 1);
    ++number;
  }
  if (number == 1)
    throw usage_error(file.string() + " is no journal of a sweep; begin without --resume");
  return contents;
}

bool journal::is_one(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::string start(beginning.size(), '\0');
  in.read(start.data(), static_cast<std::streamsize>(start.size()));
  return in && start == beginning;
}

}  // namespace pleat::bench
