// SPDX-License-Identifier: Apache-2.0
//
// Sources of a topology: the host, a description, a file.
#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <mutex>
#include <new>
#include <optional>
#include <pthread.h>
#include <string>
#include <string_view>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <vector>

#include <hwloc.h>

#include <pleat/runtime/error.hpp>

#include "host/topology_snapshot.hpp"

static_assert(HWLOC_API_VERSION >= 0x00020500, "Pleat needs hwloc 2.5 or newer");

namespace pleat::detail {
namespace {

// Limit of comparisons. hwloc compares every object that it adds with the siblings of all its
// ancestors, a word for each 64 PUs: 8192 PUs side by side take 9 s, 16384 a minute, 64 nodes of 64
// cores of 2 PUs 0.3 s.
constexpr double most_comparisons = 2e9;
// Greatest index in a description: hwloc's bitmaps are as long as the largest index they hold.
constexpr unsigned long long largest_index = 65535;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Tells whether hwloc builds the described synthetic machine within a few seconds; hwloc itself
/// has no limit. Invalid descriptions are left for hwloc to reject. It parses as hwloc does: types
/// up to the colon, numbers as in C.
bool soon_built(const std::string& description) {
  double width = 1, siblings = 0, comparisons = 0;
  const auto add_level = [&](double arity) {
    width *= arity;
    siblings += arity;
    comparisons += width * siblings;
  };
  const auto skip_to = [](const char* at, char last) {
    while (*at != '\0' && *at != last) ++at;
    return at;
  };
  for (const char* at = description.c_str(); *at != '\0';) {
    if (is_digit(*at)) {
      char* end = nullptr;
      add_level(static_cast<double>(std::strtoull(at, &end, 0)));
      at = end;
      continue;
    }
    if (*at == '[') add_level(1);  // memory beside each object of the level
    if (*at == '[') at = skip_to(at, ']');
    if (*at == '(') at = skip_to(at, ')');
    if (std::isalpha(static_cast<unsigned char>(*at)) != 0) at = skip_to(at, ':');
    if (*at != '\0') ++at;
  }
  constexpr std::string_view list = "indexes=";
  for (auto at = description.find(list); at != std::string::npos; at = description.find(list, at)) {
    at += list.size();
    for (const char* one = description.c_str() + at; is_digit(*one);) {
      char* end = nullptr;
      if (std::strtoull(one, &end, 10) > largest_index) return false;
      one = end + (*end == ',' ? 1 : 0);
    }
  }
  return comparisons * (width / 64 + 1) <= most_comparisons;
}

/// Held while hwloc reads a topology. hwloc has locks of its own: a child that is forked while a
/// thread holds one could not use hwloc. Therefore a thread that forks waits until no thread reads.
constinit std::mutex reading;
[[maybe_unused]] const int registered =
    ::pthread_atfork([] { reading.lock(); }, [] { reading.unlock(); }, [] { reading.unlock(); });

/// Variables by which hwloc takes another machine for the host, or a part of the host for all of
/// it.
constexpr std::string_view descriptions[] = {
    "HWLOC_XMLFILE",    "HWLOC_SYNTHETIC",        "HWLOC_FSROOT",
    "HWLOC_CPUID_PATH", "HWLOC_THISSYSTEM",       "HWLOC_THISSYSTEM_ALLOWED_RESOURCES",
    "HWLOC_COMPONENTS", "HWLOC_DUMPED_HWDATA_DIR"};

bool describes(std::string_view variable) {
  return std::ranges::find(descriptions, variable.substr(0, variable.find('='))) !=
         std::end(descriptions);
}

/// Hides these variables from hwloc until destruction: threads run on the host, whatever lstopo is
/// told to show. Threads that read the environment meanwhile find all other variables, in memory
/// that is not freed. The environment is not replaced if it has no such variable, and not restored
/// if it was changed meanwhile.
class hidden_descriptions {
 public:
  hidden_descriptions() : all_(::environ) {
    auto& others = *new std::vector<char*>;
    bool some = false;
    for (char** each = all_; each != nullptr && *each != nullptr; ++each) {
      const bool hide = describes(*each);
      some = some || hide;
      if (!hide) others.push_back(*each);
    }
    others.push_back(nullptr);
    if (some)
      ::environ = others_ = others.data();
    else
      delete &others;
  }
  ~hidden_descriptions() {
    if (others_ != nullptr && ::environ == others_) ::environ = all_;
  }
  hidden_descriptions(const hidden_descriptions&) = delete;
  hidden_descriptions& operator=(const hidden_descriptions&) = delete;

 private:
  char** const all_;
  char** others_ = nullptr;
};

std::string last_problem() { return std::generic_category().message(errno); }

hwloc_handle make_handle() {
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0)
    throw environment_error("hwloc cannot start: " + last_problem());
  hwloc_handle handle(raw);
  // Reads the whole machine, so that restrictions can be reported. The calling thread is not moved
  // (hwloc's x86 back end would otherwise visit every PU in turn).
  hwloc_topology_set_flags(
      raw, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED | HWLOC_TOPOLOGY_FLAG_DONT_CHANGE_BINDING);
  return handle;
}

bitmap_handle bitmap_of(const affinity& pus) {
  bitmap_handle result(hwloc_bitmap_alloc());
  if (!result) throw std::bad_alloc();
  for (const unsigned pu : pus.pus())
    if (hwloc_bitmap_set(result.get(), pu) != 0) throw std::bad_alloc();
  return result;
}

}  // namespace

topology::snapshot read_host(const affinity& whose) {
  const std::scoped_lock alone(reading);
  topology::snapshot data;
  data.origin = "host";
  std::optional<hidden_descriptions> hidden(std::in_place);
  const hwloc_handle handle = make_handle();
  if (hwloc_topology_load(handle.get()) != 0)
    throw environment_error("hwloc cannot read this machine: " + last_problem());
  hidden.reset();
  data.bindable = true;
  const bitmap_handle allowed = bitmap_of(whose);
  fill_snapshot(data, handle.get(), allowed.get(),
                "the cpuset of this process (container, control group)");
  return data;
}

topology::snapshot read_synthetic(const std::string& description) {
  const std::scoped_lock alone(reading);
  topology::snapshot data;
  data.origin = "synthetic " + description;
  if (!soon_built(description))
    throw usage_error("synthetic topology \"" + description +
                      "\" is too large: hwloc would take minutes to build it; make it smaller, or "
                      "divide it further, as in \"numa:64 core:64 pu:2\"");
  const hidden_descriptions hidden;
  const auto load = [](const std::string& text) {
    hwloc_handle handle = make_handle();
    if (hwloc_topology_set_synthetic(handle.get(), text.c_str()) != 0 ||
        hwloc_topology_load(handle.get()) != 0)
      handle.reset();
    return handle;
  };
  hwloc_handle handle;
  if (description.find_first_not_of(" \t\n") != std::string::npos) {
    handle = load(description);
    if (!handle) handle = load(description + " pu:1");
  }
  if (!handle)
    throw usage_error("\"" + description +
                      "\" is no synthetic topology: write types and how many of each the one "
                      "before holds, outermost first, as in \"numa:2 l3:2 core:4 pu:2\"");
  fill_snapshot(data, handle.get(), nullptr, "the description");
  return data;
}

topology::snapshot read_xml(const std::filesystem::path& file) {
  const std::scoped_lock alone(reading);
  topology::snapshot data;
  data.origin = "xml " + file.string();
  if (!std::ifstream(file))
    throw environment_error("topology file " + file.string() +
                            " cannot be opened: " + last_problem());
  const hidden_descriptions hidden;
  const hwloc_handle handle = make_handle();
  if (hwloc_topology_set_xml(handle.get(), file.c_str()) != 0 ||
      hwloc_topology_load(handle.get()) != 0)
    throw environment_error("topology file " + file.string() +
                            " is no hwloc topology: write one with lstopo machine.xml");
  fill_snapshot(data, handle.get(), nullptr, "the file");
  return data;
}

std::string topology_library() {
  const unsigned version = hwloc_get_api_version();  // 0x00020800 for 2.8
  return "hwloc API " + std::to_string(version >> 16) + "." + std::to_string((version >> 8) & 0xff);
}

}  // namespace pleat::detail
