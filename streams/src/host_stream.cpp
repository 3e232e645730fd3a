// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/streams/host_stream.hpp>

#include <algorithm>
#include <atomic>
#include <cassert>
#include <mutex>
#include <utility>
#include <vector>

#include <hocket/execution/item_note.hpp>
#include <hocket/execution/wait_listener.hpp>
#include <hocket/streams/perform.hpp>

#include "host_timeline.hpp"

namespace hocket {

namespace {

// A stream with work left gives its worker back after so many commands or so much time.
constexpr std::size_t max_in_a_row = 256;
constexpr nanoseconds longest_stretch = std::chrono::microseconds(200);

// A virtual clock stops there, so that more can be added to its time.
constexpr time_stamp end_of_time = time_stamp::max() / 2;

}  // namespace

/// What outlives the stream itself: items that were posted and not run yet hold it.
///
/// From a submission into an idle stream until the stream has run dry exactly one party continues
/// it
/// ("attends"): a posted item, a worker in run(), another timeline, or a timer. That party alone
/// touches what stands from batch_ to timed_; each hands them to the next under some lock.
class host_stream::core final : public timeline_waiter, public std::enable_shared_from_this<core> {
 public:
  core(executor& where, std::shared_ptr<host_epoch> epoch, host_stream_options options)
      : where_(where),
        epoch_(std::move(epoch)),
        options_(std::move(options)),
        timeline_(options_.id, epoch_) {}

  void submit(command&& what);
  void close();
  void resume() override;
  [[nodiscard]] host_timeline& time() noexcept { return timeline_; }

 private:
  struct ending {
    std::uint64_t value = 0;
    command_result how;
  };
  struct queued_command {
    command what;
    /// From when on the modelled device could begin it, were it not for the commands before.
    time_stamp ready = time_stamp::max();
  };
  class leaver;

  void run();
  void end_timed();
  [[nodiscard]] bool enter();
  void leave();
  [[nodiscard]] bool drain();
  [[nodiscard]] bool take_batch();
  [[nodiscard]] host_timeline::state waits();
  [[nodiscard]] time_stamp ready_from_now(const command& what) const;
  [[nodiscard]] bool perform_next();
  [[nodiscard]] failure perform(const command& what);
  [[nodiscard]] failure perform_leaving(command& what, bool& left);
  void go_on_without(std::uint64_t value);
  void end_apart(ending&& e);
  void refuse_next();
  void end(const ending& e);

  executor& where_;
  const std::shared_ptr<host_epoch> epoch_;
  const host_stream_options options_;
  host_timeline timeline_;

  std::vector<queued_command> batch_;
  std::size_t next_ = 0;     // in batch_
  std::size_t checked_ = 0;  // timepoints of the next command that are done
  time_stamp latest_{};      // the end of what was performed last
  time_stamp free_{};        // when the last command ended, as modelled, or left
  ending timed_;             // of a command whose modelled time is not over

  std::mutex mutex_;  // guards what follows
  std::vector<queued_command> incoming_;
  bool polled_ = false;
  // Who runs or ends commands: one, others about to leave, and those with a command that left.
  std::size_t inside_ = 0;
  std::shared_ptr<executor::gate> left_;
  std::atomic<bool> closed_{false};  // written under the mutex
};

void host_stream::core::submit(command&& what) {
  const time_stamp ready = ready_from_now(what);
  {
    const std::lock_guard lock(mutex_);
    if (closed_ || epoch_->ended()) return;
    incoming_.push_back({std::move(what), ready});
    if (std::exchange(polled_, true)) return;
  }
  resume();
}

void host_stream::core::resume() {
  where_.post(options_.arena, options_.priority, [self = shared_from_this()] { self->run(); });
}

void host_stream::core::run() {
  if (!enter()) return;
  const bool more = drain();
  leave();
  if (more) resume();
}

bool host_stream::core::enter() {
  const std::lock_guard lock(mutex_);
  if (closed_) return false;
  ++inside_;
  return true;
}

void host_stream::core::leave() {
  std::shared_ptr<executor::gate> left;
  {
    const std::lock_guard lock(mutex_);
    if (--inside_ == 0) left.swap(left_);
  }
  if (left) left->open();
}

/// Returns true if the caller still attends the stream and is to post it again.
bool host_stream::core::drain() {
  const time_stamp start = where_.now();
  latest_ = start;
  for (std::size_t count = 0; take_batch(); ++count) {
    if (count == max_in_a_row || latest_ - start > longest_stretch) return true;
    switch (waits()) {
      case host_timeline::state::pending:
        return false;
      case host_timeline::state::lost:
        refuse_next();
        break;
      case host_timeline::state::reached:
        if (!perform_next()) return false;
    }
  }
  return false;
}

/// Returns false if there is nothing to do; the caller then attends the stream no more.
bool host_stream::core::take_batch() {
  if (closed_ || epoch_->ended()) return false;
  if (next_ < batch_.size()) return true;
  batch_.clear();
  next_ = 0;
  const std::lock_guard lock(mutex_);
  batch_.swap(incoming_);
  polled_ = !batch_.empty();
  return polled_;
}

/// Where it is pending, the other timeline attends this stream when it returns.
host_timeline::state host_stream::core::waits() {
  const auto& after = batch_[next_].what.after;
  for (; checked_ < after.size(); ++checked_) {
    const timepoint point = after[checked_];
    if (point.done()) continue;
    const auto& other = static_cast<const host_timeline&>(*point.on);
    const auto state = other.when(point.value, shared_from_this());
    if (state != host_timeline::state::reached) return state;
  }
  return host_timeline::state::reached;
}

/// For a launch that has to wait for no other stream, and whose time is modelled beside a real
/// clock. The end of what other commands wait for is only known when a thread sees it.
time_stamp host_stream::core::ready_from_now(const command& what) const {
  if (!options_.duration || where_.is_virtual() || what.launch() == nullptr ||
      !std::ranges::all_of(what.after, &timepoint::done)) {
    return time_stamp::max();
  }
  return where_.now();
}

/// Returns false if a timer, or another worker, attends the stream now.
bool host_stream::core::perform_next() {
  ending e;
  nanoseconds modelled{0};
  bool left = false;
  {
    const time_stamp ready = batch_[next_].ready;
    command& what = batch_[next_++].what;
    checked_ = 0;
    assert(what.value == timeline_.completed() + 1);
    e.value = what.value;
    if (options_.duration) modelled = options_.duration(what);
    e.how.begin = where_.now();
    // The device that is modelled has a queue: it goes on when a command ends, and not later, when
    // a thread hears of that.
    if (modelled > nanoseconds{0}) e.how.begin = std::min(e.how.begin, std::max(free_, ready));
    const launch_command* const launch = what.launch();
    e.how.why =
        launch != nullptr && launch->may_leave ? perform_leaving(what, left) : perform(what);
    // It is gone, with what it keeps alive, before anybody hears that it has ended.
    if (!left) what.what.emplace<failed_command>();
  }
  const time_stamp now = where_.now();
  const time_stamp due = e.how.begin + std::min(modelled, end_of_time - e.how.begin);
  e.how.end = std::max(now, due);
  if (left) {
    end_apart(std::move(e));
    return false;
  }
  latest_ = now;
  free_ = e.how.end;
  if (due <= now) {
    end(e);
    return true;
  }
  timed_ = std::move(e);
  where_.post_at(due, [self = shared_from_this()] { self->end_timed(); });
  return false;
}

/// Lets the stream go on when a command's body begins to wait, which then belongs to nobody else.
class host_stream::core::leaver final : public wait_listener {
 public:
  leaver(core& home, command& what) noexcept : home_(home), what_(what) { begin_listening(); }
  ~leaver() override { end_listening(); }

 private:
  void begins_to_wait() noexcept override {
    // Other threads take the command itself, now.
    kept_ = std::move(std::get<launch_ref>(what_.what));
    home_.go_on_without(what_.value);
  }

  core& home_;
  command& what_;
  launch_ref kept_;
};

failure host_stream::core::perform_leaving(command& what, bool& left) {
  leaver listens(*this, what);
  const item_note at(item_note::kind::launch, what.launch());
  failure why = perform(what);
  left = listens.was_told();
  return why;
}

void host_stream::core::go_on_without(std::uint64_t value) {
  free_ = where_.now();
  if (!epoch_->ended()) {
    timeline_.reach(value);
    epoch_->report_left(options_.id, value, free_);
  }
  resume();
}

/// Of a command that has left, by who performed it.
void host_stream::core::end_apart(ending&& e) {
  if (e.how.end <= where_.now()) {
    epoch_->report_ended_apart(options_.id, e.value, e.how);
    return;
  }
  const time_stamp due = e.how.end;
  where_.post_at(due, [self = shared_from_this(), own = std::move(e)] {
    if (!self->enter()) return;
    self->epoch_->report_ended_apart(self->options_.id, own.value, own.how);
    self->leave();
  });
}

failure host_stream::core::perform(const command& what) {
  // The loss is told after this: whoever hears of it may take the memory back.
  if (!epoch_->enter()) return {};
  failure why =
      options_.perform ? options_.perform(what) : perform_on_host(where_, options_.arena, what);
  epoch_->leave();
  return why;
}

void host_stream::core::end_timed() {
  if (!enter()) return;
  end(std::exchange(timed_, {}));
  leave();
  resume();
}

void host_stream::core::refuse_next() {
  const command what = std::move(batch_[next_++].what);
  const timepoint point = what.after[std::exchange(checked_, 0)];
  const failure why(failure_code::device_lost,
                    "A command of stream " + std::to_string(options_.id.value) +
                        " waits for stream " + std::to_string(point.on->stream().value) +
                        ", whose device is lost.");
  free_ = where_.now();
  end({what.value, {why, free_, free_}});
}

void host_stream::core::end(const ending& e) {
  if (epoch_->ended()) return;
  timeline_.reach(e.value);
  epoch_->report(options_.id, e.value, e.how);
}

void host_stream::core::close() {
  bool busy = false;
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    busy = inside_ > 0;
  }
  if (busy) {
    where_.wait([this](std::shared_ptr<executor::gate> gate) {
      std::unique_lock lock(mutex_);
      if (inside_ > 0) {
        left_ = std::move(gate);
        return;
      }
      lock.unlock();
      gate->open();
    });
  }
  // Nobody is inside and nobody comes in again.
  timeline_.drop_all();
  incoming_.clear();
  batch_.clear();
}

host_stream::host_stream(executor& where, std::shared_ptr<host_epoch> epoch,
                         host_stream_options options)
    : core_(std::make_shared<core>(where, std::move(epoch), std::move(options))) {}

host_stream::~host_stream() { close(); }

void host_stream::close() { core_->close(); }

void host_stream::submit(command&& what) { core_->submit(std::move(what)); }

const timeline& host_stream::time() const noexcept { return core_->time(); }

void host_stream::wake_waiters() { core_->time().wake_all(); }

}  // namespace hocket
