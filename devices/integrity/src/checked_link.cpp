// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "checked_link.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <string>
#include <utility>

#include <hocket/streams/perform.hpp>

namespace hocket::integrity {

namespace {

/// So often is a copy made at most.
constexpr int max_attempts = 3;

bool runs_on_host(const device_info& of) {
  return std::ranges::find(of.formats, kernel_format::host) != of.formats.end();
}

/// The first byte of the region at which two arrays of host addresses differ, counted from the
/// begin of the arrays. Bits are compared: a NaN equals itself, and 0.0 differs from -0.0.
std::optional<std::size_t> first_difference(const copy_command& region, const allocation& a,
                                            const allocation& b) {
  std::optional<std::size_t> found;
  const auto* const left = static_cast<const std::byte*>(a.address());
  const auto* const right = static_cast<const std::byte*>(b.address());
  for_each_piece(region, [&](std::size_t offset, std::size_t bytes) {
    if (found || std::memcmp(left + offset, right + offset, bytes) == 0) return;
    const std::byte* const first = left + offset;
    found = offset + static_cast<std::size_t>(
                         std::mismatch(first, first + bytes, right + offset).first - first);
  });
  return found;
}

failure corrupted(const std::string& device, way which, const copy_command& copy,
                  std::size_t first) {
  return {failure_code::data_corrupted,
          device_title(device) + ": a copy of " + std::to_string(copy.bytes) + " bytes " +
              (which == way::in ? "to" : "from") + " its memory differs from its source, each of " +
              std::to_string(max_attempts) + " times that it was made; at last from byte " +
              std::to_string(first) + " of the buffer on. Its link or its memory changes data."};
}

}  // namespace

/// Appends to one of the two streams of the link.
class checked_link::checked_stream final : public stream {
 public:
  checked_stream(checked_link& link, way which) : link_(link), which_(which) {}
  void submit(command&& what) override { link_.submit(which_, std::move(what)); }
  [[nodiscard]] const timeline& time() const noexcept override { return link_.at(which_).time; }
  void poll(const std::function<bool()>& reached) override { link_.at(which_).inner.poll(reached); }
  void stop_polling() noexcept override { link_.at(which_).inner.stop_polling(); }

 private:
  checked_link& link_;
  const way which_;
};

checked_link::checked_link(parts given, stream& in, stream& out)
    : given_(std::move(given)),
      host_reaches_(runs_on_host(given_.of)),
      staging_(device_title(given_.of.name)),
      all_{direction(in), direction(out)} {
  for (const way which : {way::in, way::out}) {
    at(which).outer = std::make_unique<checked_stream>(*this, which);
  }
}

checked_link::~checked_link() {
  // The device, which may have written them until now, is gone.
  for (const direction& each : all_) {
    if (each.scratch.chunk != nullptr) staging_.deallocate(each.scratch);
  }
}

void checked_link::submit(way which, command&& what) {
  {
    const std::lock_guard lock(guard_);
    if (is_closed_) return;
    at(which).waiting.push_back(std::move(what));
  }
  go_on();
}

/// Begins copies and gives the device commands, as long as there are any that can begin.
void checked_link::go_on() {
  std::unique_lock lock(guard_);
  if (std::exchange(is_stepping_, true)) {
    steps_again_ = true;
    return;
  }
  do {
    steps_again_ = false;
    begin(way::in);
    begin(way::out);
    for (direction& each : all_) {
      if (each.running || each.steps.empty()) continue;
      each.running = std::move(each.steps.front());
      each.steps.pop_front();
      command next{++each.given, {}, each.running->what};
      steps_again_ = true;
      lock.unlock();
      // The command may be reported within, and the report calls go_on() again.
      each.inner.submit(std::move(next));
      lock.lock();
    }
  } while (steps_again_);
  is_stepping_ = false;
  stepped_.notify_all();
}

/// Begins the next copy of a stream if the one before it has ended and what it waits for as well.
void checked_link::begin(way which) {
  direction& of = at(which);
  if (of.now || of.waiting.empty()) return;
  // All of these are copies of this link: what waits for others is submitted when they have ended.
  const auto is_done = [](const timepoint& each) { return each.done(); };
  if (!std::ranges::all_of(of.waiting.front().after, is_done)) return;
  of.now.emplace(check{std::move(of.waiting.front()), 1, {}});
  of.waiting.pop_front();
  of.steps.push_back({which, false, of.now->what.what});
}

void checked_link::ended(way which, const command_result& how) {
  std::unique_lock lock(guard_);
  direction& on = at(which);
  if (!on.running) return;
  const step last = std::move(*on.running);
  on.running.reset();
  direction& of = at(last.of);
  if (!of.now->begin) of.now->begin = how.begin;
  if (how.why) {
    finish(lock, last.of, how);
  } else if (host_reaches_ || last.reads_back) {
    compare(lock, last.of, how);
  } else if (failure why = read_back(last.of)) {
    finish(lock, last.of, {why, how.begin, how.end});
  }
  if (lock.owns_lock()) lock.unlock();
  go_on();
}

/// Has the device copy to the host what it has: the target of a copy to it, or once more the source
/// of a copy from it.
failure checked_link::read_back(way which) {
  direction& of = at(which);
  const auto& copy = std::get<copy_command>(of.now->what.what);
  if (of.scratch.bytes < copy.from.bytes) {
    if (of.scratch.chunk != nullptr) staging_.deallocate(std::exchange(of.scratch, {}));
    auto made = staging_.allocate(copy.from.bytes, std::max<std::size_t>(given_.of.alignment, 64));
    if (!made) return made.error();
    of.scratch = made.value();
  }
  copy_command back = copy;
  back.from = which == way::in ? copy.to : copy.from;
  back.to = of.scratch;
  back.route = copy_route::to_host;
  at(way::out).steps.push_back({which, true, back});
  return {};
}

/// The copy has arrived, and what it is compared with is there.
void checked_link::compare(std::unique_lock<std::mutex>& lock, way which, command_result how) {
  direction& of = at(which);
  const copy_command copy = std::get<copy_command>(of.now->what.what);
  const allocation& read = host_reaches_ ? copy.from : of.scratch;
  const allocation& host = host_reaches_ || which == way::out ? copy.to : copy.from;
  // Others may submit meanwhile. Nothing changes either array until the copy is reported.
  lock.unlock();
  const std::optional<std::size_t> first = first_difference(copy, read, host);
  // The measured time of a copy includes the comparison.
  how.end = std::max(how.end, given_.where.now());
  lock.lock();
  if (!first) {
    given_.counts->copy_is_same();
    return finish(lock, which, std::move(how));
  }
  given_.counts->copy_differs();
  if (of.now->attempts < max_attempts) {
    ++of.now->attempts;
    of.steps.push_back({which, false, copy});
    return;
  }
  given_.counts->copy_is_given_up();
  how.why = corrupted(given_.of.name, which, copy, *first);
  finish(lock, which, std::move(how));
}

/// Within the report of the last command that the copy needed, so that nothing is reported once the
/// device was reported lost.
void checked_link::finish(std::unique_lock<std::mutex>& lock, way which, command_result how) {
  direction& of = at(which);
  const std::uint64_t value = of.now->what.value;
  how.begin = *of.now->begin;
  lock.unlock();
  of.time.advance(value);
  given_.to.completed(of.time.stream(), value, how);
  lock.lock();
  // The next copy of the stream begins, and so ends, after this one was reported.
  of.now.reset();
}

std::deque<command> checked_link::take_waiting() noexcept {
  std::deque<command> all;
  for (direction& each : all_) {
    std::ranges::move(each.waiting, std::back_inserter(all));
    each.waiting.clear();
    each.steps.clear();
  }
  return all;
}

void checked_link::drop() {
  std::deque<command> dropped;  // go without the lock
  const std::lock_guard lock(guard_);
  is_closed_ = true;
  dropped = take_waiting();
}

void checked_link::close() {
  std::deque<command> dropped;
  std::unique_lock lock(guard_);
  is_closed_ = true;
  dropped = take_waiting();
  stepped_.wait(lock, [this] { return !is_stepping_; });
}

}  // namespace hocket::integrity
