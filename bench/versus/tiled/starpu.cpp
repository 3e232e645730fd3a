// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <stdexcept>
#include <vector>

#include <cblas.h>
#include <starpu_opencl.h>
#include <device_text.hpp>
#include <lapack.hpp>
#include <raw/starpu.hpp>
#include <tile_matrix.hpp>

#include "subjects.hpp"

namespace hocket::bench {

namespace {

float* tile_at(void* argument) { return reinterpret_cast<float*>(STARPU_VECTOR_GET_PTR(argument)); }
blasint edge_at(void* argument) {
  return static_cast<blasint>(std::lround(std::sqrt(STARPU_VECTOR_GET_NX(argument))));
}

/// Whether the kernel multiplies by the transpose of B, and by what it multiplies the product.
struct product_form {
  bool transpose_b;
  float factor;
};

void gemm_on_host(void* arguments[], void* form) {
  const auto& how = *static_cast<const product_form*>(form);
  const blasint n = edge_at(arguments[2]);
  cblas_sgemm(CblasColMajor, CblasNoTrans, how.transpose_b ? CblasTrans : CblasNoTrans, n, n, n,
              how.factor, tile_at(arguments[0]), n, tile_at(arguments[1]), n, 1,
              tile_at(arguments[2]), n);
}
void syrk_on_host(void* arguments[], void*) {
  const blasint n = edge_at(arguments[1]);
  cblas_ssyrk(CblasColMajor, CblasLower, CblasNoTrans, n, n, -1, tile_at(arguments[0]), n, 1,
              tile_at(arguments[1]), n);
}
void trsm_on_host(void* arguments[], void*) {
  const blasint n = edge_at(arguments[1]);
  cblas_strsm(CblasColMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, n, n, 1,
              tile_at(arguments[0]), n, tile_at(arguments[1]), n);
}
void potrf_on_host(void* arguments[], void*) {
  tiled::lapack::potrf(edge_at(arguments[0]), tile_at(arguments[0]));
}

/// The text of the example for CPUs, with what Hocket writes around it.
std::string text_of(const std::string& name, const std::vector<kernel_source>& texts) {
  const auto found = std::ranges::find_if(texts, [](const kernel_source& each) {
    return std::ranges::count(each.styles, device_style::cpu_compiler) > 0;
  });
  std::string parameters = "uint n";
  for (const std::string& each : found->names) {
    parameters += each == "factor" ? ", float factor" : ", __global float* " + each + "_data";
  }
  return found->functions + "__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void " + name +
         "(" + parameters + ") {" + found->passes.front().text + "}\n";
}

/// Functions of the macros differ between the texts, so that each is a program of its own.
class opencl_program {
 public:
  opencl_program(const std::string& name, const std::vector<kernel_source>& texts) : name_(name) {
    const std::string around = R"(
typedef float f32;
#define ITEM(direction) ((uint)get_global_id(direction))
#define a_extent0 n
#define c_extent0 n
#define c_extent1 n
#define a(i, j) a_data[(i) * n + (j)]
#define b(i, j) b_data[(i) * n + (j)]
#define c(i, j) c_data[(i) * n + (j)]
)";
    const std::string text = around + text_of(name, texts);
    if (starpu_opencl_load_opencl_from_string(text.c_str(), &program_, nullptr) != 0) {
      throw std::runtime_error("StarPU does not compile \"" + name + "\".");
    }
  }
  opencl_program(const opencl_program&) = delete;
  opencl_program& operator=(const opencl_program&) = delete;
  ~opencl_program() { starpu_opencl_unload_opencl(&program_); }

  /// Arguments: the edge of the tiles, what is given, and the tiles.
  template <class... Given>
  void run(void* tiles[], std::size_t count, blasint edge, const Given&... given) {
    cl_kernel kernel = nullptr;
    cl_command_queue queue = nullptr;
    check(starpu_opencl_load_kernel(&kernel, &queue, &program_, name_.c_str(),
                                    starpu_worker_get_devid(starpu_worker_get_id())));
    const auto n = static_cast<cl_uint>(edge);
    cl_uint next = 0;
    const auto set = [&](const auto& value) {
      check(clSetKernelArg(kernel, next++, sizeof value, &value));
    };
    set(n);
    (set(given), ...);
    for (std::size_t i = 0; i < count; ++i) {
      set(reinterpret_cast<cl_mem>(STARPU_VECTOR_GET_DEV_HANDLE(tiles[i])));
    }
    const std::size_t items[] = {(n + 15) / 16, (n + 3) / 4}, local[] = {1, 1};
    check(clEnqueueNDRangeKernel(queue, kernel, 2, nullptr, items, local, 0, nullptr, nullptr));
    check(starpu_opencl_release_kernel(kernel));
  }

 private:
  static void check(cl_int code) {
    if (code != CL_SUCCESS) STARPU_OPENCL_REPORT_ERROR(code);
  }

  std::string name_;
  starpu_opencl_program program_{};
};

/// StarPU calls functions without a state of their own.
struct programs {
  opencl_program gemm, syrk;
};
std::unique_ptr<programs> compiled;

void gemm_on_device(void* arguments[], void* form) {
  compiled->gemm.run(arguments, 3, edge_at(arguments[2]),
                     static_cast<const product_form*>(form)->factor);
}
void syrk_on_device(void* arguments[], void*) {
  compiled->syrk.run(arguments, 2, edge_at(arguments[1]));
}

/// A kernel with a history of what it took.
struct codelet {
  codelet(const char* name, starpu_cpu_func_t on_host, starpu_opencl_func_t on_device,
          const std::vector<starpu_data_access_mode>& modes)
      : all(starpu_codelet_of(on_host)) {
    model.type = STARPU_HISTORY_BASED;
    model.symbol = name;
    all.model = &model;
    all.nbuffers = static_cast<int>(modes.size());
    std::ranges::copy(modes, all.modes);
    if (on_device == nullptr) return;
    all.where |= STARPU_OPENCL;
    all.opencl_funcs[0] = on_device;
    all.opencl_flags[0] = STARPU_OPENCL_ASYNC;
  }

  starpu_perfmodel model{};
  starpu_codelet all;
};

/// A matrix of tiles that StarPU looks after.
class starpu_matrix {
 public:
  starpu_matrix(std::size_t tiles, std::size_t edge)
      : tiles_(tiles), edge_(edge), content_(tiles * tiles), handles_(tiles * tiles) {
    for (std::size_t i = 0; i < content_.size(); ++i) {
      content_[i].resize(edge * edge);
      starpu_vector_data_register(&handles_[i], STARPU_MAIN_RAM,
                                  reinterpret_cast<std::uintptr_t>(content_[i].data()),
                                  static_cast<std::uint32_t>(edge * edge), sizeof(float));
    }
  }
  starpu_matrix(const starpu_matrix&) = delete;
  starpu_matrix& operator=(const starpu_matrix&) = delete;
  ~starpu_matrix() {
    const starpu_workers_awake workers;
    for (starpu_data_handle_t each : handles_) starpu_data_unregister(each);
  }

  [[nodiscard]] starpu_data_handle_t at(std::size_t i, std::size_t j) const {
    return handles_[i * tiles_ + j];
  }
  /// In the memory of the host, where it is valid alone then.
  void fill(const tiled::content& with) {
    each_element(STARPU_W, [&](std::size_t row, std::size_t column, float& value) {
      value = with.at(row, column);
    });
  }
  /// Calls f(row, column, element) for all.
  template <class F>
  void each_element(starpu_data_access_mode mode, const F& f) {
    for (std::size_t tile = 0; tile < handles_.size(); ++tile) {
      starpu_data_acquire(handles_[tile], mode);
      for (std::size_t k = 0; k < edge_ * edge_; ++k) {
        f(tile / tiles_ * edge_ + k % edge_, tile % tiles_ * edge_ + k / edge_, content_[tile][k]);
      }
      starpu_data_release(handles_[tile]);
    }
  }

 private:
  std::size_t tiles_, edge_;
  std::vector<std::vector<float>> content_;
  std::vector<starpu_data_handle_t> handles_;
};

class starpu_solver {
 public:
  starpu_solver(const tiled_problem& what, std::size_t threads, std::size_t opencl_devices)
      : what_(what), session_(threads, opencl_devices, "dmda"), form_(form_of(what.algorithm)) {
    openblas_set_num_threads(1);
    if (opencl_devices > 0) {
      compiled.reset(new programs{{"gemm", tiled::gemm_texts(form_.transpose_b)},
                                  {"syrk", tiled::syrk_texts()}});
    }
    const std::size_t matrices = what.algorithm == tiled_algorithm::gemm ? 3 : 1;
    for (std::size_t i = 0; i < matrices; ++i) {
      matrices_.push_back(std::make_unique<starpu_matrix>(what.tiles, what.edge));
    }
    for (std::size_t i = 0; i < runs_to_learn; ++i) (void)milliseconds_of_run();
    check_result();
  }
  ~starpu_solver() {
    matrices_.clear();
    compiled.reset();
  }

  double milliseconds_of_run() {
    const starpu_workers_awake workers;
    for (std::size_t i = 0; i < matrices_.size(); ++i) matrices_[i]->fill(given(i));
    return nanoseconds_of([&] {
             what_.algorithm == tiled_algorithm::gemm ? submit_gemm() : submit_cholesky();
             starpu_task_wait_for_all();
           }) /
           1e6;
  }

 private:
  static product_form form_of(tiled_algorithm algorithm) {
    return algorithm == tiled_algorithm::gemm ? product_form{false, 1} : product_form{true, -1};
  }
  [[nodiscard]] std::size_t order() const { return what_.tiles * what_.edge; }
  [[nodiscard]] tiled::content given(std::size_t matrix) const {
    if (what_.algorithm == tiled_algorithm::gemm) {
      return {.seed = static_cast<std::uint32_t>(matrix + 1)};
    }
    return {.symmetric = true, .diagonal = 1 + std::sqrt(static_cast<float>(order()))};
  }

  template <std::size_t Count>
  static void submit(codelet& of, const std::array<starpu_data_handle_t, Count>& tiles,
                     void* argument = nullptr) {
    starpu_task* const made = starpu_task_create();
    made->cl = &of.all;
    made->cl_arg = argument;
    std::ranges::copy(tiles, made->handles);
    starpu_submit(made);
  }

  void submit_gemm() {
    const starpu_matrix &a = *matrices_[0], &b = *matrices_[1], &c = *matrices_[2];
    for (std::size_t i = 0; i < what_.tiles; ++i) {
      for (std::size_t j = 0; j < what_.tiles; ++j) {
        for (std::size_t k = 0; k < what_.tiles; ++k) {
          submit(gemm_, std::array{a.at(i, k), b.at(k, j), c.at(i, j)}, &form_);
        }
      }
    }
  }

  void submit_cholesky() {
    const starpu_matrix& a = *matrices_[0];
    for (std::size_t k = 0; k < what_.tiles; ++k) {
      submit(potrf_, std::array{a.at(k, k)});
      for (std::size_t i = k + 1; i < what_.tiles; ++i) {
        submit(trsm_, std::array{a.at(k, k), a.at(i, k)});
      }
      for (std::size_t j = k + 1; j < what_.tiles; ++j) {
        submit(syrk_, std::array{a.at(j, k), a.at(j, j)});
        for (std::size_t i = j + 1; i < what_.tiles; ++i) {
          submit(gemm_, std::array{a.at(i, k), a.at(j, k), a.at(i, j)}, &form_);
        }
      }
    }
  }

  /// Compares products with a vector of ones.
  void check_result() {
    const starpu_workers_awake workers;
    std::vector<double> expected(order()), found(order());
    const auto add_given = [&](std::size_t matrix, const std::vector<double>& x) {
      for (std::size_t i = 0; i < order(); ++i) {
        for (std::size_t j = 0; j < order(); ++j) {
          expected[i] += static_cast<double>(given(matrix).at(i, j)) * x[j];
        }
      }
    };
    const std::vector<double> ones(order(), 1.0);
    if (what_.algorithm == tiled_algorithm::gemm) {
      add_given(1, ones);
      const std::vector<double> of_b = std::exchange(expected, std::vector<double>(order()));
      add_given(0, of_b);
      add_given(2, ones);
      matrices_[2]->each_element(
          STARPU_R, [&](std::size_t i, std::size_t, const float& value) { found[i] += value; });
    } else {
      add_given(0, ones);
      std::vector<double> sums(order());
      matrices_[0]->each_element(STARPU_R, [&](std::size_t i, std::size_t j, const float& value) {
        if (i >= j) sums[j] += value;
      });
      matrices_[0]->each_element(STARPU_R, [&](std::size_t i, std::size_t j, const float& value) {
        if (i >= j) found[i] += value * sums[j];
      });
    }
    double most = 0, scale = 0;
    for (std::size_t i = 0; i < order(); ++i) {
      most = std::max(most, std::abs(found[i] - expected[i]));
      scale = std::max(scale, std::abs(expected[i]));
    }
    if (!(most <= 1e-3 * scale)) throw std::runtime_error("StarPU's result is wrong.");
  }

  tiled_problem what_;
  starpu_session session_;
  product_form form_;
  codelet gemm_{"gemm", gemm_on_host, gemm_on_device, {STARPU_R, STARPU_R, STARPU_RW}};
  codelet syrk_{"syrk", syrk_on_host, syrk_on_device, {STARPU_R, STARPU_RW}};
  codelet trsm_{"trsm", trsm_on_host, nullptr, {STARPU_R, STARPU_RW}};
  codelet potrf_{"potrf", potrf_on_host, nullptr, {STARPU_RW}};
  std::vector<std::unique_ptr<starpu_matrix>> matrices_;
};

}  // namespace

contender starpu_tiled(const tiled_problem& what, std::size_t threads, std::size_t opencl_devices) {
  return {"starpu", [=] {
            const auto made = std::make_shared<starpu_solver>(what, threads, opencl_devices);
            return [made] { return made->milliseconds_of_run(); };
          }};
}

}  // namespace hocket::bench
