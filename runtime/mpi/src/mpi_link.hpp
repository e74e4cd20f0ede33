// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mpi.h>
#include <optional>
#include <span>

#include "communicator_state.hpp"
#include "processes/link.hpp"
#include "traffic.hpp"

namespace pleat::mpi {

/// A link by messages of MPI: sends that do not wait, probes, and receives that do not wait either,
/// so that a large message whose sender computes keeps nobody.
class mpi_link : public detail::link {
 public:
  /// Takes what `of` has. Collective.
  explicit mpi_link(std::shared_ptr<communicator_state> of);
  /// Leaves, without waiting for the others: what is under way is settled when all ranks make the
  /// next link, or end MPI.
  ~mpi_link() override;

  void enter() override;
  [[nodiscard]] bool is_open() const noexcept override;
  using link::post;
  void post(std::size_t to, std::span<detail::byte_buffer* const> parts,
            std::span<enclosure> beside) override;
  [[nodiscard]] std::optional<arrival> poll() override;
  void take_back_loans() noexcept override;
  void recycle(arrival&& from) noexcept override;

 private:
  mpi_link(std::shared_ptr<communicator_state> of, std::unique_ptr<traffic> what);

  std::shared_ptr<communicator_state> of_;
  std::unique_ptr<traffic> traffic_;
};

}  // namespace pleat::mpi
