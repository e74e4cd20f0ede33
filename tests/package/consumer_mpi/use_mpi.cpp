// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <iostream>
#include <mpi.h>
#include <vector>

#include <pleat/mpi/over.hpp>
#include <pleat/runtime/machine.hpp>
#include <pleat/runtime/task.hpp>
#include <pleat/runtime/vp.hpp>

namespace {

pleat::task<> prefix(pleat::vp& me, long& x) {
  for (std::size_t d = 1; d < me.size(); d *= 2) {
    if (me.rank() + d < me.size()) me.send(me.rank() + d, x);
    co_await me.sync(0);
    if (auto m = me.receive()) x += m->get<long>();
  }
}

}  // namespace

int main(int argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  int status = 0;
  {
    pleat::machine machine(pleat::mpi::over(MPI_COMM_WORLD));
    std::vector<long> data(64, 1);
    machine.run(data.size(), [&](pleat::vp& me) { return prefix(me, data[me.rank()]); });
    const auto here = machine.vps_here(data.size());
    for (std::size_t i = here.first; i < here.last; ++i)
      if (data[i] != static_cast<long>(i) + 1) status = 1;
    if (machine.ranks() != 2) status = 1;
    if (machine.rank() == 0) std::cout << "over " << machine.ranks() << " ranks\n";
  }
  MPI_Finalize();
  return status;
}
