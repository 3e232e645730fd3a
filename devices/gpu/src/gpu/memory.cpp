// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "gpu/memory.hpp"

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <utility>

#include "gpu/context.hpp"
#include "gpu/errors.hpp"

namespace hocket::gpu {

void address_table::add(device_address at, context_handle of) {
  const std::lock_guard lock(guard_);
  owners_.insert_or_assign(at, of);
}

void address_table::remove(device_address at) noexcept {
  const std::lock_guard lock(guard_);
  owners_.erase(at);
}

context_handle address_table::context_of(const allocation& a) const {
  const std::lock_guard lock(guard_);
  const auto at = owners_.find(address_of(a));
  return at == owners_.end() ? nullptr : at->second;
}

result<allocation> driver_memory::allocate(std::size_t bytes, std::size_t alignment) {
  // The driver's allocations begin at multiples of what the device's information says.
  (void)alignment;
  const current in(in_);
  device_address made = 0;
  const code answer = in.why() != success
                          ? in.why()
                          : in_.driver().memory_allocate(&made, std::max<std::size_t>(bytes, 1));
  if (answer != success) {
    const failure why = failure_of(in_.driver(), answer, device_, "to allocate memory");
    if (why.code() == failure_code::device_lost) lost_(why);
    return no_memory(device_, bytes, "its driver says " + in_.driver().name_of(answer) + ".");
  }
  in_.addresses().add(made, in_.get());
  return allocation{reinterpret_cast<void*>(made), bytes};
}

void driver_memory::deallocate(const allocation& a) noexcept {
  in_.addresses().remove(address_of(a));
  if (in_.driver().gone) return;
  const current in(in_);
  (void)in_.driver().memory_free(address_of(a));
}

device_memory::device_memory(context& in, const device_info& info,
                             std::function<void(const failure&)> lost)
    : in_(in),
      bottom_(in, info.name, std::move(lost)),
      limit_(bottom_, device_title(info.name), info.memory_bytes),
      pool_(limit_, {}) {
  in_.set_memory(this);
}

device_memory::~device_memory() { in_.set_memory(nullptr); }

void device_memory::give_back_kept() {
  // A pool gives its blocks back when it is refused some; the limit refuses this many.
  const result<allocation> refused = pool_.allocate(SIZE_MAX, 1);
  assert(!refused);
  (void)refused;
}

}  // namespace hocket::gpu
