// SPDX-License-Identifier: Apache-2.0
// Random programs of collective operations, made of a seed, and what each must give: worked out
// from the inputs of all ranks by plain loops.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string_view>
#include <vector>

#include <pleat/collectives/collective_options.hpp>
#include <pleat/runtime/segment.hpp>

namespace model {

inline std::uint64_t mix(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

/// The operations, and their names, as users know them: those of the library are not asked, for
/// errors are to name what was called.
enum class op {
  broadcast,
  all_gather,
  all_gather_v,
  all_to_all,
  all_to_all_v,
  scatter,
  scatter_v,
  gather,
  gather_v,
  reduce,
  all_reduce,
  reduce_scatter,
  reduce_scatter_v,
  scan,
  exclusive_scan
};
inline constexpr std::size_t ops = 15;
inline const char* name_of(op o) {
  static const char* const names[] = {
      "broadcast",  "all_gather",     "all_gather_v",     "all_to_all", "all_to_all_v",
      "scatter",    "scatter_v",      "gather",           "gather_v",   "reduce",
      "all_reduce", "reduce_scatter", "reduce_scatter_v", "scan",       "exclusive_scan"};
  return names[static_cast<std::size_t>(o)];
}
inline bool names_an_operation(std::string_view words) {
  for (std::size_t o = 0; o < ops; ++o)
    if (words.find(name_of(static_cast<op>(o))) != words.npos) return true;
  return false;
}
inline bool has_counts(op o) {
  return o == op::all_gather_v || o == op::all_to_all_v || o == op::scatter_v ||
         o == op::gather_v || o == op::reduce_scatter_v;
}

/// Fault: what one rank does otherwise than the others.
enum class fault {
  none,
  other_root,
  other_count,
  other_op,
  left_out,
  wrapped_counts,
  absurd_blocks,
  shared_output
};

struct step {
  op what;
  std::uint64_t salt;             // of its data, roots, counts
  std::size_t n;                  // elements a rank; at most, if counts differ
  std::vector<std::size_t> cuts;  // where segments begin, but the first
  unsigned label;
  std::size_t blocks;
  unsigned radix, ports;
  int type;    // of the elements
  int before;  // 1: messages and a barrier, 2: channels, else nothing
};

struct script {
  std::size_t v;
  std::vector<step> steps;
  fault wrong = fault::none;
  std::size_t at = 0, victim = 0;  // the step, and the VP

  [[nodiscard]] pleat::segment segment_of(const step& s, std::size_t rank) const {
    std::size_t first = 0, last = v;
    for (const std::size_t cut : s.cuts) {
      if (cut <= rank) first = cut;
      if (cut > rank) {
        last = cut;
        break;
      }
    }
    return {first, last - first, s.label};
  }
};

/// A program of `v` VPs.
inline script random_script(std::uint64_t seed, std::size_t v, unsigned labels, fault wrong) {
  std::mt19937_64 random(seed);
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  script made{v, {}, wrong};
  const std::size_t length = 1 + below(v > 60 ? 2 : 6);
  for (std::size_t k = 0; k < length; ++k) {
    step s{};
    s.what = static_cast<op>(below(ops));
    s.salt = random();
    const std::size_t sizes[] = {0, 1, 2, 7, 60, 300, 1500};
    s.n = sizes[below(v > 60 ? 4 : 7)];
    if (below(2) == 0) {
      for (std::size_t cut = 1 + below(v); cut < v; cut += 1 + below(v)) s.cuts.push_back(cut);
    }
    s.label = static_cast<unsigned>(below(labels));
    if (below(4) == 0 && v <= 100) s.blocks = 1 + below(9);
    if (below(3) == 0) s.radix = static_cast<unsigned>(2 + below(4));
    s.ports = static_cast<unsigned>(1 + below(3));
    s.type = static_cast<int>(below(3));
    s.before = static_cast<int>(below(5));
    made.steps.push_back(std::move(s));
  }
  if (wrong == fault::none) return made;
  made.at = below(length);
  made.victim = below(v);
  step& s = made.steps[made.at];
  s.cuts.clear();
  s.n = std::max<std::size_t>(1, s.n);
  constexpr op rooted[] = {op::broadcast, op::scatter, op::gather, op::reduce};
  constexpr op counted[] = {op::all_gather_v, op::all_to_all_v, op::scatter_v, op::gather_v,
                            op::reduce_scatter_v};
  constexpr op for_all[] = {op::all_gather, op::all_to_all, op::all_reduce, op::scan};
  if (wrong == fault::wrapped_counts)
    s.what = counted[below(5)];
  else if (wrong == fault::other_root)
    s.what = rooted[below(4)];
  else if (wrong == fault::absurd_blocks)
    s.what = op::broadcast;
  else if (wrong == fault::shared_output)
    s.what = for_all[below(4)];
  else
    while (has_counts(s.what)) s.what = static_cast<op>(below(ops));
  return made;
}

}  // namespace model
