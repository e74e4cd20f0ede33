# SPDX-License-Identifier: Apache-2.0
"""Build backend of pip (PEP 517 and 660) for the Python module: CMake compiles the library and the
extension, and nothing else. The wheel carries the libraries that not every Linux has.

Config settings: build-dir names the folder of the build; what is configured there already is taken as
it is. All others are options of CMake: `-C PLEAT_TARGETS=AVX2`.
"""
import base64
import glob
import hashlib
import importlib.util
import os
import pathlib
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import zipfile

SOURCE = pathlib.Path(__file__).resolve().parents[2]
VERSION = re.search(r'^#define PLEAT_VERSION "([0-9.]+)"$',
                    (SOURCE / "channels/include/pleat/channels/version.hpp").read_text(), re.M)[1]
NAME = f"pleat-{VERSION}"
INFO = f"{NAME}.dist-info"
PYTHON = f"cp{sys.version_info.major}{sys.version_info.minor}"
TAG = f"{PYTHON}-{PYTHON}-{re.sub('[-.]', '_', sysconfig.get_platform())}"
METADATA = f"""\
Metadata-Version: 2.1
Name: pleat
Version: {VERSION}
Summary: Sorting, Fourier transforms, matrix products and stencils on all cores, for NumPy's arrays
License: Apache-2.0
Requires-Python: >=3.9
Requires-Dist: numpy
Description-Content-Type: text/markdown

"""


def get_requires_for_build_wheel(config_settings=None):
    """What is built with, where the system does not have it."""
    headers = [found for prefix in ("/usr", "/usr/local")
               for found in glob.glob(f"{prefix}/*/cmake/pybind11")]
    return [need for need, here in (("cmake>=3.24", shutil.which("cmake")),
                                    ("ninja", shutil.which("ninja")),
                                    ("pybind11>=2.10", headers)) if not here]


get_requires_for_build_editable = get_requires_for_build_wheel


def get_requires_for_build_sdist(config_settings=None):
    return []


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    folder = pathlib.Path(metadata_directory) / INFO
    folder.mkdir()
    for name, contents in _about().items():
        (folder / pathlib.Path(name).name).write_bytes(contents)
    return INFO


prepare_metadata_for_build_editable = prepare_metadata_for_build_wheel


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    build = _built(config_settings)
    with tempfile.TemporaryDirectory() as prefix:
        for component in ("python", "python_libraries"):
            _run("cmake", "--install", build, "--prefix", prefix, "--component", component)
        package = next(pathlib.Path(prefix).rglob("pleat/__init__.py")).parent
        # A wheel has no symbolic links: each is the file it leads to.
        behind = {path.resolve() for path in package.iterdir() if path.is_symlink()}
        return _wheel(wheel_directory, {f"pleat/{path.name}": path.read_bytes()
                                        for path in package.iterdir() if path not in behind})


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    build = _built(config_settings)
    # Of links, so that what is edited in the sources is what runs.
    package = build / "editable" / "pleat"
    shutil.rmtree(package, ignore_errors=True)
    package.mkdir(parents=True)
    for path in (*(SOURCE / "oblivious/python/pleat").glob("*.*"),
                 *(build / "python/pleat").glob("*.so")):
        (package / path.name).symlink_to(path)
    return _wheel(wheel_directory, {"pleat.pth": f"{package.parent}\n".encode()})


def build_sdist(sdist_directory, config_settings=None):
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=SOURCE, check=True, stdout=subprocess.PIPE)
    with tarfile.open(os.path.join(sdist_directory, f"{NAME}.tar.gz"), "w:gz") as archive:
        for name in filter(None, listed.stdout.decode().split("\0")):
            archive.add(SOURCE / name, f"{NAME}/{name}", recursive=False)
        with tempfile.NamedTemporaryFile("w") as info:
            info.write(METADATA)
            info.flush()
            archive.add(info.name, f"{NAME}/PKG-INFO")
    return f"{NAME}.tar.gz"


def _run(*command):
    subprocess.run([str(word) for word in command], cwd=SOURCE, check=True)


def _built(config_settings):
    """The folder of the build, with the extension in it."""
    options = dict(config_settings or {})
    build = SOURCE / options.pop("build-dir", f"build/pip-{PYTHON}")
    if options or not (build / "CMakeCache.txt").is_file():
        if importlib.util.find_spec("pybind11"):
            import pybind11

            options.setdefault("pybind11_DIR", pybind11.get_cmake_dir())
        options = {"PLEAT_BUILD_PYTHON": "ON", "PLEAT_NUMPY_PYTHON": sys.executable, **options}
        _run("cmake", "--preset", "library", "-B", build,
             *(f"-D{name}={value}" for name, value in options.items()))
    _run("cmake", "--build", build, "--target", "pleat_python")
    return build


def _about():
    """The files that say what the package is."""
    readme = (SOURCE / "oblivious/python/README.md").read_text(encoding="utf-8")
    readme = re.sub(r"\[([^]]*)\]\([\w./-]+\.(?:md|hpp)\)", r"\1", readme)  # links to the sources
    return {f"{INFO}/METADATA": (METADATA + readme).encode(),
            f"{INFO}/WHEEL": f"Wheel-Version: 1.0\nGenerator: pleat_build\nRoot-Is-Purelib: false\n"
                             f"Tag: {TAG}\n".encode(),
            f"{INFO}/LICENSE": (SOURCE / "LICENSE").read_bytes()}


def _wheel(directory, files):
    """Writes the wheel of these files."""
    files = {**files, **_about()}
    record = ""
    for name, contents in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(contents).digest()).decode().rstrip("=")
        record += f"{name},sha256={digest},{len(contents)}\n"
    files[f"{INFO}/RECORD"] = (record + f"{INFO}/RECORD,,\n").encode()
    with zipfile.ZipFile(os.path.join(directory, f"{NAME}-{TAG}.whl"), "w",
                         zipfile.ZIP_DEFLATED) as wheel:
        for name, contents in files.items():
            wheel.writestr(name, contents)
    return f"{NAME}-{TAG}.whl"
