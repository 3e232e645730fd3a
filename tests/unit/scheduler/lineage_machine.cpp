// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// The program of the machine: what its tasks and copies do, and cuts of its log.

#include "lineage_machine.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

namespace hocket::placement {

lineage_machine::lineage_machine(std::uint64_t seed, const options& may, counts& seen)
    : random_(seed), may_(may), seen_(seen) {
  const std::size_t buffers = 1 + below(3);
  for (std::size_t i = 0; i < buffers; ++i) add_buffer();
}

void lineage_machine::run() {
  const std::size_t steps = 6 + below(30);
  for (std::size_t i = 0; i < steps && !is_hopeless_; ++i) step();
  if (!is_hopeless_) lose();
  if (!is_hopeless_) lose();
}

// Elements and regions.

box lineage_machine::box_of(const model_buffer& b, std::size_t i) {
  const index_list& extents = b.known.all.end;
  const index_list strides = dense_strides(extents);
  box made = b.known.all;
  for (std::size_t d = 0; d < extents.size(); ++d) {
    made.begin[d] = i / strides[d] % extents[d];
    made.end[d] = made.begin[d] + 1;
  }
  return made;
}

box lineage_machine::any_part(const model_buffer& b) {
  box made = b.known.all;
  if (one_of(3)) return made;
  for (std::size_t d = 0; d < made.rank(); ++d) {
    made.begin[d] = below(made.end[d]);
    made.end[d] = made.begin[d] + 1 + below(made.end[d] - made.begin[d]);
  }
  return made;
}

void lineage_machine::add_buffer() {
  static const std::vector<index_list> shapes = {{1}, {3}, {5}, {8}, {2, 3}, {4, 2}, {2, 2, 2}};
  auto made = std::make_unique<model_buffer>(
      model_buffer{{buffers_.size(), shapes[below(shapes.size())]}, {}, {}});
  made->elements.resize(made->known.all.elements());
  made->block.resize(made->elements.size());
  buffers_.push_back(std::move(made));
}

std::vector<lineage_machine::model_buffer*> lineage_machine::live() {
  std::vector<model_buffer*> all;
  for (const auto& each : buffers_) {
    if (!each->is_dropped) all.push_back(each.get());
  }
  return all;
}

lineage_machine::model_buffer& lineage_machine::any_live() {
  const std::vector<model_buffer*> all = live();
  return *all[below(all.size())];
}

lineage_machine::model_buffer& lineage_machine::at(data_id data) {
  EXPECT_FALSE(buffers_[data.value]->is_gone);
  return *buffers_[data.value];
}

// The effects of commands.

void lineage_machine::write_on_host(model_buffer& b, const box& region, std::uint64_t position) {
  log_.versions().write(b.known, region, position, reader_of(b));
}

void lineage_machine::copy_to_host(model_buffer& b, const box& region) {
  const auto missing = [&](std::size_t i) {
    const element& e = b.elements[i];
    return e.has_device && !e.has_host ? e.writer + 1 : none;
  };
  for (const box& part : parts_of(b, region, missing)) {
    write_on_host(b, part, 0);
    std::size_t source = none;
    each_index(b, part, [&](std::size_t i) {
      element& e = b.elements[i];
      b.block[i] = e.on_device;
      e.has_host = true;
      e.copy = copies_.size();
      source = e.writer;
    });
    copies_.push_back({source});
  }
}

void lineage_machine::bring(model_task& t, bool to_host) {
  for (const model_use& use : t.uses) {
    if (!reads_content(use.mode)) continue;
    model_buffer& b = *use.buffer;
    if (to_host) copy_to_host(b, use.region);
    each_index(b, use.region, [&](std::size_t i) {
      element& e = b.elements[i];
      if (e.copy != none) t.copies.insert(e.copy);
      t.sources.insert(e.writer);
      if (to_host || e.has_device) return;
      e.on_device = b.block[i];
      e.has_device = true;
    });
  }
}

void lineage_machine::execute(std::size_t number, bool on_host) {
  model_task& t = *tasks_[number];
  const std::uint64_t sum =
      digest(t, [](const model_buffer& b, std::size_t i) { return b.value(i); });
  for (const model_use& use : t.uses) {
    if (!writes_content(use.mode)) continue;
    each_index(*use.buffer, use.region, [&](std::size_t i) {
      element& e = use.buffer->elements[i];
      e = {lineage_mix(sum, i), !on_host, on_host, true, false, number, none};
      if (on_host) use.buffer->block[i] = e.on_device;
    });
  }
}

void lineage_machine::poison(element& e, std::size_t writer) {
  e = {0, false, false, true, true, writer, none};
}

void lineage_machine::poison_written(std::size_t number) {
  for (const model_use& use : tasks_[number]->uses) {
    if (!writes_content(use.mode)) continue;
    each_index(*use.buffer, use.region, [&](std::size_t i) {
      element& e = use.buffer->elements[i];
      if (e.writer != number) return;
      if (e.has_host) spoil_bytes(*use.buffer, i);
      poison(e, number);
    });
  }
}

void lineage_machine::poison_all(std::size_t number) {
  for (const model_use& use : tasks_[number]->uses) {
    if (!writes_content(use.mode)) continue;
    each_index(*use.buffer, use.region,
               [&](std::size_t i) { poison(use.buffer->elements[i], number); });
  }
}

bool lineage_machine::has_inputs(const model_task& t) {
  return std::ranges::all_of(t.uses, [](const model_use& use) {
    bool is_sound = true;
    each_index(*use.buffer, use.region, [&](std::size_t i) {
      if (reads_content(use.mode) && !use.buffer->elements[i].is_sound()) is_sound = false;
    });
    return is_sound;
  });
}

// The program.

void lineage_machine::step() {
  switch (below(16)) {
    case 0:
      return one_of(2) ? lose() : void();
    case 1:
      return copy_some();
    case 2:
      return one_of(2) ? evict_from_host() : evict_from_device();
    case 3:
      return one_of(2) ? drop_some() : void();
    case 4:
      return begin_cut();
    case 5:
      return end_copies();
    case 6:
    case 7:
      return end_some();
    default:
      return submit();
  }
}

void lineage_machine::copy_some() {
  model_buffer& b = any_live();
  copy_to_host(b, any_part(b));
}

void lineage_machine::end_copies() {
  for (model_copy& c : copies_) {
    const bool can_end = c.source == none || tasks_[c.source]->has_ended;
    if (can_end && !one_of(3)) c.has_ended = true;
  }
  end_cut();
}

bool lineage_machine::is_pending_in(const model_buffer& b) const {
  return std::ranges::any_of(pending_, [&](std::size_t each) {
    return std::ranges::any_of(tasks_[each]->uses,
                               [&](const model_use& use) { return use.buffer == &b; });
  });
}

void lineage_machine::evict_from_host() {
  model_buffer& b = any_live();
  const bool is_needed = std::ranges::any_of(
      b.elements, [](const element& e) { return e.is_sound() && !e.has_device; });
  if (is_needed || is_pending_in(b)) return;
  log_.versions().drop_block(b.known, reader_of(b));
  for (std::size_t i = 0; i < b.elements.size(); ++i) {
    spoil_bytes(b, i);
    b.elements[i].has_host = false;
    b.elements[i].copy = none;
  }
}

void lineage_machine::evict_from_device() {
  model_buffer& b = any_live();
  if (is_pending_in(b)) return;
  copy_to_host(b, b.known.all);
  for (element& e : b.elements) e.has_device = false;
}

void lineage_machine::drop_some() {
  model_buffer& b = any_live();
  if (is_pending_in(b)) return;
  ++seen_.dropped;
  b.is_gone = !log_.tasks().uses(b.known.id);
  if (b.is_gone) {
    log_.versions().forget(b.known.id);
  } else {
    log_.versions().drop_block(b.known, reader_of(b));
    log_.dropped(b.known);
  }
  b.is_dropped = true;
  clear(b);
  add_buffer();
}

void lineage_machine::clear(model_buffer& b) {
  log_.versions().forget_block(b.known.id);
  for (element& e : b.elements) e = {};
  for (std::size_t i = 0; i < b.block.size(); ++i) spoil_bytes(b, i);
}

lineage_body lineage_machine::any_body() {
  if (!may_.calls_once || !one_of(3)) return lineage_body::repeatable;
  if (may_.calls_once_on_device && one_of(3)) return lineage_body::with_captures;
  return one_of(3) ? lineage_body::view : lineage_body::host_only;
}

std::size_t lineage_machine::any_task() {
  auto made = std::make_unique<model_task>();
  model_task& t = *made;
  t.body = any_body();
  const bool may_choose =
      t.body == lineage_body::repeatable || t.body == lineage_body::with_captures;
  t.is_on_host = may_choose ? one_of(4) : true;
  if (t.body == lineage_body::with_captures && !one_of(2)) t.is_on_host = false;
  t.fails = one_of(12);
  const std::size_t uses = 1 + below(3);
  for (std::size_t i = 0; i < uses; ++i) {
    model_buffer& b = any_live();
    const model_use use{&b, static_cast<access_mode>(below(3)), any_part(b)};
    if (std::ranges::none_of(t.uses, [&](const model_use& u) { return conflict(u, use); })) {
      t.uses.push_back(use);
    }
  }
  tasks_.push_back(std::move(made));
  return tasks_.size() - 1;
}

bool lineage_machine::conflict(const model_use& u, const model_use& v) {
  return u.buffer == v.buffer && (writes_content(u.mode) || writes_content(v.mode)) &&
         overlap(u.region, v.region);
}

bool lineage_machine::conflict(std::size_t t, std::size_t other) const {
  return std::ranges::any_of(tasks_[t]->uses, [&](const model_use& u) {
    return std::ranges::any_of(tasks_[other]->uses,
                               [&](const model_use& v) { return conflict(u, v); });
  });
}

void lineage_machine::submit() {
  const std::size_t number = any_task();
  model_task& t = *tasks_[number];
  // Mostly content comes first.
  if (!has_inputs(t) && !one_of(6)) {
    for (model_use& use : t.uses) use.mode = access_mode::write;
    t.uses.resize(1);
  }
  std::vector<lineage_use> uses;
  for (const model_use& u : t.uses) uses.push_back({&u.buffer->known, u.mode, u.region});
  t.known = std::make_unique<lineage_task>(task_id{number}, t.body, uses);
  issue(number);
}

void lineage_machine::issue(std::size_t number) {
  model_task& t = *tasks_[number];
  // Nothing is issued behind a function of the host before that has ended.
  for (const std::size_t each : std::vector(pending_)) {
    const model_task& p = *tasks_[each];
    const bool has_to_end = p.is_on_host && (p.body != lineage_body::repeatable || one_of(2));
    if (has_to_end && conflict(each, number)) end_behind_others(each);
  }
  order_.push_back(number);
  if (!has_inputs(t)) {
    log_.failed_unissued(*t.known, lineage_failure);
    t.has_ended = t.has_failed = true;
    ++seen_.failed;
    return poison_all(number);
  }
  bring(t, t.is_on_host);
  log_.issued(*t.known);
  if (t.is_on_host) note_on_host(t, log_.tasks().next() - 1);
  execute(number, t.is_on_host);
  pending_.push_back(number);
}

void lineage_machine::note_on_host(const model_task& t, std::uint64_t position) {
  for (const model_use& use : t.uses) {
    if (writes_content(use.mode)) write_on_host(*use.buffer, use.region, position);
  }
}

void lineage_machine::end_some() {
  for (std::size_t n = 1 + below(3); n > 0 && !pending_.empty(); --n) {
    end_behind_others(pending_[below(pending_.size())]);
  }
}

void lineage_machine::end_behind_others(std::size_t number) {
  for (const std::size_t each : std::vector(pending_)) {
    if (each == number) break;
    if (!tasks_[each]->has_ended && conflict(each, number)) end_behind_others(each);
  }
  end(number);
}

void lineage_machine::end(std::size_t number) {
  model_task& t = *tasks_[number];
  if (t.has_ended) return;
  for (const std::size_t copy : t.copies) copies_[copy].has_ended = true;
  finish(number, t.fails || t.poisoned);
  if (!t.has_failed) return;
  for (const std::size_t each : pending_) {
    if (tasks_[each]->sources.contains(number)) tasks_[each]->poisoned = true;
  }
  poison_written(number);
}

void lineage_machine::finish(std::size_t number, bool has_failed) {
  model_task& t = *tasks_[number];
  t.has_ended = true;
  t.has_failed = has_failed;
  if (has_failed) ++seen_.failed;
  std::erase(pending_, number);
  log_.ended(t.known->id, has_failed ? lineage_failure : failure());
}

void lineage_machine::begin_cut() {
  if (log_.is_cutting() || log_.tasks().size() == 0) return;
  log_.begin_cut();
  is_cut_lost_ = false;
  cut_needs_.clear();
  for (model_buffer* const b : live()) {
    copy_to_host(*b, b->known.all);
    const auto key = [&](std::size_t i) {
      const element& e = b->elements[i];
      if (!e.is_sound()) return none;
      if (e.copy != none) cut_needs_.insert(e.copy);
      const bool has_copy = e.copy == none || copies_[e.copy].has_ended;
      const bool has_writer = e.copy != none || e.writer == none || tasks_[e.writer]->has_ended;
      return static_cast<std::size_t>(has_copy && has_writer);
    };
    for (const box& part : parts_of(*b, b->known.all, key)) {
      std::size_t is_there = 0;
      each_index(*b, part, [&](std::size_t i) { is_there = key(i); });
      is_there != 0 ? log_.versions().has_at_cut(b->known, part)
                    : log_.versions().comes_for_cut(b->known, part);
    }
  }
}

void lineage_machine::end_cut() {
  const bool has_copies =
      std::ranges::all_of(cut_needs_, [&](std::size_t copy) { return copies_[copy].has_ended; });
  if (!log_.is_cutting() || !has_copies || !log_.can_end_cut()) return;
  if (is_cut_lost_) log_.versions().invalidate_cut();
  if (!log_.end_cut()) return;
  ++seen_.cut;
  for (const auto& b : buffers_) {
    if (b->is_dropped && !log_.tasks().uses(b->known.id)) b->is_gone = true;
  }
  for (model_buffer* const b : live()) {
    for (std::size_t i = 0; i < b->elements.size(); ++i) {
      if (b->elements[i].is_written && b->elements[i].is_poisoned) {
        log_.forgets_poisoned(b->known.id, box_of(*b, i));
      }
    }
  }
}

}  // namespace hocket::placement
