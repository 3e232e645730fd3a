# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Hocket authors

from spack_repo.builtin.build_systems.cmake import CMakePackage

from spack.package import *


class Hocket(CMakePackage):
    """A heterogeneous task runtime for C++20: tasks run on whichever device of the
    machine finishes them first."""

    license("Apache-2.0")

    # There is nothing to download: the sources are a checkout or an unpacked release,
    # "spack install hocket dev_path=FOLDER".
    version("0.1.0")

    variant("shared", default=True, description="Build shared libraries")
    variant("opencl", default=True, description="Use OpenCL devices")
    variant("cuda", default=True, description="Use CUDA devices")
    variant("hip", default=True, description="Use HIP devices")
    variant("tools", default=True, description="Build the command hocket")

    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("boost@1.81: +context +json")
    depends_on("fmt@9:")
    depends_on("hwloc@2.9:")
    depends_on("intel-tbb@2021.7:")
    depends_on("openblas@0.3.21:")
    depends_on("zlib-api")
    depends_on("opencl-c-headers", when="+opencl")
    depends_on("cli11@2.1.2:", when="+tools")

    conflicts("%gcc@:11", msg="Hocket is written in C++20")
    conflicts("%clang@:13", msg="Hocket is written in C++20")
    conflicts("platform=darwin", msg="Hocket runs on Linux")
    conflicts("platform=windows", msg="Hocket runs on Linux")

    def cmake_args(self):
        return [
            self.define_from_variant("BUILD_SHARED_LIBS", "shared"),
            self.define_from_variant("HOCKET_ENABLE_OPENCL", "opencl"),
            self.define_from_variant("HOCKET_ENABLE_CUDA", "cuda"),
            self.define_from_variant("HOCKET_ENABLE_HIP", "hip"),
            self.define_from_variant("HOCKET_BUILD_TOOLS", "tools"),
            # Spack has no package of shaderc.
            self.define("HOCKET_ENABLE_VULKAN", False),
            self.define("HOCKET_BUILD_TESTS", False),
            self.define("HOCKET_BUILD_BENCH", False),
            self.define("HOCKET_BUILD_EXAMPLES", False),
            self.define("HOCKET_BUILD_PYTHON", False),
        ]
