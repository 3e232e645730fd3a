# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Hocket authors

import os
import re

from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.env import VirtualBuildEnv
from conan.tools.files import copy, load
from conan.tools.gnu import PkgConfigDeps

required_conan_version = ">=2.0"


class HocketConan(ConanFile):
    """Hocket, from the checkout or the unpacked release that this file is in."""

    name = "hocket"
    description = "A heterogeneous task runtime for C++20"
    license = "Apache-2.0"
    topics = ("task-graph", "scheduler", "opencl", "vulkan", "cuda", "hip")
    package_type = "library"
    settings = "os", "arch", "compiler", "build_type"
    options = {
        "shared": [True, False],
        "opencl": [True, False],
        "vulkan": [True, False],
        "cuda": [True, False],
        "hip": [True, False],
        "tools": [True, False],
    }
    default_options = {
        "shared": False,
        "opencl": True,
        "vulkan": True,
        "cuda": True,
        "hip": True,
        "tools": False,
        "hwloc/*:shared": True,
    }

    def _project(self):
        return os.path.join(self.recipe_folder, "..", "..")

    def set_version(self):
        changes = load(self, os.path.join(self._project(), "CHANGELOG.md"))
        self.version = re.search(r"^## (\d+\.\d+\.\d+)", changes, re.M)[1]

    def export_sources(self):
        copy(self, "*", self._project(), self.export_sources_folder,
             excludes=("build*", ".*", "bench/*", "docs/*", "python/*", "scripts/*", "tests/*"))

    def requirements(self):
        self.requires("onetbb/[>=2021.7]", transitive_headers=True, transitive_libs=True)
        self.requires("boost/[>=1.81]")
        self.requires("fmt/[>=9]")
        self.requires("hwloc/[>=2.9]")
        self.requires("openblas/[>=0.3.21]")
        self.requires("zlib/[>=1.2.13]")
        if self.options.vulkan:
            self.requires("shaderc/[>=2023.2]")
            self.requires("vulkan-headers/[>=1.3.239]")
        if self.options.opencl:
            self.requires("opencl-headers/[>=2022.9]")
        if self.options.tools:
            self.requires("cli11/[>=2.1.2]")

    def build_requirements(self):
        self.tool_requires("cmake/[>=3.25]")
        self.tool_requires("pkgconf/[>=2]")

    def validate(self):
        check_min_cppstd(self, 20)

    def layout(self):
        cmake_layout(self)

    def generate(self):
        VirtualBuildEnv(self).generate()
        CMakeDeps(self).generate()
        PkgConfigDeps(self).generate()
        toolchain = CMakeToolchain(self)
        toolchain.user_presets_path = False
        toolchain.cache_variables.update({
            "HOCKET_BUILD_TESTS": False,
            "HOCKET_BUILD_BENCH": False,
            "HOCKET_BUILD_EXAMPLES": False,
            "HOCKET_BUILD_PYTHON": False,
            "HOCKET_BUILD_TOOLS": bool(self.options.tools),
            "HOCKET_ENABLE_OPENCL": bool(self.options.opencl),
            "HOCKET_ENABLE_VULKAN": bool(self.options.vulkan),
            "HOCKET_ENABLE_CUDA": bool(self.options.cuda),
            "HOCKET_ENABLE_HIP": bool(self.options.hip),
        })
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))
        CMake(self).install()

    def package_info(self):
        # Hocket's own package for CMake names its libraries, in their order, and finds what they need.
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.set_property("pkg_config_name", "none")
        self.cpp_info.builddirs = [os.path.join("lib", "cmake", "hocket")]
        self.cpp_info.bindirs = ["bin"] if self.options.tools else []
