// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// Losses of the device, recoveries, and the content that has to be there after them.

#include "lineage_machine.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <new>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace hocket::placement {

// Losses.

void lineage_machine::lose_content() {
  bool is_copy_lost = false;
  for (model_copy& c : copies_) c.is_lost = !c.has_ended;
  for (const auto& b : buffers_) {
    for (std::size_t i = 0; i < b->elements.size(); ++i) {
      element& e = b->elements[i];
      e.has_device = false;
      if (e.has_host && e.copy != none && copies_[e.copy].is_lost) {
        e.has_host = false;
        spoil_bytes(*b, i);
        is_copy_lost = true;
      }
      if (e.is_sound() && !e.has_host) poison(e, e.writer);
    }
  }
  for (model_copy& c : copies_) c.has_ended = true;
  if (is_copy_lost) log_.versions().invalidate_cut();
  is_cut_lost_ = true;
}

void lineage_machine::lose() {
  lose_content();
  std::vector<std::size_t> undone;
  for (const std::size_t each : std::vector(pending_)) {
    model_task& t = *tasks_[each];
    const bool is_affected = !t.is_on_host || std::ranges::any_of(t.copies, [&](std::size_t c) {
      return copies_[c].is_lost;
    }) || std::ranges::any_of(t.sources, [&](std::size_t s) {
      return s != none && tasks_[s]->is_torn;
    });
    if (is_affected && !t.poisoned) tear(each, undone);
  }
  for (model_copy& c : copies_) c.is_lost = false;
  for (const std::size_t each : std::vector(pending_)) {
    const model_task& t = *tasks_[each];
    if (t.is_torn && !t.poisoned) continue;
    const bool may_stay = t.is_on_host && t.body != lineage_body::repeatable;
    if (!may_stay || t.fails || t.poisoned || one_of(2)) end(each);
  }
  recover();
  for (const std::size_t each : undone) {
    if (is_hopeless_) return;
    issue(each);
  }
  if (!is_hopeless_) expect_undisturbed();
}

void lineage_machine::tear(std::size_t number, std::vector<std::size_t>& undone) {
  model_task& t = *tasks_[number];
  if (t.body == lineage_body::view) {
    ++seen_.undone;
    log_.undone(t.known->id);
    undone.push_back(number);
    std::erase(order_, number);
    std::erase(pending_, number);
    t.sources.clear();
    t.copies.clear();
  } else {
    ++seen_.torn;
    log_.torn(t.known->id);
    t.is_torn = true;
  }
  poison_written(number);
}

bool lineage_machine::is_in_use() const {
  return std::ranges::any_of(pending_, [&](std::size_t t) { return !tasks_[t]->is_torn; });
}

recovery_plan lineage_machine::plan() {
  return log_.plan([&](data_id data) -> const box& { return at(data).known.all; },
                   [&](data_id data, visit_parts visit) {
                     const model_buffer& b = at(data);
                     const auto key = [&](std::size_t i) {
                       const element& e = b.elements[i];
                       return e.is_written && e.is_poisoned ? std::size_t{0} : none;
                     };
                     for (const box& part : parts_of(b, b.known.all, key)) visit(part);
                   });
}

void lineage_machine::recover() {
  recovery_plan made;
  bool is_lost_again = false;
  do {
    made = plan();
    if (!made.hopeless.empty()) {
      EXPECT_TRUE(is_in_use() || may_.calls_once_on_device) << made.hopeless;
      ++seen_.hopeless;
      is_hopeless_ = true;
      return;
    }
    is_lost_again = carry_out(made);
  } while (is_lost_again);
  ++seen_.recovered;
  if (is_in_use()) ++seen_.in_use;
  for (const recovery_plan::failed_part& each : made.failed) {
    model_buffer& b = at(each.data);
    each_index(b, each.region, [&](std::size_t i) { poison(b.elements[i], none); });
  }
  for (const std::size_t each : std::vector(pending_)) {
    model_task& t = *tasks_[each];
    if (!t.is_torn) continue;
    t.is_torn = false;
    finish(each, t.has_failed);
  }
  for (const auto& b : buffers_) {
    if (b->is_dropped && !b->is_gone) clear(*b);
  }
}

bool lineage_machine::carry_out(const recovery_plan& made) {
  std::vector<kept_ref> bytes;
  std::set<std::pair<model_buffer*, std::size_t>> written;
  for (const recovery_step& s : made.steps) {
    bytes.push_back(s.task == nullptr ? bytes_of(s, written) : nullptr);
    for_written(s, [&](model_buffer& b, const box& region) {
      each_index(b, region, [&](std::size_t i) { written.emplace(&b, i); });
      expect_unused(b, region);
    });
  }
  const bool loses = may_.loses_in_recoveries && !made.steps.empty() && one_of(4);
  const std::size_t last = loses ? below(made.steps.size()) : none;
  for (std::size_t i = 0; i < made.steps.size(); ++i) {
    const recovery_step& s = made.steps[i];
    if (s.task != nullptr) {
      run_again(s);
    } else if (bytes[i] != nullptr) {
      restore(s, bytes[i]);
    }
    if (i == last) lose_content();
  }
  if (loses) ++seen_.lost_again;
  return loses;
}

void lineage_machine::expect_unused(const model_buffer& b, const box& region) const {
  for (const std::size_t each : pending_) {
    if (tasks_[each]->is_torn) continue;
    for (const model_use& use : tasks_[each]->uses) {
      EXPECT_FALSE(use.buffer == &b && overlap(use.region, region)) << "changes what is in use";
    }
  }
}

kept_ref lineage_machine::bytes_of(const recovery_step& s,
                                   const std::set<std::pair<model_buffer*, std::size_t>>& written) {
  ++seen_.restored;
  if (s.from != nullptr) {
    EXPECT_TRUE(s.from->was_read);
    EXPECT_TRUE(contains(s.from->part->region(), s.region));
    return s.from;
  }
  model_buffer& b = at(s.data);
  bool is_overwritten = false;
  each_index(b, s.region, [&](std::size_t i) { is_overwritten |= written.contains({&b, i}); });
  if (!is_overwritten) {
    each_index(b, s.region,
               [&](std::size_t i) { b.elements[i] = {0, false, true, true, false, none, none}; });
    return nullptr;
  }
  auto made = std::make_shared<kept_bytes>();
  made->part = part_of_array(b.known.type, b.known.all.end, s.region);
  made->read_from(reinterpret_cast<const std::byte*>(b.block.data()));
  return made;
}

void lineage_machine::restore(const recovery_step& s, const kept_ref& from) {
  model_buffer& b = at(s.data);
  write_on_host(b, s.region, s.position);
  if (!from->write_to(reinterpret_cast<std::byte*>(b.block.data()), s.region))
    throw std::bad_alloc();
  each_index(b, s.region,
             [&](std::size_t i) { b.elements[i] = {0, false, true, true, false, none, none}; });
}

void lineage_machine::run_again(const recovery_step& s) {
  const std::size_t number = s.task->id.value;
  model_task& t = *tasks_[number];
  ++seen_.ran_again;
  EXPECT_TRUE(t.is_torn || t.body == lineage_body::repeatable);
  EXPECT_FALSE(t.has_failed && !t.is_torn);
  const bool is_on_host = t.body == lineage_body::repeatable ? one_of(3) : t.is_on_host;
  if (!has_inputs(t)) {
    t.has_failed = t.is_torn;
    return poison_all(number);
  }
  model_task ignored;
  ignored.uses = t.uses;
  bring(ignored, is_on_host);
  for (const std::size_t copy : ignored.copies) copies_[copy].has_ended = true;
  if (is_on_host) note_on_host(t, s.position);
  if (t.is_torn) ++t.runs;
  execute(number, is_on_host);
  t.has_failed = t.is_torn && t.fails;
  if (t.has_failed) poison_written(number);
}

// The expected content.

void lineage_machine::expect_undisturbed() const {
  struct wanted {
    bool is_written = false, is_poisoned = false;
    std::uint64_t value = 0;
  };
  std::map<const model_buffer*, std::vector<wanted>> all;
  for (const auto& b : buffers_) all[b.get()].resize(b->elements.size());
  for (const std::size_t number : order_) {
    const model_task& t = *tasks_[number];
    const std::uint64_t sum = digest(t, [&](const model_buffer& b, std::size_t i) {
      const wanted& w = all[&b][i];
      EXPECT_TRUE(t.has_failed || (w.is_written && !w.is_poisoned)) << "task " << number;
      return w.value;
    });
    for (const model_use& use : t.uses) {
      if (!writes_content(use.mode)) continue;
      each_index(*use.buffer, use.region, [&](std::size_t i) {
        all[use.buffer][i] = {true, t.has_failed, lineage_mix(sum, i)};
      });
    }
  }
  for (const auto& b : buffers_) {
    if (b->is_dropped) continue;
    for (std::size_t i = 0; i < b->elements.size(); ++i) {
      const element& e = b->elements[i];
      const wanted& w = all[b.get()][i];
      const std::string named = b->known.label + " " + std::to_string(i);
      EXPECT_EQ(e.is_written, w.is_written) << named;
      EXPECT_EQ(e.is_poisoned, w.is_poisoned) << named;
      if (!e.is_sound() || w.is_poisoned) continue;
      EXPECT_TRUE(e.has_host || e.has_device) << named;
      EXPECT_EQ(e.has_host ? b->block[i] : w.value, w.value) << named << " of the host";
      EXPECT_EQ(e.has_device ? e.on_device : w.value, w.value) << named << " of the device";
    }
  }
}

}  // namespace hocket::placement
