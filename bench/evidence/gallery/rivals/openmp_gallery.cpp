// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <omp.h>
#include <unordered_map>
#include <utility>
#include <vector>

#include "gallery_rivals.hpp"

namespace pleat::bench::openmp {

#pragma omp declare reduction(merge : clusters <colours> : omp_out = omp_out + omp_in)

clusters<colours> k_means(unsigned threads, std::span<const pixel> pixels,
                          palette<colours>& centres, std::size_t rounds) {
  clusters<colours> found;
  for (std::size_t round = 0; round < rounds; ++round) {
    found = {};
#pragma omp parallel for num_threads(threads) schedule(static) reduction(merge : found)
    for (std::size_t i = 0; i < pixels.size(); ++i)
      found.add(pixels[i], nearest_centre(centres, pixels[i]));
    move_centres(centres, found);
  }
  return found;
}

picture thumbnail(unsigned threads, const picture& in, std::size_t times) {
  picture soft(in.width, in.height);
  const std::vector<float> weights = gauss_weights(0.5 * static_cast<double>(times));
  picture out((in.width + times - 1) / times, (in.height + times - 1) / times);
#pragma omp parallel num_threads(threads)
  {
#pragma omp for schedule(static)
    for (std::size_t y = 0; y < in.height; ++y) blur_row(in, weights, y, soft.bytes(y));
#pragma omp for schedule(static)
    for (std::size_t y = 0; y < out.height; ++y) resize_row(soft, out, y);
  }
  return out;
}

std::vector<joint> join_neighbours(unsigned threads, std::span<const house> houses,
                                   std::span<const std::uint32_t> begins, map_size map) {
  std::vector<joint> joints(neighbours * houses.size());
  const auto n = static_cast<std::uint32_t>(houses.size());
#pragma omp parallel for num_threads(threads) schedule(dynamic, 1024)
  for (std::uint32_t i = 0; i < n; ++i) join_house(houses, begins, map, i, &joints[neighbours * i]);
  return joints;
}

std::vector<float> district_streets(unsigned threads, std::span<const house> houses,
                                    std::span<const joint> joints, map_size map) {
  const std::size_t n = std::size_t{map.districts} * map.districts;
  const float width = 1 / static_cast<float>(map.districts);
  std::vector<float> streets(n * n, no_path);
#pragma omp parallel num_threads(threads)
  {
    std::vector<joint> across;
#pragma omp for schedule(static) nowait
    for (std::size_t i = 0; i < joints.size(); ++i)
      if (map.district_of(houses[joints[i].from]) != map.district_of(houses[joints[i].to]))
        across.push_back(joints[i]);
#pragma omp critical
    for (const joint& one : across) {
      const std::size_t u = map.district_of(houses[one.from]), v = map.district_of(houses[one.to]);
      const float length = std::min(streets[u * n + v], width + one.length);
      streets[u * n + v] = streets[v * n + u] = length;
    }
  }
  for (std::size_t u = 0; u < n; ++u) streets[u * n + u] = 0;
  return streets;
}

std::vector<page_report> report_pages(unsigned threads, std::string_view text) {
  using table = std::unordered_map<std::uint64_t, std::vector<request>>;
  const std::size_t pieces = (text.size() + piece_bytes - 1) / piece_bytes;
  std::vector<table> tables(threads);
  std::vector<std::vector<request>*> pages;
  std::vector<page_report> reports;
#pragma omp parallel num_threads(threads)
  {
    table& mine = tables[static_cast<std::size_t>(omp_get_thread_num())];
#pragma omp for schedule(static)
    for (std::size_t piece = 0; piece < pieces; ++piece)
      for_lines_of_piece(text, piece, [&](std::size_t begin) {
        const request one = parse_line(text, begin);
        mine[one.page].push_back(one);
      });
#pragma omp single
    {
      for (std::size_t other = 1; other < tables.size(); ++other)
        for (auto& [page, requests] : tables[other]) {
          std::vector<request>& all = tables[0][page];
          all.insert(all.end(), requests.begin(), requests.end());
        }
      for (auto& [page, requests] : tables[0]) pages.push_back(&requests);
      reports.resize(pages.size());
    }
#pragma omp for schedule(dynamic, 8)
    for (std::size_t g = 0; g < pages.size(); ++g)
      reports[g] = report_of(text, pages[g]->data(), pages[g]->size());
  }
  return reports;
}

}  // namespace pleat::bench::openmp
