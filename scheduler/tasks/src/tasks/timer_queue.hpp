// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <mutex>
#include <set>

#include <boost/intrusive/set.hpp>
#include <boost/smart_ptr/intrusive_ptr.hpp>
#include <boost/smart_ptr/intrusive_ref_counter.hpp>

#include <hocket/execution/executor.hpp>

namespace hocket::detail {

class timer_queue;

/// Something that is to happen at a time, unless it is called off before.
class timer : public boost::intrusive::set_base_hook<>, public boost::intrusive_ref_counter<timer> {
 public:
  timer() = default;
  timer(const timer&) = delete;
  timer& operator=(const timer&) = delete;
  virtual ~timer() = default;

  /// The time has come. Called once at most, in a thread of the executor; short.
  virtual void ring() noexcept = 0;

 private:
  friend class timer_queue;
  friend bool operator<(const timer& a, const timer& b) noexcept { return a.time_ < b.time_; }

  time_stamp time_{};
  bool called_off_ = false;
};

using timer_ptr = boost::intrusive_ptr<timer>;

/// The timers that are set. Many may be set and called off for each one that rings: nothing is
/// left of those, and the executor is asked for as few calls as possible. Any thread.
class timer_queue {
 public:
  explicit timer_queue(executor& where) : where_(where) {}
  timer_queue(const timer_queue&) = delete;
  timer_queue& operator=(const timer_queue&) = delete;
  ~timer_queue();

  /// Lets it ring at the time, or soon if that has passed, and keeps it until then. Does nothing
  /// if it was called off.
  void set(const timer_ptr& what, time_stamp time);

  /// It does not ring any more, unless it begins to at this moment.
  void call_off(timer& what) noexcept;

 private:
  void expire_due() noexcept;
  void ask_for_a_call();

  executor& where_;
  std::mutex guard_;  // for what follows
  boost::intrusive::multiset<timer> set_;
  std::multiset<time_stamp> calls_;  // that the executor owes us
};

}  // namespace hocket::detail
