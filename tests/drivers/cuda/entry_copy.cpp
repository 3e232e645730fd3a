// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <algorithm>
#include <cstring>

#include "calls.hpp"
#include "driver.hpp"
#include "exports.hpp"

using namespace standin;

namespace {

enum class place : std::uint8_t { host, device, either };

/// One side of a copy of rows and slices.
struct side {
  std::uint64_t address = 0;
  place where = place::either;
  std::size_t pitch = 0, slice = 0;  ///< bytes from row to row and from slice to slice

  [[nodiscard]] std::size_t span(std::size_t width, std::size_t height, std::size_t depth) const {
    return (depth - 1) * slice + (height - 1) * pitch + width;
  }
};

struct copy {
  side from, to;
  std::size_t width = 0, height = 1, depth = 1;
};

/// Returns where the driver finds the bytes of a side, in the memory that a context and its stream
/// may use.
char* resolve(const side& s, std::size_t bytes, const std::vector<const device_memory*>& memories,
              code reason) {
  const bool device = driver::get().owner_of(s.address) != nullptr;
  if (!device) {
    // Host memory that the driver did not lock is the program's: only its place can be wrong.
    if (s.where == place::device && !host_allocations().find(s.address, bytes)) {
      throw failure(reason, "a copy takes memory of the host for memory of a device");
    }
    return reinterpret_cast<char*>(s.address);
  }
  if (s.where == place::host) {
    throw failure(reason, "a copy takes memory of a device for memory of the host");
  }
  memory_view view(memories);
  char* const found = view.find(s.address, bytes, 0);
  if (found == nullptr) {
    throw failure(reason, "a copy touches memory that is freed, too short, or another device's");
  }
  return found;
}

void run_copy(const copy& c, const std::vector<const device_memory*>& memories) {
  const char* const from =
      resolve(c.from, c.from.span(c.width, c.height, c.depth), memories, illegal_address);
  char* const to = resolve(c.to, c.to.span(c.width, c.height, c.depth), memories, illegal_address);
  for (std::size_t z = 0; z < c.depth; ++z) {
    for (std::size_t y = 0; y < c.height; ++y) {
      std::memmove(to + z * c.to.slice + y * c.to.pitch, from + z * c.from.slice + y * c.from.pitch,
                   c.width);
    }
  }
}

/// Checks a copy now, and appends it; memory may be freed before it runs, so that it is checked
/// again then.
std::shared_ptr<stream> start(const copy& c, void* handle,
                              std::vector<const device_memory*> more = {}) {
  const auto s = stream_of(handle);
  if (c.width == 0 || c.height == 0 || c.depth == 0) return s;
  std::vector<const device_memory*> memories = s->owner()->memories();
  memories.insert(memories.end(), more.begin(), more.end());
  for (const side* one : {&c.from, &c.to}) {
    require(one->address != 0, "a copy has a null address");
    require(c.height == 1 || one->pitch >= c.width, "the rows of a copy overlap");
    require(c.depth == 1 || one->slice >= c.height * one->pitch, "the slices of a copy overlap");
    resolve(*one, one->span(c.width, c.height, c.depth), memories, invalid_value);
  }
  push(s, [c, memories = std::move(memories)] { run_copy(c, memories); });
  return s;
}

copy line(std::uint64_t to, place to_where, std::uint64_t from, place from_where,
          std::size_t bytes) {
  return {{from, from_where, 0, 0}, {to, to_where, 0, 0}, bytes, 1, 1};
}

std::uint64_t address_of(const void* p) { return reinterpret_cast<std::uint64_t>(p); }

side side_of(memory_type type, const void* host, device_pointer device, std::size_t offset,
             std::size_t pitch, std::size_t slice) {
  switch (type) {
    case on_host:
      return {address_of(host) + offset, place::host, pitch, slice};
    case on_device:
      return {device + offset, place::device, pitch, slice};
    case unified:
      return {device + offset, place::either, pitch, slice};
    default:
      throw failure(not_supported, "the stand-in has no arrays");
  }
}

copy boxed(const copy_3d& c) {
  const std::size_t from_slice = c.source_pitch * c.source_height;
  const std::size_t to_slice = c.target_pitch * c.target_height;
  return {side_of(c.source_type, c.source_host, c.source_device,
                  c.source_z * from_slice + c.source_y * c.source_pitch + c.source_x,
                  c.source_pitch, from_slice),
          side_of(c.target_type, c.target_host, c.target_device,
                  c.target_z * to_slice + c.target_y * c.target_pitch + c.target_x, c.target_pitch,
                  to_slice),
          c.width, c.height, c.depth};
}

std::vector<const device_memory*> memories_of(void* first, void* second) {
  std::vector<const device_memory*> result;
  for (void* handle : {first, second}) {
    result.push_back(&driver::get().contexts.get(handle, "context", invalid_context)->on.memory);
  }
  return result;
}

template <class T>
void fill(std::uint64_t to, T value, std::size_t count, void* handle) {
  const auto s = stream_of(handle);
  if (count == 0) return;
  require(to % sizeof(T) == 0, "the address is not aligned");
  const side target{to, place::device, 0, 0};
  const auto memories = s->owner()->memories();
  resolve(target, count * sizeof(T), memories, invalid_value);
  push(s, [=] {
    auto* const at =
        reinterpret_cast<T*>(resolve(target, count * sizeof(T), memories, illegal_address));
    std::fill_n(at, count, value);
  });
}

/// Waits as the calls that are not asynchronous do.
void finish(const std::shared_ptr<stream>& s) {
  s->wait(s->pushed());
  current_context();  // throws what has failed meanwhile
}

}  // namespace

int cuMemcpyAsync(unsigned long long to, unsigned long long from, std::size_t bytes, void* stream) {
  return entry("cuMemcpyAsync",
               [&] { start(line(to, place::either, from, place::either, bytes), stream); });
}

int cuMemcpyHtoD_v2(unsigned long long to, const void* from, std::size_t bytes) {
  return entry("cuMemcpyHtoD_v2", [&] {
    finish(start(line(to, place::device, address_of(from), place::host, bytes), nullptr));
  });
}

int cuMemcpyDtoH_v2(void* to, unsigned long long from, std::size_t bytes) {
  return entry("cuMemcpyDtoH_v2", [&] {
    finish(start(line(address_of(to), place::host, from, place::device, bytes), nullptr));
  });
}

int cuMemcpyHtoDAsync_v2(unsigned long long to, const void* from, std::size_t bytes, void* stream) {
  return entry("cuMemcpyHtoDAsync_v2", [&] {
    start(line(to, place::device, address_of(from), place::host, bytes), stream);
  });
}

int cuMemcpyDtoHAsync_v2(void* to, unsigned long long from, std::size_t bytes, void* stream) {
  return entry("cuMemcpyDtoHAsync_v2", [&] {
    start(line(address_of(to), place::host, from, place::device, bytes), stream);
  });
}

int cuMemcpyDtoDAsync_v2(unsigned long long to, unsigned long long from, std::size_t bytes,
                         void* stream) {
  return entry("cuMemcpyDtoDAsync_v2",
               [&] { start(line(to, place::device, from, place::device, bytes), stream); });
}

int cuMemcpyPeerAsync(unsigned long long to, void* to_context, unsigned long long from,
                      void* from_context, std::size_t bytes, void* stream) {
  return entry("cuMemcpyPeerAsync", [&] {
    start(line(to, place::device, from, place::device, bytes), stream,
          memories_of(to_context, from_context));
  });
}

int cuMemcpy2DAsync_v2(const copy_2d* c, void* stream) {
  return entry("cuMemcpy2DAsync_v2", [&] {
    require(c != nullptr, "there is no copy");
    start({side_of(c->source_type, c->source_host, c->source_device,
                   c->source_y * c->source_pitch + c->source_x, c->source_pitch, 0),
           side_of(c->target_type, c->target_host, c->target_device,
                   c->target_y * c->target_pitch + c->target_x, c->target_pitch, 0),
           c->width, c->height, 1},
          stream);
  });
}

int cuMemcpy3DAsync_v2(const copy_3d* c, void* stream) {
  return entry("cuMemcpy3DAsync_v2", [&] {
    require(c != nullptr, "there is no copy");
    require(c->source_context == nullptr && c->target_context == nullptr,
            "a reserved part of the copy is not zero");
    start(boxed(*c), stream);
  });
}

int cuMemcpy3DPeerAsync(const copy_3d* c, void* stream) {
  return entry("cuMemcpy3DPeerAsync", [&] {
    require(c != nullptr, "there is no copy");
    start(boxed(*c), stream, memories_of(c->target_context, c->source_context));
  });
}

int cuMemsetD8Async(unsigned long long to, unsigned char value, std::size_t count, void* stream) {
  return entry("cuMemsetD8Async", [&] { fill(to, value, count, stream); });
}
int cuMemsetD16Async(unsigned long long to, unsigned short value, std::size_t count, void* stream) {
  return entry("cuMemsetD16Async", [&] { fill(to, value, count, stream); });
}
int cuMemsetD32Async(unsigned long long to, unsigned value, std::size_t count, void* stream) {
  return entry("cuMemsetD32Async", [&] { fill(to, value, count, stream); });
}
