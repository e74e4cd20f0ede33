// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_reduce.h>
#include <tbb/parallel_scan.h>
#include <tbb/parallel_sort.h>
#include <tbb/task_arena.h>

#include "gallery_rivals.hpp"

namespace pleat::bench::onetbb {
namespace {

using range = tbb::blocked_range<std::size_t>;

auto in_arena(unsigned threads, const auto& work) {
  return tbb::task_arena(static_cast<int>(threads)).execute(work);
}

void each(std::size_t n, const auto& f) {
  tbb::parallel_for(range(0, n), [&f](const range& some) {
    for (std::size_t i = some.begin(); i != some.end(); ++i) f(i);
  });
}

}  // namespace

clusters<colours> k_means(unsigned threads, std::span<const pixel> pixels,
                          palette<colours>& centres, std::size_t rounds) {
  return in_arena(threads, [&] {
    clusters<colours> found;
    for (std::size_t round = 0; round < rounds; ++round) {
      found = tbb::parallel_reduce(
          range(0, pixels.size()), clusters<colours>(),
          [&](const range& some, clusters<colours> sum) {
            for (std::size_t i = some.begin(); i != some.end(); ++i)
              sum.add(pixels[i], nearest_centre(centres, pixels[i]));
            return sum;
          },
          std::plus<>());
      move_centres(centres, found);
    }
    return found;
  });
}

picture thumbnail(unsigned threads, const picture& in, std::size_t times) {
  return in_arena(threads, [&] {
    picture soft(in.width, in.height);
    const std::vector<float> weights = gauss_weights(0.5 * static_cast<double>(times));
    picture out((in.width + times - 1) / times, (in.height + times - 1) / times);
    each(in.height, [&](std::size_t y) { blur_row(in, weights, y, soft.bytes(y)); });
    each(out.height, [&](std::size_t y) { resize_row(soft, out, y); });
    return out;
  });
}

std::vector<std::uint32_t> sort_by_cell(unsigned threads, std::span<house> houses, map_size map) {
  return in_arena(threads, [&] {
    tbb::parallel_sort(houses.begin(), houses.end(),
                       [map](house a, house b) { return map.cell_of(a) < map.cell_of(b); });
    const std::size_t n = houses.size();
    std::vector<std::uint32_t> begins(std::size_t{map.cells} * map.cells + 1);
    each(n + 1, [&](std::size_t i) {
      const std::size_t first = i == 0 ? 0 : map.cell_of(houses[i - 1]) + std::size_t{1};
      const std::size_t last = i == n ? begins.size() - 1 : map.cell_of(houses[i]);
      for (std::size_t cell = first; cell <= last; ++cell)
        begins[cell] = static_cast<std::uint32_t>(i);
    });
    return begins;
  });
}

std::vector<joint> join_neighbours(unsigned threads, std::span<const house> houses,
                                   std::span<const std::uint32_t> begins, map_size map) {
  return in_arena(threads, [&] {
    std::vector<joint> joints(neighbours * houses.size());
    each(houses.size(), [&](std::size_t i) {
      join_house(houses, begins, map, static_cast<std::uint32_t>(i), &joints[neighbours * i]);
    });
    return joints;
  });
}

void sort_joints(unsigned threads, std::span<joint> joints) {
  in_arena(threads, [&] {
    tbb::parallel_sort(joints.begin(), joints.end(),
                       [](const joint& a, const joint& b) { return a.length < b.length; });
  });
}

std::vector<double> total_lengths(unsigned threads, std::span<const joint> joints) {
  return in_arena(threads, [&] {
    std::vector<double> totals(joints.size());
    tbb::parallel_scan(
        range(0, joints.size()), 0.0,
        [&](const range& some, double sum, bool last) {
          for (std::size_t i = some.begin(); i != some.end(); ++i) {
            sum += static_cast<double>(joints[i].length);
            if (last) totals[i] = sum;
          }
          return sum;
        },
        std::plus<>());
    return totals;
  });
}

std::vector<page_report> report_pages(unsigned threads, std::string_view text) {
  return in_arena(threads, [&] {
    const std::size_t pieces = (text.size() + piece_bytes - 1) / piece_bytes;
    std::vector<std::size_t> ends(pieces);
    each(pieces, [&](std::size_t piece) {
      for_lines_of_piece(text, piece, [&](std::size_t) { ++ends[piece]; });
    });
    for (std::size_t piece = 1; piece < pieces; ++piece) ends[piece] += ends[piece - 1];
    const request_list list(pieces == 0 ? 0 : ends.back());
    const std::span<request> requests = list.all();
    each(pieces, [&](std::size_t piece) {
      std::size_t next = piece == 0 ? 0 : ends[piece - 1];
      for_lines_of_piece(text, piece,
                         [&](std::size_t i) { requests[next++] = parse_line(text, i); });
    });
    tbb::parallel_sort(requests.begin(), requests.end(),
                       [](const request& a, const request& b) { return a.page < b.page; });
    std::vector<std::size_t> begins;
    for (std::size_t i = 0; i < requests.size(); ++i)
      if (i == 0 || requests[i].page != requests[i - 1].page) begins.push_back(i);
    std::vector<page_report> reports(begins.size());
    begins.push_back(requests.size());
    each(reports.size(), [&](std::size_t g) {
      reports[g] = report_of(text, requests.data() + begins[g], begins[g + 1] - begins[g]);
    });
    return reports;
  });
}

}  // namespace pleat::bench::onetbb
