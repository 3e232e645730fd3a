// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "calls.hpp"
#include "driver.hpp"
#include "exports.hpp"

using namespace standin;

namespace {

std::uint64_t allocate_in(const context& c, std::size_t bytes) {
  require(bytes > 0, "an allocation has no bytes");
  const std::uint64_t address = c.on.memory.allocate(bytes);
  if (address == 0) throw failure(out_of_memory, std::to_string(bytes) + " bytes do not fit");
  driver::get().owners.add(address, c);
  return address;
}

/// The device whose allocation begins at the address.
device& allocated_on(std::uint64_t address) {
  device* const d = driver::get().owner_of(address);
  const auto found = d != nullptr ? d->memory.find(address, 1) : std::nullopt;
  if (!found || found->begin != address) {
    throw failure(invalid_value, "no allocation begins at the address that is freed");
  }
  return *d;
}

bool free_on(device& d, std::uint64_t address) {
  driver::get().owners.remove(address);
  return d.memory.free(address);
}

void lock_host_memory(void** address, std::size_t bytes) {
  require(address != nullptr && bytes > 0, "an allocation has no bytes, or no place");
  const auto c = current_context();
  const std::size_t whole = (bytes + 4095) / 4096 * 4096;
  void* const made = std::aligned_alloc(4096, whole);
  if (made == nullptr) throw failure(out_of_memory, "no host memory");
  host_allocations().locked.add(
      {reinterpret_cast<std::uint64_t>(made), bytes, static_cast<char*>(made)});
  driver::get().owners.add(reinterpret_cast<std::uint64_t>(made), *c);
  *address = made;
}

std::optional<extent> any_extent(std::uint64_t address) {
  device* const d = driver::get().owner_of(address);
  return d != nullptr ? d->memory.find(address, 1) : host_allocations().find(address, 1);
}

/// Finds a value of CUpointer_attribute, or throws.
void pointer_attribute(void* value, int attribute, std::uint64_t address) {
  const auto found = any_extent(address);
  if (!found) throw failure(invalid_value, "the address is in no allocation");
  device* const d = driver::get().owner_of(address);
  const std::uint64_t offset = address - found->begin;
  switch (attribute) {
    case 2: {
      const unsigned type = d != nullptr ? on_device : on_host;
      std::memcpy(value, &type, sizeof type);
      break;
    }
    case 3:
      std::memcpy(value, &address, sizeof address);
      break;
    case 4: {
      require(d == nullptr, "memory of a device has no address on the host");
      char* const host = found->host + offset;
      std::memcpy(value, static_cast<const void*>(&host), sizeof host);
      break;
    }
    case 8:
      *static_cast<char*>(value) = 0;
      break;  // not managed
    case 9:
      *static_cast<int*>(value) = d != nullptr ? d->number : current_context()->on.number;
      break;
    case 11:
      std::memcpy(value, &found->begin, sizeof found->begin);
      break;
    case 12:
      std::memcpy(value, &found->bytes, sizeof found->bytes);
      break;
    default:
      throw failure(not_supported, "the attribute of a pointer is not known");
  }
}

}  // namespace

int cuMemGetInfo_v2(std::size_t* free, std::size_t* total) {
  return entry("cuMemGetInfo_v2", [&] {
    require(free != nullptr && total != nullptr, "there is no place for the bytes");
    const device& d = current_context()->on;
    *free = d.memory.free_bytes();
    *total = d.memory.bytes();
  });
}

int cuMemAlloc_v2(unsigned long long* address, std::size_t bytes) {
  return entry("cuMemAlloc_v2", [&] {
    require(address != nullptr, "there is no place for the address");
    *address = allocate_in(*current_context(), bytes);
  });
}

int cuMemFree_v2(unsigned long long address) {
  return entry("cuMemFree_v2", [&] {
    const auto c = current_context();
    if (address == 0) return;
    device& d = allocated_on(address);
    c->synchronize();
    free_on(d, address);
  });
}

int cuMemAllocAsync(unsigned long long* address, std::size_t bytes, void* stream) {
  return entry("cuMemAllocAsync", [&] {
    require(address != nullptr, "there is no place for the address");
    const auto s = stream_of(stream);
    *address = allocate_in(*s->owner(), bytes);
    push(s, [] {});
  });
}

int cuMemFreeAsync(unsigned long long address, void* stream) {
  return entry("cuMemFreeAsync", [&] {
    const auto s = stream_of(stream);
    device& d = allocated_on(address);
    push(
        s,
        [&d, address] {
          if (!free_on(d, address)) {
            throw failure(illegal_address, "memory is freed in a stream that was freed before");
          }
        },
        after_failure::run);
  });
}

int cuMemAllocHost_v2(void** address, std::size_t bytes) {
  return entry("cuMemAllocHost_v2", [&] { lock_host_memory(address, bytes); });
}

int cuMemHostAlloc(void** address, std::size_t bytes, unsigned flags) {
  return entry("cuMemHostAlloc", [&] {
    require(flags < 8, "the flags are not known");
    lock_host_memory(address, bytes);
  });
}

int cuMemFreeHost(void* address) {
  return entry("cuMemFreeHost", [&] {
    const auto c = current_context();
    if (address == nullptr) return;
    c->synchronize();
    if (!host_allocations().locked.remove(reinterpret_cast<std::uint64_t>(address))) {
      throw failure(invalid_value, "no page-locked allocation begins at the address");
    }
    driver::get().owners.remove(reinterpret_cast<std::uint64_t>(address));
    std::free(address);
  });
}

int cuMemHostRegister_v2(void* address, std::size_t bytes, unsigned flags) {
  return entry("cuMemHostRegister_v2", [&] {
    require(address != nullptr && bytes > 0 && flags < 16, "there is no memory to register");
    const auto c = current_context();
    const auto begin = reinterpret_cast<std::uint64_t>(address);
    require(driver::get().owner_of(begin) == nullptr, "memory of a device is not the host's");
    host_memory_table& table = host_allocations();
    if (table.find(begin, 1) || table.find(begin + bytes - 1, 1)) {
      throw failure(host_memory_already_registered, "the memory is registered already");
    }
    table.registered.add({begin, bytes, static_cast<char*>(address)});
    driver::get().owners.add(begin, *c);
  });
}

int cuMemHostUnregister(void* address) {
  return entry("cuMemHostUnregister", [&] {
    current_context()->synchronize();
    if (!host_allocations().registered.remove(reinterpret_cast<std::uint64_t>(address))) {
      throw failure(host_memory_not_registered, "the memory is not registered");
    }
    driver::get().owners.remove(reinterpret_cast<std::uint64_t>(address));
  });
}

int cuMemHostGetDevicePointer_v2(unsigned long long* address, void* host, unsigned flags) {
  return entry("cuMemHostGetDevicePointer_v2", [&] {
    require(address != nullptr && flags == 0, "there is no place for the address");
    current_context();
    const auto at = reinterpret_cast<std::uint64_t>(host);
    require(host_allocations().find(at, 1).has_value(), "the memory is not page-locked");
    *address = at;
  });
}

int cuPointerGetAttribute(void* value, int attribute, unsigned long long address) {
  return entry("cuPointerGetAttribute", [&] {
    require(value != nullptr, "there is no place for the value");
    current_context();
    pointer_attribute(value, attribute, address);
  });
}

int cuMemGetAddressRange_v2(unsigned long long* begin, std::size_t* bytes,
                            unsigned long long address) {
  return entry("cuMemGetAddressRange_v2", [&] {
    current_context();
    const auto found = any_extent(address);
    if (!found) throw failure(not_found, "the address is in no allocation");
    if (begin != nullptr) *begin = found->begin;
    if (bytes != nullptr) *bytes = found->bytes;
  });
}
