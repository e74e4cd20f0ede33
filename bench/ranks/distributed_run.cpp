// SPDX-License-Identifier: Apache-2.0
#include "distributed_run.hpp"

#include <utility>

#include <pleat/mpi/over.hpp>
#include <pleat/runtime/error.hpp>
#include <pleat/runtime/topology.hpp>

#include "tool/command_files.hpp"
#include "tool/readable.hpp"
#include "tool/terminal.hpp"

namespace pleat::bench {
namespace {

void check_names(const distributed_arguments& asked) {
  std::vector<command_file> files;
  for (const auto& name : asked.inputs) files.push_back({"--input", name, file_use::read});
  files.push_back({"--output", asked.output, file_use::result});
  check_files(files);
  for (const auto& file : files) {
    if (file.name == standard_stream)
      throw usage_error(std::string(file.option) +
                        ": processes cannot share a standard stream; give the name of a file");
  }
}

// Text of what all ranks must find in the file of that name.
std::string identity(const npy_contents& array) {
  return "'" + array.descr + "' " + shape_text(array.shape) + " + " +
         std::to_string(array.bytes_after);
}

}  // namespace

void distributed_arguments::add_input(tool_command& program, const std::string& help) {
  program.add_option("--input", inputs, help).required().expected(1, 1).type_name("F.npy");
}

void distributed_arguments::add_to(tool_command& program, const std::string& output_help) {
  program.add_option("--output", output, output_help).required().type_name("R.npy");
  machine.add_to(program, "How many processors of each rank (default: its share of the node's)");
  memory.add_to(program);
}

distributed_run::distributed_run(const rank_group& all, const distributed_arguments& asked,
                                 npy_dimensions wanted)
    : all_(all), asked_(asked) {
  all_.each([&] {
    check_names(asked_);
    for (const std::string& name : asked_.inputs) {
      inputs_.push_back(std::make_unique<npy_input>(name, wanted));
      if (inputs_.back()->is_pipe())
        throw error("cannot read " + name + ": processes cannot share a pipe; save it to a file");
    }
  });
  for (std::size_t i = 0; i < inputs_.size(); ++i) check_same(asked_.inputs[i], input(i));
}

void distributed_run::check_same(const std::string& name, const npy_contents& array) const {
  const std::string here = identity(array);
  const std::string first = all_.text_of(0, here);
  all_.each([&] {
    if (here != first)
      throw error(name + " is not the same file as on rank 0 (" + here + ", not " + first +
                  "); choose one in a folder that all processes share");
  });
  if (all_.is_first() && array.bytes_after > 0) {
    warn(name + " goes on for " + std::to_string(array.bytes_after) +
         " bytes after the array; they are left out, as np.load does");
  }
}

void distributed_run::begin(std::string descr, const number_type& type,
                            std::vector<std::size_t> shape) {
  result_ = {std::move(descr), type, std::move(shape), 1, 0};
  for (const std::size_t size : result_.shape) result_.elements *= size;
  output_.emplace(all_, asked_.output);
  machine_options options;
  all_.each([&] {
    options.processors = asked_.machine.number();
    if (asked_.machine.place) set_place(options, *asked_.machine.place);  // else they divide them
    options.memory = asked_.memory.policy(topology::host());
  });
  on_ = std::make_unique<pleat::machine>(pleat::mpi::over(all_.processes(), options));
  if (all_.is_first() && on_->oversubscribed()) warn(on_->placement().warning);
}

arrays::block_reader distributed_run::reader() {
  return [this](std::span<std::byte> block, std::size_t first) {
    all_.each([&] { inputs_.front()->read_part(block, first); });
    start_ = benchmark_clock::now();
  };
}

arrays::block_writer distributed_run::writer() {
  return [this](std::span<const std::byte> block, std::size_t first) {
    write(block, {first * result_.type.bytes, block.size(), block.size()});
  };
}

void distributed_run::read(std::size_t which, std::span<std::byte> numbers, const interval<>& rows,
                           const interval<>& columns) {
  all_.each([&] {
    const std::size_t all_columns = input(which).shape[1];
    const std::size_t row_bytes = columns.size() * input(which).type.bytes;
    for (std::size_t i = 0; i < rows.size(); ++i)
      inputs_[which]->read_part(numbers.subspan(i * row_bytes, row_bytes),
                                (rows.first + i) * all_columns + columns.first);
  });
  start_ = benchmark_clock::now();
}

void distributed_run::write(std::span<const std::byte> numbers, const interval<>& rows,
                            const interval<>& columns) {
  const std::size_t bytes = result_.type.bytes, all_columns = result_.shape[1];
  write(numbers, {(rows.first * all_columns + columns.first) * bytes, columns.size() * bytes,
                  all_columns * bytes});
}

void distributed_run::write(std::span<const std::byte> numbers, const rows_of_file& place) {
  seconds_ = seconds_since(start_);
  output_->write(npy_preamble(result_.descr, result_.shape), result_.data_bytes(), numbers, place);
}

void distributed_run::finish(const std::string& done) {
  output_->commit();
  if (!all_.is_first()) return;
  const std::size_t processors = on_->threads();
  note(done + " in " + readable_time(seconds_) + " on " + std::to_string(processors) +
       (processors == 1 ? " processor of " : " processors of ") + std::to_string(all_.ranks()) +
       (all_.ranks() == 1 ? " rank" : " ranks"));
}

}  // namespace pleat::bench
