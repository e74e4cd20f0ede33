// SPDX-License-Identifier: Apache-2.0
// pages_of PROCESS ADDRESS BYTES NODES   prints how many pages of another process are on each node,
// "0=12 1=0". An oracle: it knows nothing of Pleat.
#include <cstdio>
#include <cstdlib>
#include <sys/syscall.h>
#include <unistd.h>
#include <vector>

int main(int, char** arguments) {
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  const std::size_t first = std::strtoull(arguments[2], nullptr, 10);
  const std::size_t pages = std::strtoull(arguments[3], nullptr, 10) / page;
  std::vector<void*> addresses;
  for (std::size_t i = 0; i < pages; ++i)
    addresses.push_back(reinterpret_cast<void*>(first + i * page));
  std::vector<int> status(pages, -1);
  if (::syscall(SYS_move_pages, std::atoi(arguments[1]), pages, addresses.data(), nullptr,
                status.data(), 0) != 0) {
    std::perror("move_pages");
    return 1;
  }
  std::vector<std::size_t> on_node(std::strtoul(arguments[4], nullptr, 10));
  for (const int node : status)
    if (node >= 0 && static_cast<std::size_t>(node) < on_node.size()) ++on_node[node];
  for (std::size_t node = 0; node < on_node.size(); ++node)
    std::printf("%s%zu=%zu", node == 0 ? "" : " ", node, on_node[node]);
  std::printf("\n");
}
