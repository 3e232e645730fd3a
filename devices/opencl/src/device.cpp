// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "device.hpp"

#include <cstdlib>
#include <cstring>
#include <utility>

#include <hocket/devices/driver_device.hpp>

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

}  // namespace

result<std::unique_ptr<device>> connect_device(const device_info& info,
                                               const std::shared_ptr<root_device>& root,
                                               std::size_t part, const device_numbers& numbers,
                                               executor& where, completion_sink& sink) {
  auto opened = root->open();
  if (!opened) return opened.error();
  const std::shared_ptr<context> in = std::move(opened).value();
  const stream_parts streams{in,
                             std::make_shared<device_clock>(),
                             std::make_shared<host_epoch>(numbers.device, sink),
                             root->parts()[part],
                             info.name,
                             info.style,
                             numbers.uses_host_memory};
  auto queues = make_queues(*in, streams.id, info.name);
  if (!queues) return queues.error();
  if (numbers.uses_host_memory) {
    if (failure why = try_import(*in, queues.value().front().get(), info)) return why;
  }
  const auto stream_of = [&](std::size_t queue, stream_id id, bool outbound) {
    return std::make_unique<queue_stream>(streams, std::move(queues.value()[queue]), where, id,
                                          outbound);
  };
  driver_device_parts made;
  made.info = info;
  made.context =
      std::make_shared<std::pair<std::shared_ptr<root_device>, std::shared_ptr<context>>>(root, in);
  made.leave = [in] { in->cl().gone = true; };
  made.forget = [in](const allocation& host) { in->buffers().forget(host); };
  made.memory = std::make_unique<device_memory>(in->buffers(), info.name, info.largest_binding);
  made.compute = stream_of(0, numbers.compute.front(), false);
  made.inbound = stream_of(1, numbers.inbound, false);
  made.outbound = stream_of(2, numbers.outbound, true);
  return std::unique_ptr<device>(std::make_unique<driver_device>(std::move(made)));
}

}  // namespace hocket::opencl
