// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "device.hpp"

#include <cassert>
#include <cstdlib>
#include <cstring>

#include "errors.hpp"
#include "stream.hpp"

namespace hocket::opencl {

namespace {

constexpr std::size_t queues_of_device = 3;

result<std::vector<handle<cl_command_queue>>> make_queues(const context& in, cl_device_id id,
                                                          const std::string& device) {
  std::vector<handle<cl_command_queue>> made;
  for (std::size_t i = 0; i < queues_of_device; ++i) {
    cl_int code = CL_SUCCESS;
    const cl_command_queue queue =
        in.cl().clCreateCommandQueue(in.get(), id, CL_QUEUE_PROFILING_ENABLE, &code);
    if (queue == nullptr) return failure_of(code, device, "to make a queue");
    made.emplace_back(in.cl(), queue);
  }
  return made;
}

/// Tries what the standard does not promise: that the device and the host see one another's writes
/// to an imported allocation without anything being mapped.
failure try_import(context& in, cl_command_queue queue, const device_info& info) {
  constexpr std::size_t bytes = 4096;
  struct free_memory {
    void operator()(void* p) const { std::free(p); }
  };
  // The imported part, and behind it the bytes that the device reads of it.
  std::unique_ptr<void, free_memory> memory(std::aligned_alloc(bytes, 2 * bytes));
  if (!memory) return no_memory(info.name, 2 * bytes, "the host has none left.");
  const allocation host{memory.get(), bytes};
  std::memset(host.chunk, 1, bytes);
  auto used = in.buffers().use(host, true, info.name);
  if (!used) return used.error();
  const api& cl = in.cl();
  const cl_mem object = used.value();
  const cl_uchar two = 2;
  unsigned char* const seen = static_cast<unsigned char*>(memory.get()) + bytes;
  std::memset(seen, 0, 2);
  cl_int code = cl.clEnqueueReadBuffer(queue, object, CL_TRUE, 0, 1, seen, 0, nullptr, nullptr);
  if (code == CL_SUCCESS) {
    code = cl.clEnqueueFillBuffer(queue, object, &two, sizeof two, 0, bytes, 0, nullptr, nullptr);
  }
  if (code == CL_SUCCESS) code = cl.clFinish(queue);
  const bool host_sees = *static_cast<const volatile unsigned char*>(host.chunk) == two;
  std::memset(host.chunk, 3, bytes);
  if (code == CL_SUCCESS) {
    code =
        cl.clEnqueueReadBuffer(queue, object, CL_TRUE, bytes - 1, 1, seen + 1, 0, nullptr, nullptr);
  }
  in.buffers().forget(host);
  // Commands may still use the memory. It is leaked if the driver cannot even finish the queue.
  if (code != CL_SUCCESS && cl.clFinish(queue) != CL_SUCCESS) (void)memory.release();
  if (code != CL_SUCCESS) return failure_of(code, info.name, "to use the host's memory");
  if (host_sees && seen[0] == 1 && seen[1] == 3) return {};
  return {failure_code::no_device,
          device_title(info.name) + " (" + info.description +
              ") says that it shares the host's memory, but keeps a copy of what it imports; the "
              "configuration \"import=no\" of opencl has it use memory of its own."};
}

/// One device, or one part of a device that was split.
class opencl_device final : public device {
 public:
  opencl_device(device_info info, std::shared_ptr<root_device> root, const device_numbers& numbers,
                const stream_parts& parts, std::vector<handle<cl_command_queue>> queues,
                executor& where)
      : info_(std::move(info)),
        root_(std::move(root)),
        context_(parts.in),
        memory_(context_->buffers(), info_.name, info_.largest_binding),
        compute_(parts, std::move(queues[0]), where, numbers.compute.front(), false),
        inbound_(parts, std::move(queues[1]), where, numbers.inbound, false),
        outbound_(parts, std::move(queues[2]), where, numbers.outbound, true) {}
  ~opencl_device() override { close(); }

  [[nodiscard]] const device_info& info() const noexcept override { return info_; }
  [[nodiscard]] memory_resource& memory() noexcept override { return memory_; }
  [[nodiscard]] stream& compute(std::size_t lane) noexcept override {
    assert(lane == 0);
    (void)lane;
    return compute_;
  }
  [[nodiscard]] stream& inbound() noexcept override { return inbound_; }
  [[nodiscard]] stream& outbound() noexcept override { return outbound_; }
  void forget(const allocation& host) noexcept override { context_->buffers().forget(host); }
  [[nodiscard]] bool has_driver() const noexcept override { return true; }
  void leave_driver() noexcept override {
    compute_.lose(program_ends(info_.name));
    close();
    context_->cl().gone = true;
  }

 private:
  void close() {
    // Each before any is destroyed: they may wait for one another.
    compute_.close();
    inbound_.close();
    outbound_.close();
  }

  device_info info_;
  std::shared_ptr<root_device> root_;
  std::shared_ptr<context> context_;
  device_memory memory_;
  queue_stream compute_;
  queue_stream inbound_;
  queue_stream outbound_;
};

}  // namespace

result<std::unique_ptr<device>> connect_device(const device_info& info,
                                               const std::shared_ptr<root_device>& root,
                                               std::size_t part, const device_numbers& numbers,
                                               executor& where, completion_sink& sink) {
  auto opened = root->open();
  if (!opened) return opened.error();
  const stream_parts parts{std::move(opened).value(),
                           std::make_shared<device_clock>(),
                           std::make_shared<host_epoch>(numbers.device, sink),
                           root->parts()[part],
                           info.name,
                           info.style,
                           numbers.uses_host_memory};
  auto queues = make_queues(*parts.in, parts.id, info.name);
  if (!queues) return queues.error();
  if (numbers.uses_host_memory) {
    if (failure why = try_import(*parts.in, queues.value().front().get(), info)) return why;
  }
  return std::unique_ptr<device>(std::make_unique<opencl_device>(info, root, numbers, parts,
                                                                 std::move(queues).value(), where));
}

}  // namespace hocket::opencl
