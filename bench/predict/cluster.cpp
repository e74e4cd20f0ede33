// SPDX-License-Identifier: Apache-2.0
#include "cluster.hpp"

#include <array>
#include <cmath>
#include <string>

#include <pleat/runtime/error.hpp>

#include "tool/names.hpp"

namespace pleat::bench {
namespace {

constexpr std::array known{
    cluster{"infiniband",
            "HDR InfiniBand: 200 Gb/s a port (vendor's datum); assumed: 1.5 µs from program to "
            "program, 0.3 µs a message at either end, full bisection, 64 cores a node",
            1.5e-6, 0.3e-6, 25e9, 64},
    cluster{"ethernet",
            "25 Gb/s Ethernet (the line's rate) and TCP; assumed: 25 µs from program to program, "
            "3 µs a message at either end, full bisection, 32 cores a node",
            25e-6, 3e-6, 3.125e9, 32}};

}  // namespace

machine_model cluster::machine(unsigned levels) const {
  machine_model model{std::string(name), {}, {}};
  constexpr double message_bytes = 8;
  for (unsigned i = 0; i < levels; ++i) {
    const double others = std::ldexp(1.0, static_cast<int>(levels - i)) - 1;
    model.g.push_back(message_bytes / bytes_per_second);
    model.l.push_back(latency + 2 * others * overhead);
  }
  return model;
}

std::span<const cluster> clusters() { return known; }

const cluster& find_cluster(std::string_view name) {
  for (const cluster& one : known)
    if (one.name == name) return one;
  throw usage_error("--machine: '" + std::string(name) + "' is unknown; known: " +
                    names_of(known, [](const cluster& one) { return one.name; }) +
                    "; your own: --model FILE.json");
}

}  // namespace pleat::bench
