// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "failure.hpp"
#include "memory.hpp"
#include "ptx/program.hpp"
#include "ptx/syntax.hpp"
#include "stream.hpp"

namespace standin {

/// Settings from the environment: HOCKET_STANDIN_CUDA="devices=2,memory=268435456,
/// capability=90,version=13000".
struct settings {
  unsigned devices = 2;
  std::size_t memory = std::size_t{256} << 20U;
  unsigned capability = 90;
  int version = 13000;  ///< of the API: 1000 times the major number and 10 times the minor one
  std::vector<unsigned> visible;  ///< numbers of devices, as CUDA_VISIBLE_DEVICES has them
};

/// Throws a `failure` for a setting that is not understood.
settings read_settings();

struct device {
  device(int as_number, unsigned as_physical, const settings& s)
      : number(as_number), physical(as_physical), capability(s.capability), memory(s.memory) {}

  const int number;
  const unsigned physical;  ///< its number where CUDA_VISIBLE_DEVICES is not set
  const unsigned capability;
  device_memory memory;
  std::atomic<int> lost{success};
  std::mutex mutex;
  std::shared_ptr<context> primary;
  unsigned retained = 0;

  /// Destroys the primary context. Under the mutex.
  void end_primary();
};

struct context : std::enable_shared_from_this<context> {
  context(device& of, bool is_primary, unsigned with_flags)
      : on(of), primary(is_primary), flags(with_flags) {}

  /// Keeps the first failure, which all later calls return.
  void fail(const failure& e);
  /// Throws if the context has failed, once no command of it runs any more.
  void check();
  /// After a failure no other command begins.
  void await_running();
  /// The memory that kernels and copies of this context may use.
  [[nodiscard]] std::vector<const device_memory*> memories();
  /// Every stream, the default one included.
  [[nodiscard]] std::vector<std::shared_ptr<stream>> streams();
  std::shared_ptr<stream> make_stream(unsigned stream_flags, int urgency);
  std::shared_ptr<stream> default_stream();
  void drop(const std::shared_ptr<stream>& s);
  void synchronize();
  void destroy();

  device& on;
  const bool primary;
  const unsigned flags;
  std::atomic<int> error{success};
  std::atomic<bool> destroyed{false};
  std::mutex mutex;
  std::set<std::shared_ptr<stream>> streams_;
  std::shared_ptr<stream> default_;
  std::set<device*> peers;
};

struct module_object {
  std::shared_ptr<context> owner;
  program code;
  std::map<std::string, extent> variables;
  std::map<std::string, int>
      dynamic_limits;  ///< bytes of dynamic shared memory that entries may have
};

struct function_object {
  std::shared_ptr<module_object> module;
  const function_code* code;
};

/// Commands that run in order.
struct graph_object {
  std::shared_ptr<context> owner;
  std::vector<std::function<void()>> commands;
};

/// A handle of the library of products.
struct blas_object {
  std::shared_ptr<context> owner;
  void* stream = nullptr;
  bool may_round = false;  ///< floats, before they are multiplied
};

/// A linker: what it was given, and the machine code that it has made of it.
struct link_object {
  std::shared_ptr<context> owner;
  std::string ptx;
  std::string code;
};

/// Objects that programs have handles of.
template <class T>
class handle_table {
 public:
  void* add(std::shared_ptr<T> object) {
    const std::lock_guard lock(mutex_);
    void* const handle = object.get();
    objects_[handle] = std::move(object);
    return handle;
  }
  std::shared_ptr<T> get(const void* handle, const char* kind, code reason = invalid_handle) const {
    const std::lock_guard lock(mutex_);
    const auto found = objects_.find(const_cast<void*>(handle));
    if (found == objects_.end())
      throw failure(reason, std::string("no ") + kind + " has this handle");
    return found->second;
  }
  std::shared_ptr<T> remove(const void* handle, const char* kind, code reason = invalid_handle) {
    std::shared_ptr<T> object = get(handle, kind, reason);
    const std::lock_guard lock(mutex_);
    objects_.erase(const_cast<void*>(handle));
    return object;
  }
  template <class Condition>
  std::size_t remove_if(Condition condition) {
    const std::lock_guard lock(mutex_);
    return std::erase_if(objects_, [&](const auto& entry) { return condition(*entry.second); });
  }
  [[nodiscard]] std::size_t count() const {
    const std::lock_guard lock(mutex_);
    return objects_.size();
  }

 private:
  mutable std::mutex mutex_;
  std::unordered_map<void*, std::shared_ptr<T>> objects_;
};

/// The contexts that allocations belong to: they end with their context at the latest.
class allocation_owners {
 public:
  void add(std::uint64_t address, const context& owner);
  void remove(std::uint64_t address);
  /// Removes and returns the allocations of a context.
  std::vector<std::uint64_t> take(const context& owner);

 private:
  std::mutex mutex_;
  std::map<std::uint64_t, const context*> owners_;
};

/// All that the driver has in a process. Never destroyed: threads of streams may outlive `main`.
struct driver {
  static driver& get();

  void initialize();
  device& device_of(int number);
  /// The device that has the address, or null.
  device* owner_of(std::uint64_t address);

  std::mutex mutex;
  std::atomic<bool> initialized{false};
  std::vector<std::unique_ptr<device>> devices;
  handle_table<context> contexts;
  handle_table<stream> streams;
  handle_table<event> events;
  handle_table<module_object> modules;
  handle_table<function_object> functions;
  handle_table<graph_object> graphs;
  handle_table<graph_object> runnable_graphs;
  handle_table<blas_object> blas_handles;
  handle_table<link_object> links;
  allocation_owners owners;
  /// Objects that contexts had when they ended, of those that had not failed.
  std::atomic<std::uint64_t> left_behind{0};
};

/// The contexts of the calling thread: the last one is current.
std::vector<std::shared_ptr<context>>& context_stack();

/// Returns the current context. Throws if there is none, or if it has failed.
std::shared_ptr<context> current_context();

/// Returns the stream of a handle; the null handle is the default stream of the current context.
std::shared_ptr<stream> stream_of(void* handle);

/// Appends a command to a stream, behind what the default stream has to wait for and what waits for
/// it.
void push(const std::shared_ptr<stream>& to, std::function<void()> run,
          after_failure then = after_failure::skip);

/// The stand-in's machine code: a line that says which device and driver it is for, and
/// PTX. A device takes that of its own generation, a driver that of no newer major version.
std::string machine_code_of(const context& made_for, const std::string& ptx);

/// Reads PTX for a device. Throws a `failure` where it is none, or needs a newer device.
module_text parse_for(const device& on, const char* ptx);

/// Loads a module of PTX, or of machine code of the stand-in, into a context.
std::shared_ptr<module_object> load_module(const std::shared_ptr<context>& into, const char* image);
void unload(module_object& m);

}  // namespace standin
