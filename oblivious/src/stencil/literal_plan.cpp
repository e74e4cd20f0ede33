// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>

#include <pleat/oblivious/detail/stencil/literal_plan.hpp>

namespace pleat::detail::diamonds {

template <std::size_t D>
literal_plan<D>::literal_plan(unsigned log_n, coordinate steps, std::size_t vps)
    : log_n_(log_n), points_each_((std::size_t{1} << D * log_n) / vps) {
  assert(std::has_single_bit(vps) && points_each_ >= 1);
  const auto root = static_cast<unsigned>(std::ceil(std::sqrt(static_cast<double>(log_n))));
  levels_.push_back({log_n, 0, vps, 1, 0});
  literal_level next{log_n, std::min(root, log_n), vps, 1, 0};
  while (true) {
    next.memory = memory_;
    memory_ += next.frames * frame_cells(next);
    levels_.push_back(next);
    if (next.vps == 1) break;
    next.frames <<= D * next.log_cuts;
    next.vps = std::max<std::size_t>(next.vps >> D * next.log_cuts, 1);
    next.log_width -= next.log_cuts;
    // Where w < k, every point is a tile: time step by time step.
    next.log_cuts = std::min(root, next.log_width);
  }
  for (std::size_t depth = 0; depth + 1 < levels_.size(); ++depth)
    for (unsigned kind = 0; kind < kinds; ++kind) {
      layouts_.push_back(make_layout(depth, kind));
      phases_.push_back(depth == 0 ? std::vector<sums<D>>{} : phases_of_kind(depth, kind));
    }
  make_stages(steps);
}

template <std::size_t D>
std::uint32_t literal_plan<D>::holder(std::size_t depth, unsigned kind, point<D> at) const {
  std::size_t rank = 0;
  std::size_t vps = levels_[depth].vps;
  for (; vps > 1; ++depth) {
    const literal_level& cut = levels_[depth];
    const unsigned log_part = cut.log_width - cut.log_cuts;
    std::size_t part = 0;
    for (std::size_t i = 0; i < D; ++i) {
      if (shifted(depth, kind, i))
        at[i] = (at[i] + (coordinate{1} << log_part) / 2) & (cut.width() - 1);
      part = part << cut.log_cuts | static_cast<std::size_t>(at[i] >> log_part);
      at[i] &= (coordinate{1} << log_part) - 1;
    }
    const unsigned log_parts = D * cut.log_cuts;
    rank += part * vps >> log_parts;
    vps = std::max<std::size_t>(vps >> log_parts, 1);
    if (vps == 1) break;
  }
  return static_cast<std::uint32_t>(rank);
}

template <std::size_t D>
literal_layout literal_plan<D>::make_layout(std::size_t depth, unsigned kind) const {
  const literal_level& of = levels_[depth];
  const std::size_t count = std::size_t{1} << D * of.log_width;
  literal_layout result{std::vector<std::uint32_t>(count), std::vector<std::uint32_t>(count)};
  std::vector<std::size_t> next(of.vps);
  for (std::size_t rank = 0; rank < of.vps; ++rank) next[rank] = rank * (count / of.vps);
  for (std::size_t i = 0; i < count; ++i) {
    point<D> at{};
    for (std::size_t j = D, rest = i; j-- > 0; rest >>= of.log_width)
      at[j] = static_cast<coordinate>(rest) & (of.width() - 1);
    result.holder[i] = holder(depth, kind, at);
    result.points[next[result.holder[i]]++] = static_cast<std::uint32_t>(i);
  }
  return result;
}

template <std::size_t D>
template <class F>
void literal_plan<D>::for_each_part(std::size_t depth, unsigned kind, const F& f) const {
  const literal_level& of = levels_[depth];
  const coordinate k = coordinate{1} << of.log_cuts;
  std::array<interval, D> bounds{};
  for (std::size_t i = 0; i < D; ++i) bounds[i] = sums_of_parts(kind >> i & 1, k);
  for_each_phase<D>(bounds, [&](const sums<D>& s) {
    interval when = times(s[0], of.width() / k);
    for (const coordinate one : s) when = when & times(one, of.width() / k);
    if (!when.empty()) f(s);
  });
}
template <std::size_t D>
std::vector<sums<D>> literal_plan<D>::phases_of_kind(std::size_t depth, unsigned kind) const {
  std::vector<sums<D>> result;
  for_each_part(depth, kind, [&](const sums<D>& s) { result.push_back(s); });
  return result;
}

template <std::size_t D> void literal_plan<D>::make_stages(coordinate steps) {
  const domain<D> in = all(steps);
  const coordinate n = side();
  for_each_phase<D>(sums_in(in, n), [&](const sums<D>& s) {
    for_each_tile(s, in, n, [&](const tile<D>& one) { stages_.push_back({one, {}}); });
  });
  if (levels_[1].vps == 1) return;
  const coordinate k = coordinate{1} << levels_[1].log_cuts;
  for (literal_stage<D>& stage : stages_) {
    const sums<D> own = sums_of(stage.whole);
    const coordinate base = k * *std::min_element(own.begin(), own.end());
    for_each_part(1, kind_of(own), [&](const sums<D>& s) {
      bool any = false;
      sums<D> at = s;
      for (coordinate& one : at) one += base;
      for_each_tile(at, in, n / k, [&](const tile<D>& part) {
        bool inside = true;
        for (std::size_t i = 0; i < D; ++i)
          inside = inside && whole_of(part.in[i], k) == stage.whole.in[i];
        any = any || inside;
      });
      if (any) stage.phases.push_back(s);
    });
    // What a phase computes goes home at the beginning of the next, or was at home in the last.
    const sums<D>& last = phases(1, kind_of(own)).back();
    bool at_home = kind_of(last) == kind_of(stage.phases.back());
    for (std::size_t i = 0; i < D; ++i)
      at_home = at_home && (last[i] - stage.phases.back()[i]) % 2 == 0;
    if (!at_home) stage.phases.push_back(last);
  }
}

template class literal_plan<1>;
template class literal_plan<2>;
template class literal_plan<3>;

}  // namespace pleat::detail::diamonds
