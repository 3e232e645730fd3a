// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <algorithm>
#include <cstring>

#include "calls.hpp"
#include "driver.hpp"
#include "exports.hpp"
#include "ptx/warp.hpp"

using namespace standin;

namespace {

constexpr unsigned shared_limit = 49152, shared_opt_in = 101376;

/// CUjit_option: where a program wants the text of an error.
constexpr int error_log_buffer = 5, error_log_bytes = 6;

/// The options of a load, which are pairs of a number and a value.
void write_log(const failure& e, unsigned count, const int* options, void** values) {
  char* buffer = nullptr;
  std::size_t bytes = 0;
  for (unsigned k = 0; k < count; ++k) {
    if (options[k] == error_log_buffer) buffer = static_cast<char*>(values[k]);
    if (options[k] == error_log_bytes) bytes = reinterpret_cast<std::uintptr_t>(values[k]);
  }
  if (buffer == nullptr || bytes == 0) return;
  const std::string text = e.what();
  const std::size_t length = std::min(bytes - 1, text.size());
  std::memcpy(buffer, text.data(), length);
  buffer[length] = 0;
}

void load(void** result, const void* image, unsigned count, const int* options, void** values) {
  require(result != nullptr && image != nullptr, "there is no module, or no place for it");
  const std::shared_ptr<context> c = current_context();
  try {
    *result = driver::get().modules.add(load_module(c, static_cast<const char*>(image)));
  } catch (const failure& e) {
    write_log(e, count, options, values);
    throw;
  }
}

std::shared_ptr<function_object> function_of(void* handle) {
  return driver::get().functions.get(handle, "function");
}

/// A launch as it waits in a stream.
struct launch {
  std::shared_ptr<function_object> function;
  std::shared_ptr<context> owner;
  dimensions grid, block;
  unsigned shared = 0;
  std::vector<char> parameters;

  void run() const {
    memory_view memory(owner->memories());
    run_grid({function->module->code, *function->code, grid, block, shared, parameters, memory},
             owner->error);
  }
};

int dynamic_limit(const function_object& f) {
  const auto found = f.module->dynamic_limits.find(f.code->name);
  const auto fixed = static_cast<int>(f.code->shared_bytes);
  return found == f.module->dynamic_limits.end() ? static_cast<int>(shared_limit) - fixed
                                                 : found->second;
}

void check(const launch& l) {
  const bool grid = l.grid.x > 0 && l.grid.y > 0 && l.grid.z > 0 && l.grid.x <= 0x7FFFFFFF &&
                    l.grid.y <= 65535 && l.grid.z <= 65535;
  require(grid, "the grid is empty or too large");
  const bool block = l.block.x > 0 && l.block.y > 0 && l.block.z > 0 && l.block.x <= 1024 &&
                     l.block.y <= 1024 && l.block.z <= 64 && l.block.count() <= 1024;
  require(block, "the block is empty or too large");
  require(static_cast<int>(l.shared) <= dynamic_limit(*l.function),
          "the block has more shared memory than is allowed");
}

/// `extra` is a list of keys and values that ends with 0: the parameters as one block (1) of so
/// many bytes (2).
void take_block(launch& l, void** extra) {
  const char* block = nullptr;
  std::size_t bytes = 0;
  for (; *extra != nullptr; extra += 2) {
    const auto key = reinterpret_cast<std::uintptr_t>(*extra);
    if (key == 1) block = static_cast<const char*>(extra[1]);
    if (key == 2) bytes = *static_cast<const std::size_t*>(extra[1]);
  }
  require(block != nullptr && bytes == l.parameters.size(), "the parameters have another size");
  std::memcpy(l.parameters.data(), block, bytes);
}

void take_parameters(launch& l, void** parameters, void** extra) {
  const function_code& f = *l.function->code;
  l.parameters.resize(f.parameter_bytes);
  require(parameters == nullptr || extra == nullptr, "there are parameters in two forms");
  if (extra != nullptr) return take_block(l, extra);
  require(parameters != nullptr || f.parameters.empty(), "there are no parameters");
  for (std::size_t k = 0; k < f.parameters.size(); ++k) {
    std::memcpy(l.parameters.data() + f.parameters[k].callee, parameters[k], f.parameters[k].bytes);
  }
}

}  // namespace

int cuModuleLoadData(void** module, const void* image) {
  return entry("cuModuleLoadData", [&] { load(module, image, 0, nullptr, nullptr); });
}

int cuModuleLoadDataEx(void** module, const void* image, unsigned count, int* options,
                       void** values) {
  return entry("cuModuleLoadDataEx", [&] { load(module, image, count, options, values); });
}

int cuModuleUnload(void* module) {
  return entry("cuModuleUnload", [&] {
    current_context();
    driver& d = driver::get();
    const std::shared_ptr<module_object> m = d.modules.get(module, "module");
    m->owner->synchronize();
    d.functions.remove_if([&](const function_object& f) { return f.module == m; });
    d.modules.remove(module, "module");
    unload(*m);
  });
}

int cuModuleGetFunction(void** function, void* module, const char* name) {
  return entry("cuModuleGetFunction", [&] {
    require(function != nullptr && name != nullptr, "there is no name, or no place for a function");
    current_context();
    const auto m = driver::get().modules.get(module, "module");
    const function_code* const code = m->code.find_entry(name);
    if (code == nullptr) throw failure(not_found, std::string("the module has no kernel ") + name);
    auto made = std::make_shared<function_object>();
    made->module = m;
    made->code = code;
    *function = driver::get().functions.add(made);
  });
}

int cuModuleGetGlobal_v2(unsigned long long* address, std::size_t* bytes, void* module,
                         const char* name) {
  return entry("cuModuleGetGlobal_v2", [&] {
    require(name != nullptr, "there is no name");
    current_context();
    const auto m = driver::get().modules.get(module, "module");
    const auto found = m->variables.find(name);
    if (found == m->variables.end()) {
      throw failure(not_found, std::string("the module has no variable ") + name);
    }
    if (address != nullptr) *address = found->second.begin;
    if (bytes != nullptr) *bytes = found->second.bytes;
  });
}

int cuFuncGetAttribute(int* value, int attribute, void* function) {
  return entry("cuFuncGetAttribute", [&] {
    require(value != nullptr, "there is no place for the value");
    const auto f = function_of(function);
    const auto capability = static_cast<int>(f->module->owner->on.capability);
    switch (attribute) {
      case 0:
        *value = 1024;
        break;  // threads of a block
      case 1:
        *value = static_cast<int>(f->code->shared_bytes);
        break;
      case 3:
        *value = static_cast<int>(f->code->local_bytes);
        break;
      case 4:
        *value = static_cast<int>(std::min<std::size_t>(f->code->registers, 255));
        break;
      case 5:
      case 6:
        *value = capability;
        break;
      case 8:
        *value = dynamic_limit(*f);
        break;
      default:
        require(attribute > 0 && attribute < 16, "the attribute is not known");
        *value = 0;
    }
  });
}

int cuFuncSetAttribute(void* function, int attribute, int value) {
  return entry("cuFuncSetAttribute", [&] {
    const auto f = function_of(function);
    if (attribute == 9) return;  // a hint about caches
    require(attribute == 8, "the attribute cannot be set");
    const int limit = static_cast<int>(shared_opt_in - f->code->shared_bytes);
    require(value >= 0 && value <= limit, "a block cannot have as much shared memory");
    f->module->dynamic_limits[f->code->name] = value;
  });
}

int cuFuncSetCacheConfig(void* function, int config) {
  return entry("cuFuncSetCacheConfig", [&] {
    function_of(function);
    require(config >= 0 && config <= 3, "the configuration is not known");
  });
}

int cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, void* function, int threads,
                                                std::size_t shared) {
  return entry("cuOccupancyMaxActiveBlocksPerMultiprocessor", [&] {
    require(blocks != nullptr && threads > 0 && threads <= 1024, "the block has no valid size");
    const auto f = function_of(function);
    const std::size_t used = std::max<std::size_t>(1, f->code->shared_bytes + shared);
    *blocks = static_cast<int>(
        std::min<std::size_t>(1024U / static_cast<unsigned>(threads), 102400 / used));
  });
}

int cuLaunchKernel(void* function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                   unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                   void* stream, void** parameters, void** extra) {
  return entry("cuLaunchKernel", [&] {
    launch l;
    l.function = function_of(function);
    const auto s = stream_of(stream);
    l.owner = s->owner();
    if (l.function->module->owner != l.owner) {
      throw failure(invalid_handle, "the kernel and the stream are of different contexts");
    }
    l.grid = {grid_x, grid_y, grid_z};
    l.block = {block_x, block_y, block_z};
    l.shared = shared;
    check(l);
    take_parameters(l, parameters, extra);
    push(s, [l = std::move(l)] { l.run(); });
  });
}
