// SPDX-License-Identifier: Apache-2.0
#include "settings/settings.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <limits>
#include <sstream>

namespace pleat::preloaded {

namespace {

std::optional<operation> operation_named(std::string_view name) {
  const auto* const at = std::ranges::find(operation_names, name);
  if (at == operation_names.end()) return std::nullopt;
  return static_cast<operation>(at - operation_names.begin());
}

std::string all_names() {
  std::string names;
  for (const std::string_view name : operation_names)
    names.append(names.empty() ? "" : ", ").append(name);
  return names;
}

void complain(settings& into, const std::string& sentence) {
  if (into.complaint.empty()) into.complaint = sentence;
}

/// Reads a word such as blocks=8. Returns false if it is none, or a number out of bounds.
bool read_number(std::string_view word, settings& into) {
  struct known {
    std::string_view name;
    std::uint64_t least, most;
    std::uint64_t* number;
  };
  constexpr std::uint64_t no_limit = std::numeric_limits<std::uint64_t>::max();
  for (const known& one :
       {known{"blocks=", 1, no_limit, &into.blocks}, known{"radix=", 2, no_limit, &into.radix},
        known{"window=", 1, pipelining::most, &into.how.window}}) {
    if (!word.starts_with(one.name)) continue;
    const char* const last = word.data() + word.size();
    const auto [end, error] = std::from_chars(word.data() + one.name.size(), last, *one.number);
    return error == std::errc{} && end == last && *one.number >= one.least &&
           *one.number <= one.most;
  }
  return false;
}

/// Reads one word of PLEAT_MPI_COLLECTIVES. Returns false if it is none, or contradicts another.
bool read_word(std::string_view word, std::optional<settings::kind>& chosen, settings& into) {
  const auto chooses = [&](settings::kind what) { return chosen.value_or(what) == what; };
  if (word == "report") return into.report = true;
  if (word == "auto" || word == "off") {
    const auto what = word == "off" ? settings::kind::off : settings::kind::automatic;
    if (!chooses(what)) return false;
    chosen = what;
    return true;
  }
  const auto what = operation_named(word);
  if (word != "all" && !what) return read_number(word, into);
  if (!chooses(settings::kind::named)) return false;
  chosen = settings::kind::named;
  into.named |= what ? std::uint64_t{1} << index(*what) : (std::uint64_t{1} << operations) - 1;
  return true;
}

void read_collectives(std::string_view text, settings& into) {
  settings read;
  std::optional<settings::kind> chosen;
  for (std::size_t begin = 0; begin <= text.size() && !text.empty();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string_view word = text.substr(begin, end - begin);
    begin = end + 1;
    if (read_word(word, chosen, read)) continue;
    complain(into, "PLEAT_MPI_COLLECTIVES: '" + std::string(word) +
                       "' is none of auto, off, all, report, " + all_names() +
                       ", blocks=N, radix=N from 2, window=N to " +
                       std::to_string(pipelining::most) +
                       ", or contradicts a word before it; the variable is ignored");
    return;
  }
  into = read;
  into.what = chosen.value_or(settings::kind::automatic);
}

// 2^A-2^B: messages of at least 2^A and less than 2^(B + 1) bytes.
bool read_sizes(const std::string& word, std::uint64_t& sizes) {
  unsigned from = 0, to = 0;
  const char* const end = word.data() + word.size();
  if (!word.starts_with("2^")) return false;
  auto [dash, error] = std::from_chars(word.data() + 2, end, from);
  if (error != std::errc{} || !std::string_view(dash, end).starts_with("-2^")) return false;
  const auto [rest, error_too] = std::from_chars(dash + 3, end, to);
  if (error_too != std::errc{} || rest != end || from > to || to > 63) return false;
  for (unsigned k = from; k <= to; ++k) sizes |= std::uint64_t{1} << k;
  return true;
}

bool is_positive(double value) { return std::isfinite(value) && value > 0; }

bool read_row(const std::string& line, settings& into) {
  std::istringstream words(line);
  std::string what;
  words >> what;
  if (what == "cost") {
    rank_message_cost cost;
    words >> cost.start >> cost.per_byte >> cost.combining;
    if (!words || !is_positive(cost.start) || !is_positive(cost.per_byte) ||
        !is_positive(cost.combining))
      return false;
    into.cost = cost;
  } else {
    const auto named = operation_named(what);
    tuned row{named.value_or(operation::bcast), 0, 0, {}};
    if (!named || !(words >> row.ranks) || row.ranks < 2) return false;
    for (std::string word; words >> word;) {
      if (word == "window") {
        if (!(words >> row.how.window) || row.how.window > pipelining::most) return false;
      } else if (word == "blocks") {
        if (!(words >> row.how.blocks) || !is_positive(row.how.blocks)) return false;
      } else if (!read_sizes(word, row.sizes)) {
        return false;
      }
    }
    into.table.push_back(row);
    return true;
  }
  std::string more;
  return !(words >> more);
}

}  // namespace

bool read_table(std::string_view text, settings& into) {
  std::istringstream lines{std::string(text)};
  std::size_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (line.empty() || line.front() == '#') continue;
    if (!read_row(line, into)) {
      complain(into, "PLEAT_MPI_TABLE, line " + std::to_string(number) + ": '" + line +
                         "' is no row of a table that `mpi tune` wrote; the table is ignored");
      into.table.clear();
      into.cost.reset();
      return false;
    }
  }
  return true;
}

settings read_settings(const setting_values& of) {
  settings result;
  if (of.collectives != nullptr) read_collectives(of.collectives, result);
  if (of.table != nullptr && *of.table != '\0') {
    std::ifstream file(of.table);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    if (!file.is_open()) {
      complain(result, "PLEAT_MPI_TABLE: '" + std::string(of.table) +
                           "' cannot be read; the variable is ignored");
    } else {
      read_table(text, result);
    }
  }
  return result;
}

settings& process_settings() {
  static settings read =
      read_settings({std::getenv("PLEAT_MPI_COLLECTIVES"), std::getenv("PLEAT_MPI_TABLE")});
  return read;
}

bool settings::any_on(const std::vector<int>& nodes) const {
  return what != kind::off && !(only_measured(nodes) && table.empty());
}

bool settings::only_measured(const std::vector<int>& nodes) const {
  return what == kind::automatic &&
         std::ranges::all_of(nodes, [&](int node) { return node == nodes.front(); });
}

choice settings::for_nodes(const std::vector<int>& nodes) const {
  if (!any_on(nodes)) return {};
  choice result = for_ranks(nodes.size());
  for (std::size_t i = 0; only_measured(nodes) && i < operations; ++i) {
    const auto measured = [&](const tuned& row) {
      return index(row.what) == i && row.ranks == nodes.size();
    };
    if (std::ranges::none_of(table, measured)) result.sizes[i] = 0;
  }
  return result;
}

choice settings::for_ranks(std::size_t ranks) const {
  choice result;
  result.blocks = blocks;
  result.radix = radix;
  if (cost) result.cost = *cost;
  if (what == kind::off) return result;
  for (std::size_t i = 0; i < operations; ++i) {
    const auto one = static_cast<operation>(i);
    std::uint64_t& sizes = result.sizes[i];
    if (what == kind::named) {
      sizes = (named >> i & 1U) != 0 ? ~std::uint64_t{0} : 0;
    } else if (table.empty()) {
      sizes = sizes_by_cost(result.cost, one, ranks);
    } else {
      // The row whose number of ranks is the nearest by ratio.
      double nearest = std::numeric_limits<double>::infinity();
      for (const tuned& row : table) {
        const double away =
            std::abs(std::log2(static_cast<double>(row.ranks) / static_cast<double>(ranks)));
        if (row.what != one || away >= nearest) continue;
        nearest = away;
        sizes = row.sizes;
        result.pipelines[i] = row.how;
      }
    }
    if (how.window != 0) result.pipelines[i].window = how.window;
    result.pipelines[i].blocks *= how.blocks;
  }
  return result;
}

}  // namespace pleat::preloaded
