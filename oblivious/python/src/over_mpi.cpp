// SPDX-License-Identifier: Apache-2.0
// The extension of pleat.distributed: machines over the ranks of one MPI, and programs on data that
// lie in their blocks. Readers and writers are functions of Python, which have the interpreter's
// lock while they run.
#include <cstddef>
#include <memory>
#include <mpi.h>
#include <optional>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <span>
#include <string>
#include <utility>

#include <pleat/mpi/over.hpp>
#include <pleat/runtime/error.hpp>
#include <pleat/runtime/memory_policy.hpp>
#include <pleat/runtime/placement.hpp>
#include <pleat/runtime/workers.hpp>

#include "arrays/distributed_numbers.hpp"
#include "numpy_array.hpp"

namespace pleat::python {
namespace {

namespace py = pybind11;
using text = std::optional<std::string>;

class ranked_machine {
 public:
  ranked_machine(int communicator, const text& processors, const text& place, const text& wait,
                 const text& memory) {
    machine_options options;
    if (processors) options.processors = parse_processors(*processors);
    if (memory) options.memory = parse_memory_policy(*memory);
    if (place) set_place(options, *place);
    if (wait) options.wait = parse_wait_policy(*wait);
    machine_ = std::make_unique<machine>(
        mpi::over(MPI_Comm_f2c(static_cast<MPI_Fint>(communicator)), std::move(options)));
  }
  [[nodiscard]] machine& use() {
    if (machine_ == nullptr) throw usage_error("pleat: the machine is closed; make another one");
    return *machine_;
  }
  void close() { machine_ = nullptr; }

 private:
  std::unique_ptr<machine> machine_;
};

/// Numbers in memory of a program's, as an array of Python's for the time of a call.
py::array seen(std::byte* data, std::size_t bytes, const py::dtype& type) {
  const auto size = static_cast<std::size_t>(type.itemsize());
  static char none;  // an array with an owner is no copy
  const py::capsule nobody(&none, [](void*) {});
  return {type, {static_cast<py::ssize_t>(bytes / size)}, data, nobody};
}

arrays::block_reader reader(const py::function& read, const py::dtype& type) {
  return [&](std::span<std::byte> block, std::size_t first) {
    const py::gil_scoped_acquire lock;
    read(seen(block.data(), block.size(), type), first);
  };
}
arrays::block_writer writer(const py::function& write, const py::dtype& type) {
  return [&](std::span<const std::byte> block, std::size_t first) {
    const py::gil_scoped_acquire lock;
    write(seen(const_cast<std::byte*>(block.data()), block.size(), type), first);
  };
}
arrays::rectangle_reader rectangles(const py::function& move, const py::dtype& type) {
  return [&](std::span<std::byte> numbers, const interval<>& rows, const interval<>& columns) {
    const py::gil_scoped_acquire lock;
    move(seen(numbers.data(), numbers.size(), type), rows.first, rows.last, columns.first,
         columns.last);
  };
}

void sort(ranked_machine& on, const py::dtype& type, std::size_t n, const py::function& read,
          const py::function& write) {
  const auto of = number_type_of(type);
  const py::gil_scoped_release free;
  arrays::sort_distributed_numbers(on.use(), of, n, reader(read, type), writer(write, type));
}

void argsort(ranked_machine& on, const py::dtype& type, std::size_t n, const py::function& read,
             const py::dtype& index, const py::function& write) {
  const auto of = number_type_of(type);
  const py::gil_scoped_release free;
  arrays::argsort_distributed_numbers(on.use(), of, n, reader(read, type), writer(write, index));
}

void transform(ranked_machine& on, bool inverse, const py::dtype& type, std::size_t n,
               const py::function& read, const py::function& write) {
  const auto of = number_type_of(type);
  const auto kind = inverse ? arrays::fft_kind::ifft : arrays::fft_kind::fft;
  if (!arrays::transforms(kind, of)) throw py::type_error("pleat: no transforms of these numbers");
  const py::gil_scoped_release free;
  arrays::transform_distributed_numbers(on.use(), kind, of, {n}, reader(read, type),
                                        writer(write, type));
}

void multiply(ranked_machine& on, const py::dtype& type, std::size_t m, std::size_t k,
              std::size_t n, const py::function& read_a, const py::function& read_b,
              const py::function& write) {
  const auto of = number_type_of(type);
  if (!arrays::has_products(arrays::semiring_kind::plus_times, of))
    throw py::type_error("pleat: no products of these numbers");
  const py::gil_scoped_release free;
  arrays::multiply_distributed_numbers(on.use(), arrays::semiring_kind::plus_times, of, m, k, n,
                                       rectangles(read_a, type), rectangles(read_b, type),
                                       rectangles(write, type));
}

void step(ranked_machine& on, const std::string& kernel, std::size_t steps, const py::dtype& type,
          const std::vector<std::size_t>& shape, const py::function& read,
          const py::function& write) {
  const auto of = number_type_of(type);
  const auto at = std::ranges::find(arrays::stencil_kernel_names, kernel);
  const auto which = static_cast<arrays::stencil_kernel>(at - arrays::stencil_kernel_names.begin());
  if (at == arrays::stencil_kernel_names.end() || !arrays::steps_cells(which, of) ||
      shape.empty() || shape.size() > 3)
    throw py::type_error("pleat: no steps of these cells");
  const py::gil_scoped_release free;
  arrays::step_distributed_cells(on.use(), which, steps, of, shape, reader(read, type),
                                 writer(write, type));
}

}  // namespace
}  // namespace pleat::python

PYBIND11_MODULE(PLEAT_EXTENSION, m) {
  using namespace pleat::python;
  m.doc() = "What pleat.distributed is made of.";
  py::class_<ranked_machine>(m, "machine")
      .def(py::init<int, text, text, text, text>())
      .def_property_readonly("rank", [](ranked_machine& on) { return on.use().rank(); })
      .def_property_readonly("ranks", [](ranked_machine& on) { return on.use().ranks(); })
      .def_property_readonly("processors", [](ranked_machine& on) { return on.use().processors(); })
      .def("close", &ranked_machine::close, py::call_guard<py::gil_scoped_release>());
  m.def("sort", &sort);
  m.def("argsort", &argsort);
  m.def("transform", &transform);
  m.def("multiply", &multiply);
  m.def("step", &step);
}
