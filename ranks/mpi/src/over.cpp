// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include <pleat/mpi/over.hpp>
#include <pleat/runtime/error.hpp>
#include <pleat/runtime/topology.hpp>

#include "base/process_defaults.hpp"
#include "check.hpp"
#include "communicator_state.hpp"
#include "processes/process_group.hpp"
#include "traffic.hpp"

namespace pleat::mpi {

namespace {

#ifdef MPICH_VERSION
constexpr const char* own_launcher = "MPICH's mpiexec (on Debian mpiexec.hydra)";
#else
constexpr const char* own_launcher = "Open MPI's mpirun (on Debian mpirun.openmpi)";
#endif

/// Refuses processes that the launcher of another MPI has started: each of them is alone and would
/// do the work of all. A process that another has started by MPI_Comm_spawn may be alone, and so
/// may the tasks of Slurm, whose variables say nothing of MPI.
void check_launcher() {
  int processes = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &processes);
  MPI_Comm parent = MPI_COMM_NULL;
  MPI_Comm_get_parent(&parent);
  if (processes != 1 || parent != MPI_COMM_NULL) return;
  for (const char* const name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"}) {
    const char* const said = std::getenv(name);
    if (said == nullptr || std::atol(said) <= 1) continue;
    throw usage_error(std::string("the launcher has started ") + said + " processes (" + name +
                      "), but each is alone, as under the launcher of another MPI: start them by " +
                      own_launcher + ", or unset the variable if this one is to be alone");
  }
}

void require_usable(MPI_Comm processes) {
  int initialized = 0, finalized = 0;
  MPI_Initialized(&initialized);
  MPI_Finalized(&finalized);
  if (initialized == 0 || finalized != 0) throw usage_error(while_mpi_lasts);
  int level = MPI_THREAD_SINGLE;
  MPI_Query_thread(&level);
  if (level == MPI_THREAD_SINGLE) {
    throw usage_error(
        "a machine over ranks has threads: initialise MPI with MPI_Init_thread and "
        "MPI_THREAD_FUNNELED");
  }
  if (processes == MPI_COMM_NULL)
    throw usage_error("MPI_COMM_NULL has no processes to make a machine of");
  int inter = 0;
  MPI_Comm_test_inter(processes, &inter);
  if (inter != 0) {
    throw usage_error(
        "a machine over ranks is made of one group of processes: merge the inter-communicator "
        "with MPI_Intercomm_merge");
  }
  check_launcher();
}

/// A link by messages of MPI: sends that do not wait, probes, and receives that do not wait either,
/// so that a large message whose sender computes keeps nobody.
class mpi_link : public detail::link {
 public:
  /// Takes what `of` has. Collective.
  explicit mpi_link(std::shared_ptr<communicator_state> of) : mpi_link(of, of->take()) {}
  /// Leaves, without waiting for the others: what is under way is settled when all ranks make the
  /// next link, or end MPI.
  ~mpi_link() override {
    if (!is_open()) {
      if (self() == 0) {
        std::fputs(
            "pleat: a machine over ranks was destroyed after MPI_Finalize: destroy it before, "
            "for instance at the end of a block around it\n",
            stderr);
      }
      static_cast<void>(traffic_.release());  // nobody can say what is under way
      return;
    }
    detail::process_group::part(*this);
    traffic_->cost = cost();
    traffic_->begin_to_leave();
    of_->give_back(std::move(traffic_));
  }

  void enter() override {
    if (!is_open()) throw usage_error(while_mpi_lasts);
    int level = MPI_THREAD_SINGLE, main = 0;
    MPI_Query_thread(&level);
    MPI_Is_thread_main(&main);
    if (level == MPI_THREAD_FUNNELED && main == 0) {
      throw usage_error(
          "a machine over ranks is used by the thread that has initialised MPI: call run there, or "
          "initialise MPI with MPI_THREAD_SERIALIZED");
    }
  }
  [[nodiscard]] bool is_open() const noexcept override {
    int finalized = 0;
    MPI_Finalized(&finalized);
    return finalized == 0;
  }
  using link::post;
  void post(std::size_t to, std::span<byte_buffer* const> parts,
            std::span<enclosure> beside) override {
    traffic_->post(to, parts, beside);
  }
  [[nodiscard]] std::optional<arrival> poll() override { return traffic_->poll(); }
  void take_back_loans() noexcept override { traffic_->take_back_loans(); }
  void recycle(arrival&& from) noexcept override { traffic_->recycle(std::move(from)); }

 private:
  mpi_link(std::shared_ptr<communicator_state> of, std::unique_ptr<traffic> what)
      : link(rank_in(what->processes()), size_of(what->processes())),
        of_(std::move(of)),
        traffic_(std::move(what)) {
    if (traffic_->cost) set_cost(*traffic_->cost);
  }

  std::shared_ptr<communicator_state> of_;
  std::unique_ptr<traffic> traffic_;
};

template <class Act> std::exception_ptr failure_of(const Act& act) {
  try {
    act();
  } catch (...) {
    return std::current_exception();
  }
  return nullptr;
}

}  // namespace

rank_options over(MPI_Comm processes, machine_options options) {
  require_usable(processes);
  const std::shared_ptr<communicator_state> common = communicator_state::of(processes);
  bool reads = true;
  int left = -1;
  const std::exception_ptr failed = failure_of([&] {
    reads = detail::defaults.reads_neighbours;
    if (!options.topology) options.topology = topology::host();
    left = common->left_for(*options.topology, reads);
  });
  const bool alike = agree(processes, failed, left);
  if (!alike || left == -1) common->renew(processes, *options.topology, reads);
  agree(processes, failure_of([&] {
          common->settle();
          common->here().divide_cores(options, common->overlaps());
        }));
  auto link = std::make_shared<mpi_link>(common);
  return {std::move(options), std::move(link)};
}

}  // namespace pleat::mpi
