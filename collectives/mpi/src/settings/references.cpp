// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <span>
#include <string>
#include <string_view>

#include "settings/operation.hpp"
#include "settings/settings.hpp"

namespace pleat::preloaded {

namespace {

// Names differ in capitals and in what compilers of Fortran append.
bool is_non_blocking_call(std::string_view symbol) {
  std::string name(symbol.substr(0, 40));
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
  const bool extension = name.starts_with("mpix_");
  if (!extension && !name.starts_with("mpi_")) return false;
  const std::string_view call = std::string_view(name).substr(extension ? 5 : 4);
  return std::ranges::any_of(operation_names, [&](std::string_view operation) {
    return (call.starts_with('i') && call.substr(1).starts_with(operation)) ||
           (call.starts_with(operation) && call.substr(operation.size()).starts_with("_init"));
  });
}

template <class T> const T* at(std::uintptr_t address) {
  return reinterpret_cast<const T*>(address);  // NOLINT(performance-no-int-to-ptr)
}

/// Relocations of a loaded object, which name the symbols to which it refers.
struct relocations {
  const Elf64_Rela* first = nullptr;
  std::size_t bytes = 0;

  template <class Is> [[nodiscard]] bool any(const Is& is) const {
    const std::span all(first, first == nullptr ? 0 : bytes / sizeof(Elf64_Rela));
    return std::ranges::any_of(all, [&](const Elf64_Rela& one) {
      return ELF64_R_SYM(one.r_info) != 0 && is(ELF64_R_SYM(one.r_info));
    });
  }
};

int look_into(dl_phdr_info* object, std::size_t, void*) {
  const std::string_view path = object->dlpi_name;
  if (path.substr(path.rfind('/') + 1).starts_with("libmpi")) return 0;
  Dl_info own{};  // this library's wrappers for Fortran refer to C's names
  if (::dladdr(reinterpret_cast<const void*>(look_into), &own) != 0 &&
      reinterpret_cast<std::uintptr_t>(own.dli_fbase) == object->dlpi_addr) {
    return 0;
  }
  const Elf64_Dyn* entry = nullptr;
  for (const Elf64_Phdr& header : std::span(object->dlpi_phdr, object->dlpi_phnum)) {
    if (header.p_type == PT_DYNAMIC) entry = at<Elf64_Dyn>(object->dlpi_addr + header.p_vaddr);
  }
  const Elf64_Sym* symbols = nullptr;
  const char* names = nullptr;
  relocations calls;
  relocations others;
  for (; entry != nullptr && entry->d_tag != DT_NULL; ++entry) {
    const auto value = entry->d_un.d_val;
    // Some systems write addresses there, others leave offsets.
    const auto address = value < object->dlpi_addr ? object->dlpi_addr + value : value;
    switch (entry->d_tag) {
      case DT_SYMTAB:
        symbols = at<Elf64_Sym>(address);
        break;
      case DT_STRTAB:
        names = at<char>(address);
        break;
      case DT_JMPREL:
        calls.first = at<Elf64_Rela>(address);
        break;
      case DT_PLTRELSZ:
        calls.bytes = value;
        break;
      case DT_RELA:
        others.first = at<Elf64_Rela>(address);
        break;
      case DT_RELASZ:
        others.bytes = value;
        break;
      default:
        break;
    }
  }
  const auto is_call = [&](std::size_t symbol) {
    return is_non_blocking_call(names + symbols[symbol].st_name);
  };
  return calls.any(is_call) || others.any(is_call) ? 1 : 0;
}

}  // namespace

bool refers_to_non_blocking_calls() { return ::dl_iterate_phdr(look_into, nullptr) != 0; }

}  // namespace pleat::preloaded
