// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "driver.hpp"

#include <algorithm>
#include <cstdio>

#include "calls.hpp"
#include "names.hpp"

namespace standin {

driver& driver::get() {
  static driver& only = *new driver;
  return only;
}

void driver::initialize() {
  const std::lock_guard lock(mutex);
  if (initialized) return;
  const settings s = read_settings();
  if (s.visible.empty()) throw failure(no_device, "no device is visible");
  for (const unsigned physical : s.visible) {
    devices.push_back(std::make_unique<device>(static_cast<int>(devices.size()), physical, s));
  }
  initialized = true;
}

device& driver::device_of(int number) {
  if (number < 0 || static_cast<std::size_t>(number) >= devices.size()) {
    throw failure(invalid_device, "there is no device " + std::to_string(number));
  }
  return *devices[static_cast<std::size_t>(number)];
}

device* driver::owner_of(std::uint64_t address) {
  for (const auto& d : devices) {
    if (d->memory.owns(address)) return d.get();
  }
  return nullptr;
}

void context::fail(const failure& e) {
  int none = success;
  if (error.compare_exchange_strong(none, e.reason)) say(e.what());
}

void context::check() {
  const int failed = error;
  if (failed == success) return;
  await_running();
  throw failure(static_cast<code>(failed), "the context has failed before");
}

void context::await_running() {
  for (const auto& each : streams()) each->await_running();
}

std::vector<const device_memory*> context::memories() {
  const std::lock_guard lock(mutex);
  std::vector<const device_memory*> result{&on.memory};
  for (const device* peer : peers) result.push_back(&peer->memory);
  return result;
}

std::vector<std::shared_ptr<stream>> context::streams() {
  const std::lock_guard lock(mutex);
  return {streams_.begin(), streams_.end()};
}

std::shared_ptr<stream> context::make_stream(unsigned stream_flags, int urgency) {
  auto made = std::make_shared<stream>(shared_from_this(), stream_flags, urgency);
  made->start();
  const std::lock_guard lock(mutex);
  streams_.insert(made);
  return made;
}

std::shared_ptr<stream> context::default_stream() {
  {
    const std::lock_guard lock(mutex);
    if (default_) return default_;
  }
  auto made = make_stream(0, 0);
  const std::lock_guard lock(mutex);
  if (!default_) default_ = made;
  return default_;
}

void context::drop(const std::shared_ptr<stream>& s) {
  s->close();
  const std::lock_guard lock(mutex);
  streams_.erase(s);
}

void context::synchronize() {
  for (const auto& s : streams()) s->wait(s->pushed());
}

void allocation_owners::add(std::uint64_t address, const context& owner) {
  const std::lock_guard lock(mutex_);
  owners_[address] = &owner;
}

void allocation_owners::remove(std::uint64_t address) {
  const std::lock_guard lock(mutex_);
  owners_.erase(address);
}

std::vector<std::uint64_t> allocation_owners::take(const context& owner) {
  const std::lock_guard lock(mutex_);
  std::vector<std::uint64_t> result;
  for (const auto& [address, of] : owners_) {
    if (of == &owner) result.push_back(address);
  }
  for (const std::uint64_t address : result) owners_.erase(address);
  return result;
}

/// Ends all that belongs to the context. Commands that have not begun are dropped.
void context::destroy() {
  driver& d = driver::get();
  destroyed = true;
  int none = success;
  const bool failed = !error.compare_exchange_strong(none, context_is_destroyed);
  for (const auto& s : streams()) {
    s->wait(s->pushed());
    drop(s);
  }
  const auto is_mine = [&](const auto& object) { return object.owner().get() == this; };
  const auto is_of_mine = [&](const auto& object) { return object.owner.get() == this; };
  std::size_t objects = d.streams.remove_if(is_mine) + d.events.remove_if(is_mine) +
                        d.graphs.remove_if(is_of_mine) + d.runnable_graphs.remove_if(is_of_mine) +
                        d.blas_handles.remove_if(is_of_mine) + d.links.remove_if(is_of_mine);
  d.functions.remove_if([&](const function_object& f) { return f.module->owner.get() == this; });
  objects += d.modules.remove_if([&](module_object& m) {
    if (m.owner.get() != this) return false;
    unload(m);
    return true;
  });
  default_.reset();
  const auto left = d.owners.take(*this);
  for (const std::uint64_t address : left) {
    if (!on.memory.free(address)) free_host_memory(address);
  }
  if (failed) return;
  d.left_behind += objects + left.size();
  if (!left.empty()) {
    std::fprintf(stderr, "%s: a context of device %d ends with %zu allocations\n", names.title,
                 on.number, left.size());
  }
}

void device::end_primary() {
  const std::shared_ptr<context> ended = std::exchange(primary, nullptr);
  retained = 0;
  if (!ended) return;
  ended->destroy();
  driver::get().contexts.remove(ended.get(), "context", invalid_context);
}

std::vector<std::shared_ptr<context>>& context_stack() {
  thread_local std::vector<std::shared_ptr<context>> stack;
  return stack;
}

std::shared_ptr<context> current_context() {
  if (!driver::get().initialized) throw failure(not_initialized, "cuInit has not been called");
  const auto& stack = context_stack();
  if (stack.empty() || !stack.back()) throw failure(invalid_context, "no context is current");
  const std::shared_ptr<context>& c = stack.back();
  if (c->destroyed) throw failure(context_is_destroyed, "the current context is destroyed");
  if (const int lost = c->on.lost; lost != success) {
    c->await_running();
    throw failure(static_cast<code>(lost), "the device is lost");
  }
  c->check();
  return c;
}

std::shared_ptr<stream> stream_of(void* handle) {
  const std::shared_ptr<context> c = current_context();
  // 1 is the handle of the default stream of a context by its other name.
  if (reinterpret_cast<std::uintptr_t>(handle) <= 1) return c->default_stream();
  std::shared_ptr<stream> s = driver::get().streams.get(handle, "stream");
  s->owner()->check();
  return s;
}

void push(const std::shared_ptr<stream>& to, std::function<void()> run, after_failure then) {
  const std::shared_ptr<context> c = to->owner();
  std::shared_ptr<stream> first;
  {
    const std::lock_guard lock(c->mutex);
    first = c->default_;
  }
  if (to->blocks() && first) {
    for (const auto& other : to == first ? c->streams() : std::vector{first}) {
      const std::uint64_t count = other->pushed();
      if (other == to || !other->blocks() || other->reached(count)) continue;
      to->push([other, count] { other->wait(count); }, after_failure::run);
    }
  }
  if (auto is_over = take_hold()) {
    to->push([to = to.get(), is_over = std::move(is_over)] { to->hold(is_over); });
  }
  to->push(std::move(run), then);
}

}  // namespace standin
