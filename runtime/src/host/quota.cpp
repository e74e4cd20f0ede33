// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string_view>
#include <unistd.h>
#include <vector>

#include <pleat/runtime/quota.hpp>

#include "base/names.hpp"

namespace pleat {
namespace {

namespace fs = std::filesystem;

enum class version { one, two };

// A control-group hierarchy that can hold a limit, and the place of this process in it.
struct hierarchy {
  version kind;
  fs::path mount_point;  // as the process sees it
  fs::path inside;  // path of the process's group below the mount point; empty: the mount point
};

struct membership {
  std::optional<std::string> v1_path, v2_path;
};

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> fields;
  while (true) {
    const std::size_t end = text.find(separator);
    fields.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return fields;
    text.remove_prefix(end + 1);
  }
}

bool lists(std::string_view comma_separated, std::string_view word) {
  const auto words = split(comma_separated, ',');
  return std::find(words.begin(), words.end(), word) != words.end();
}

std::optional<std::string> first_line(const fs::path& file) {
  std::ifstream in(file);
  std::string line;
  if (!std::getline(in, line)) return std::nullopt;
  return line;
}

// mountinfo writes blanks, tabs, newlines and backslashes in paths as \ooo.
std::string unescaped(std::string_view text) {
  const auto digit = [](char c) { return c >= '0' && c <= '7'; };
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 3 < text.size() && digit(text[i + 1]) && digit(text[i + 2]) &&
        digit(text[i + 3])) {
      out += static_cast<char>((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 +
                               (text[i + 3] - '0'));
      i += 3;
    } else {
      out += text[i];
    }
  }
  return out;
}

// Lines are "hierarchy-id:controllers:path"; version 2 is the one with id 0 and no controllers.
membership read_membership(const fs::path& root, std::string_view controller) {
  membership result;
  std::ifstream in(root / "proc/self/cgroup");
  for (std::string line; std::getline(in, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string_view controllers =
        std::string_view(line).substr(first + 1, second - first - 1);
    if (controllers.empty())
      result.v2_path = line.substr(second + 1);
    else if (lists(controllers, controller))
      result.v1_path = line.substr(second + 1);
  }
  return result;
}

// Returns the group's path below the mount point. A mount may show only a part of the hierarchy
// (its own root); a group outside that part is visible only as the mount point itself.
fs::path below_mount(std::string_view group, std::string_view mount_root) {
  if (mount_root != "/") {
    if (!group.starts_with(mount_root)) return {};
    group.remove_prefix(mount_root.size());
    if (!group.empty() && group.front() != '/') return {};
  }
  while (group.starts_with('/')) group.remove_prefix(1);
  fs::path inside(group);
  if (std::find(inside.begin(), inside.end(), fs::path("..")) != inside.end()) return {};
  return inside;
}

// Lines are "id parent major:minor root mount-point options [tags…] - type source super-options".
std::vector<hierarchy> read_hierarchies(const fs::path& root, std::string_view controller) {
  const membership mine = read_membership(root, controller);
  std::vector<hierarchy> found;
  std::ifstream in(root / "proc/self/mountinfo");
  for (std::string line; std::getline(in, line);) {
    const auto fields = split(line, ' ');
    const auto dash = std::find(fields.begin(), fields.end(), "-");
    if (dash - fields.begin() < 6 || fields.end() - dash < 4) continue;
    const std::string mount_root = unescaped(fields[3]), mount_point = unescaped(fields[4]);
    if (dash[1] == "cgroup2" && mine.v2_path)
      found.push_back({version::two, mount_point, below_mount(*mine.v2_path, mount_root)});
    else if (dash[1] == "cgroup" && mine.v1_path && lists(dash[3], controller))
      found.push_back({version::one, mount_point, below_mount(*mine.v1_path, mount_root)});
  }
  return found;
}

/// Calls look(kind, group) for each group that can limit this process, from its own upwards.
template <class Look>
void for_each_group(const fs::path& root, std::string_view controller, const Look& look) {
  for (const hierarchy& tree : read_hierarchies(root, controller)) {
    for (fs::path inside = tree.inside; !inside.empty(); inside = inside.parent_path())
      look(tree.kind, tree.mount_point / inside);
    look(tree.kind, tree.mount_point);
  }
}

std::optional<cpu_quota> quota_of_group(version kind, const fs::path& group, const fs::path& root) {
  const fs::path here = root / group.relative_path();
  std::optional<std::uint64_t> runtime, period;
  fs::path file;
  if (kind == version::two) {
    file = group / "cpu.max";  // "max 100000" or "150000 100000"
    const auto line = first_line(here / "cpu.max");
    if (!line) return std::nullopt;
    const auto fields = split(*line, ' ');
    runtime = detail::parse_number<std::uint64_t>(fields[0]);
    period = fields.size() > 1 ? detail::parse_number<std::uint64_t>(fields[1]) : std::nullopt;
  } else {
    file = group / "cpu.cfs_quota_us";  // -1: no limit
    const auto quota_line = first_line(here / "cpu.cfs_quota_us");
    const auto period_line = first_line(here / "cpu.cfs_period_us");
    if (!quota_line || !period_line) return std::nullopt;
    runtime = detail::parse_number<std::uint64_t>(*quota_line);
    period = detail::parse_number<std::uint64_t>(*period_line);
  }
  if (!runtime || !period || *period == 0) return std::nullopt;
  return cpu_quota{*runtime, *period, file.string()};
}

bool tighter(const cpu_quota& a, const cpu_quota& b) {
  const auto share = [](const cpu_quota& q) {
    return static_cast<double>(q.runtime_us) / static_cast<double>(q.period_us);
  };
  return share(a) < share(b);
}

}  // namespace

unsigned cpu_quota::processors() const noexcept {
  const std::uint64_t whole = runtime_us / std::max<std::uint64_t>(period_us, 1);
  return static_cast<unsigned>(
      std::clamp<std::uint64_t>(whole, 1, std::numeric_limits<unsigned>::max()));
}

std::optional<cpu_quota> read_cpu_quota(const std::string& root) {
  std::optional<cpu_quota> tightest;
  for_each_group(root, "cpu", [&](version kind, const fs::path& group) {
    const auto quota = quota_of_group(kind, group, root);
    if (quota && (!tightest || tighter(*quota, *tightest))) tightest = quota;
  });
  return tightest;
}

std::uint64_t usable_memory(const std::string& root) {
  constexpr std::uint64_t no_limit = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t most = no_limit, swap = 0;
  std::ifstream sizes(root + "/proc/meminfo"), own(root + "/proc/self/statm");
  std::uint64_t kilobytes = 0, mapped = 0, resident = 0;  // "MemAvailable:    8101096 kB"
  own >> mapped >> resident;
  for (std::string name, unit; sizes >> name >> kilobytes && std::getline(sizes, unit);) {
    if (name == "MemAvailable:")
      most = 1024 * kilobytes + resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
    if (name == "SwapFree:") swap = 1024 * kilobytes;
  }
  if (most != no_limit) most += swap;
  for_each_group(root, "memory", [&](version kind, const fs::path& group) {
    const char* const file = kind == version::two ? "memory.max" : "memory.limit_in_bytes";
    const auto limit = first_line(fs::path(root) / group.relative_path() / file);
    if (limit) most = std::min(most, detail::parse_number<std::uint64_t>(*limit).value_or(most));
  });
  return most;
}

}  // namespace pleat
