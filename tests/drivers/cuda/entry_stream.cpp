// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <atomic>
#include <chrono>
#include <thread>

#include "calls.hpp"
#include "driver.hpp"
#include "exports.hpp"

using namespace standin;

namespace {

void create_stream(void** result, unsigned flags, int urgency) {
  require(result != nullptr && flags <= 1, "there is no place for the stream, or a wrong flag");
  *result = driver::get().streams.add(current_context()->make_stream(flags, urgency));
}

std::shared_ptr<event> event_of(void* handle) {
  auto e = driver::get().events.get(handle, "event");
  e->owner()->check();
  return e;
}

void elapsed(float* milliseconds, void* from, void* to) {
  require(milliseconds != nullptr, "there is no place for the time");
  const auto first = event_of(from), last = event_of(to);
  if (!first->timed() || !last->timed() || first->last() == 0 || last->last() == 0) {
    throw failure(invalid_handle, "an event has no time: it is not recorded, or not timed");
  }
  if (!first->reached(first->last()) || !last->reached(last->last())) {
    throw failure(not_ready, "an event is not reached yet");
  }
  *milliseconds = std::chrono::duration<float, std::milli>(last->time() - first->time()).count();
}

template <class T>
std::atomic_ref<T> word(const context& c, const std::vector<const device_memory*>& memories,
                        std::uint64_t address) {
  memory_view view(memories);
  char* const found = view.find(address, sizeof(T), 0);
  if (found == nullptr || address % sizeof(T) != 0) {
    throw failure(illegal_address,
                  "a stream writes or waits for a word in no allocation of device " +
                      std::to_string(c.on.number));
  }
  return std::atomic_ref<T>(*reinterpret_cast<T*>(found));
}

template <class T>
void write_value(void* handle, std::uint64_t address, T value) {
  const auto s = stream_of(handle);
  const auto c = s->owner();
  push(s, [c = c.get(), address, value] { word<T>(*c, c->memories(), address).store(value); });
}

/// True if the word is what the flags of a wait ask for: at least (0), equal (1), some bits of (2),
/// not all bits (3).
template <class T>
bool holds(T now, T value, unsigned flags) {
  switch (flags & 3U) {
    case 0:
      return static_cast<std::make_signed_t<T>>(now - value) >= 0;
    case 1:
      return now == value;
    case 2:
      return (now & value) != 0;
    default:
      return static_cast<T>(~(now | value)) != 0;
  }
}

template <class T>
void wait_value(void* handle, std::uint64_t address, T value, unsigned flags) {
  const auto s = stream_of(handle);
  const auto c = s->owner();
  push(s, [c = c.get(), address, value, flags] {
    while (!holds(word<T>(*c, c->memories(), address).load(), value, flags)) {
      if (c->error != success) return;
      std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
  });
}

}  // namespace

int cuStreamCreate(void** stream, unsigned flags) {
  return entry("cuStreamCreate", [&] { create_stream(stream, flags, 0); });
}
int cuStreamCreateWithPriority(void** stream, unsigned flags, int priority) {
  return entry("cuStreamCreateWithPriority", [&] { create_stream(stream, flags, priority); });
}

int cuStreamDestroy_v2(void* handle) {
  return entry("cuStreamDestroy_v2", [&] {
    const auto s = driver::get().streams.remove(handle, "stream");
    s->owner()->drop(s);
  });
}

int cuStreamSynchronize(void* handle) {
  return entry("cuStreamSynchronize", [&] {
    const auto s = stream_of(handle);
    if (s->captures())
      throw failure(stream_capture_unsupported, "a stream that captures is waited for");
    s->wait(s->pushed());
    s->owner()->check();
  });
}

int cuStreamQuery(void* handle) {
  return entry("cuStreamQuery", [&]() -> int {
    const auto s = stream_of(handle);
    const bool done = s->reached(s->pushed());
    s->owner()->check();
    return done ? success : not_ready;
  });
}

int cuStreamGetPriority(void* handle, int* priority) {
  return entry("cuStreamGetPriority", [&] {
    require(priority != nullptr, "there is no place for the priority");
    *priority = stream_of(handle)->urgency();
  });
}

int cuStreamGetFlags(void* handle, unsigned* flags) {
  return entry("cuStreamGetFlags", [&] {
    require(flags != nullptr, "there is no place for the flags");
    *flags = stream_of(handle)->flags();
  });
}

int cuStreamWaitEvent(void* handle, void* event_handle, unsigned flags) {
  return entry("cuStreamWaitEvent", [&] {
    require(flags <= 1, "the flags are not known");
    const auto s = stream_of(handle);
    const auto e = event_of(event_handle);
    const std::uint64_t record = e->last();
    if (record == 0) return;
    push(s, [e, record] { e->wait(record); });
  });
}

int cuLaunchHostFunc(void* handle, void (*function)(void*), void* data) {
  return entry("cuLaunchHostFunc", [&] {
    require(function != nullptr, "there is no function");
    push(stream_of(handle), [function, data] { function(data); });
  });
}

int cuEventCreate(void** result, unsigned flags) {
  return entry("cuEventCreate", [&] {
    require(result != nullptr && flags < 8, "there is no place for the event, or a wrong flag");
    *result = driver::get().events.add(std::make_shared<event>(current_context(), flags));
  });
}

int cuEventRecord(void* event_handle, void* handle) {
  return entry("cuEventRecord", [&] {
    const auto s = stream_of(handle);
    const auto e = event_of(event_handle);
    if (e->owner() != s->owner()) {
      throw failure(invalid_handle, "the event and the stream are of different contexts");
    }
    const std::uint64_t record = e->begin();
    push(
        s, [e, record] { e->reach(record); }, after_failure::run);
  });
}

int cuEventQuery(void* handle) {
  return entry("cuEventQuery", [&]() -> int {
    current_context();
    const auto e = event_of(handle);
    const bool done = e->reached(e->last());
    e->owner()->check();
    return done ? success : not_ready;
  });
}

int cuEventSynchronize(void* handle) {
  return entry("cuEventSynchronize", [&] {
    current_context();
    const auto e = event_of(handle);
    e->wait(e->last());
    e->owner()->check();
  });
}

int cuEventDestroy_v2(void* handle) {
  return entry("cuEventDestroy_v2", [&] { driver::get().events.remove(handle, "event"); });
}

int cuEventElapsedTime(float* milliseconds, void* from, void* to) {
  return entry("cuEventElapsedTime", [&] { elapsed(milliseconds, from, to); });
}
int cuEventElapsedTime_v2(float* milliseconds, void* from, void* to) {
  return entry("cuEventElapsedTime_v2", [&] { elapsed(milliseconds, from, to); });
}

int cuStreamWriteValue32_v2(void* stream, unsigned long long address, std::uint32_t value,
                            unsigned /*flags*/) {
  return entry("cuStreamWriteValue32_v2", [&] { write_value(stream, address, value); });
}
int cuStreamWriteValue64_v2(void* stream, unsigned long long address, std::uint64_t value,
                            unsigned /*flags*/) {
  return entry("cuStreamWriteValue64_v2", [&] { write_value(stream, address, value); });
}
int cuStreamWaitValue32_v2(void* stream, unsigned long long address, std::uint32_t value,
                           unsigned flags) {
  return entry("cuStreamWaitValue32_v2", [&] { wait_value(stream, address, value, flags); });
}
int cuStreamWaitValue64_v2(void* stream, unsigned long long address, std::uint64_t value,
                           unsigned flags) {
  return entry("cuStreamWaitValue64_v2", [&] { wait_value(stream, address, value, flags); });
}
