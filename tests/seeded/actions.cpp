// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "actions.hpp"

#include <unordered_map>

#include "placement/shown.hpp"

namespace hocket::seeded {

namespace {

/// FNV-1a over numbers of 64 bits.
class hasher {
 public:
  void add(std::uint64_t number) noexcept {
    for (int i = 0; i < 8; ++i) add_byte(static_cast<unsigned char>(number >> (8 * i)));
  }
  [[nodiscard]] std::uint64_t value() const noexcept { return value_; }

 private:
  void add_byte(unsigned char byte) noexcept { value_ = (value_ ^ byte) * 0x100000001b3U; }

  std::uint64_t value_ = 0xcbf29ce484222325U;
};

/// Ids only name: where they come from may change, and the order in which they appear may not.
template <class Id>
class names {
 public:
  std::uint64_t of(Id id) { return all_.emplace(id, all_.size()).first->second; }
  void clear() { all_.clear(); }

 private:
  std::unordered_map<Id, std::uint64_t, std::hash<Id>> all_;
};

/// Of one program that runs in one thread.
class watcher {
 public:
  void see(const placement::action_list& actions) {
    for (const placement::action& a : actions) {
      ++count_;
      hash_.add(a.index());
      std::visit([this](const auto& each) { see(each); }, a);
    }
  }
  void forget_names() {
    tasks_.clear();
    blocks_.clear();
    data_.clear();
  }
  [[nodiscard]] watched_actions result() const { return {count_, hash_.value()}; }

  bool watches = false;

 private:
  void add(task_id id) { hash_.add(tasks_.of(id)); }
  void add(block_id id) { hash_.add(blocks_.of(id)); }
  void add(point t) {
    hash_.add(t.stream.value);
    hash_.add(t.value);
  }
  void add(const timepoint_set& all) {
    for (const point t : all) add(t);
  }
  void add(const failure& why) { hash_.add(why ? 1 + static_cast<std::uint64_t>(why.code()) : 0); }
  void add(nanoseconds time) { hash_.add(static_cast<std::uint64_t>(time.count())); }

  void see(const placement::allocate_block& a) {
    add(a.block);
    hash_.add(data_.of(a.data));
    hash_.add(a.memory.value);
    hash_.add(a.bytes);
  }
  void see(const placement::free_block& a) { add(a.block); }
  void see(const placement::issue_copy& a) {
    add(a.number);
    add(a.after);
    add(a.from);
    add(a.to);
    for (const std::size_t at : a.region.begin) hash_.add(at);
    for (const std::size_t at : a.region.end) hash_.add(at);
    hash_.add(a.bytes);
  }
  void see(const placement::issue_launch& a) {
    add(a.number);
    add(a.after);
    add(a.task->id);
    for (const placement::task_access& each : a.task->accesses) {
      if (each.block.valid()) add(each.block);
    }
  }
  void see(const placement::deliver& a) {
    add(a.task->id);
    for (const block_id each : a.blocks) add(each);
  }
  void see(const placement::complete& a) {
    add(a.task->id);
    add(a.why);
    hash_.add(a.runs_on ? 1 : 0);
  }
  void see(const placement::retire& a) { add(a.task->id); }
  void see(const placement::tell_run& a) {
    hash_.add(static_cast<std::uint64_t>(a.what));
    add(a.why);
  }
  void see(const placement::start_timer& a) {
    add(a.task->id);
    add(a.after);
  }
  void see(const placement::await_time& a) { add(a.after); }
  void see(const placement::await_probe& a) {
    hash_.add(a.device.value);
    add(a.after);
  }
  void see(const placement::answer& a) { add(a.why); }
  void see(const placement::give_up_device& a) { hash_.add(a.device.value); }
  void see(const placement::await_memory& a) {
    add(a.task);
    add(a.after);
  }
  void see(const placement::warn& /*a*/) {}
  void see(const placement::keep_task& a) { add(a.task->id); }
  void see(const placement::put_aside& a) { add(a.from); }
  void see(const placement::put_back& a) { add(a.to); }
  void see(const placement::lend_block& a) { add(a.block); }

  hasher hash_;
  std::uint64_t count_ = 0;
  names<task_id> tasks_;
  names<block_id> blocks_;
  names<data_id> data_;
};

watcher& the_watcher() {
  static watcher one;
  return one;
}

}  // namespace

void watch_actions() { the_watcher().watches = true; }
void forget_names() { the_watcher().forget_names(); }
watched_actions actions_so_far() { return the_watcher().result(); }

}  // namespace hocket::seeded

#ifdef HOCKET_SEEDED_BUGS
void hocket::placement::show(const action_list& actions) {
  if (hocket::seeded::the_watcher().watches) hocket::seeded::the_watcher().see(actions);
}
#endif
