// SPDX-License-Identifier: Apache-2.0
#include "rivals.hpp"

#include <algorithm>
#include <stdexcept>
#include <vector>

#include <boost/version.hpp>

#include <pleat/channels/version.hpp>

#include "pleat_rivals_linked.hpp"

#include <gnu/libc-version.h>

namespace pleat::bench {
namespace {

std::string library_version() {
#ifdef _GLIBCXX_RELEASE
  return "libstdc++ " + std::to_string(_GLIBCXX_RELEASE);
#else
  return "libc++ " + std::to_string(_LIBCPP_VERSION);
#endif
}

std::vector<rival> found() {
  const std::string own = "with pleat " PLEAT_VERSION;  // written by hand, part of this program
  std::vector<rival> all{
      {"std-barrier", library_version(), "", true},
      {"libgomp", PLEAT_LIBGOMP_VERSION, "libgomp1", PLEAT_WITH_LIBGOMP != 0},
      {"libomp", PLEAT_LIBOMP_VERSION, "libomp-19-dev", PLEAT_WITH_LIBOMP != 0},
      {"memcpy", std::string("glibc ") + ::gnu_get_libc_version(), "", true},
      {"openmpi", PLEAT_OPENMPI_VERSION, "libopenmpi-dev and openmpi-bin", PLEAT_WITH_OPENMPI != 0},
      {"mpich", PLEAT_MPICH_VERSION, "libmpich-dev and mpich", PLEAT_WITH_MPICH != 0},
      {"serial", library_version(), "", true},
      {"ips4o", PLEAT_IPS4O_VERSION, "libips4o-dev", PLEAT_WITH_IPS4O != 0},
      {"fftw-measure", PLEAT_FFTW_VERSION, "libfftw3-dev", PLEAT_WITH_FFTW != 0},
      {"fftw-estimate", PLEAT_FFTW_VERSION, "libfftw3-dev", PLEAT_WITH_FFTW != 0},
      {"tbb", PLEAT_TBB_VERSION, "libtbb-dev", PLEAT_WITH_TBB != 0},
      {"std-par", library_version() + " over tbb " + PLEAT_TBB_VERSION, "libtbb-dev",
       PLEAT_WITH_TBB != 0},
      {"gnu-parallel", library_version(), "g++ (with OpenMP)", PLEAT_WITH_GNU_PARALLEL != 0},
      {"openblas", PLEAT_OPENBLAS_VERSION, "libopenblas-pthread-dev", PLEAT_WITH_OPENBLAS != 0},
      {"blis", PLEAT_BLIS_VERSION, "libblis-openmp-dev", PLEAT_WITH_BLIS != 0},
      {"boost-sort", BOOST_LIB_VERSION, "libboost-dev", PLEAT_WITH_BOOST_SORT != 0},
      {"ips2ra", PLEAT_IPS2RA_VERSION, "-D PLEAT_RIVAL_IPS2RA=FOLDER", PLEAT_WITH_IPS2RA != 0},
      {"dovetail", PLEAT_DOVETAIL_VERSION, "-D PLEAT_RIVAL_DOVETAIL=FOLDER",
       PLEAT_WITH_DOVETAIL != 0},
      {"x86-simd-sort", PLEAT_X86_SIMD_VERSION, "-D PLEAT_RIVAL_X86_SIMD=FOLDER",
       PLEAT_WITH_X86_SIMD != 0},
      {"ducc", PLEAT_DUCC_VERSION, "-D PLEAT_RIVAL_DUCC=FOLDER", PLEAT_WITH_DUCC != 0},
  };
  for (const char* name : {"flags", "cached-ring", "bare-channel", "untraced", "untraced-strict",
                           "unreported", "transcription", "receivers", "single-calls", "radix-2",
                           "radix-4", "radix-8", "radix-16", "radix-32", "radix-64"})
    all.push_back({name, own, "", true});
  for (const char* name : {"radix", "bandwidth", "registers", "openmp"})
    all.push_back({name, own, "g++ (with OpenMP)", PLEAT_WITH_OPENMP != 0});
  return all;
}

}  // namespace

std::span<const rival> all_rivals() {
  static const std::vector<rival> rivals = found();
  return rivals;
}

const rival& rival_named(std::string_view name) {
  const auto rivals = all_rivals();
  const auto place = std::ranges::find(rivals, name, &rival::name);
  if (place == rivals.end()) throw std::logic_error("no such rival: " + std::string(name));
  return *place;
}

}  // namespace pleat::bench
