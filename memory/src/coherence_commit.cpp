// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#include <cassert>

#include "coherence_content.hpp"

namespace hocket {

namespace {

void write_part(buffer_state& buffer, const box& region, memory_id memory, point writer) {
  if (replica_state* tile = buffer.replica_states.exact(region)) {
    tile->overwrite(memory, writer);
    return;
  }
  replica_state next;
  buffer.replica_states.each(region, [&](const replica_state& r) { next.inherit(r); });
  next.at(memory).fill(writer);
  buffer.replica_states.replace(region, std::move(next));
}

}  // namespace

timepoint_set buffer_state::ready(const box& region, memory_id memory) const {
  timepoint_set all;
  replica_states.each(region, [&](const replica_state& r) {
    const copy_state* copy = r.find(memory);
    if (copy != nullptr) all.add(copy->ready);
  });
  return all;
}

timepoint_set buffer_state::touched_by(const box& region, memory_id memory) const {
  timepoint_set all;
  replica_states.each(region, [&](const replica_state& r) {
    const copy_state* copy = r.find(memory);
    if (copy != nullptr) copy->add_touched_by(all);
  });
  return all;
}

void buffer_state::poison_if_nowhere(const box& region, const failure& why) {
  std::vector<box> nowhere;
  replica_states.visit(region, [&](const box& part, const replica_state& r) {
    if (!r.valid_anywhere()) nowhere.push_back(part);
  });
  for (const box& part : nowhere) content.lose(whole, part, why);
}

void coherence::content::copy(data_id data, const box& part, memory_id from, memory_id to,
                              issue_copy issue) {
  buffer_state& buffer = change(data);
  assert(buffer.find(to) != nullptr);
  assert(band_of(*buffer.find(to)) == nullptr || contains(*band_of(*buffer.find(to)), part));
  copy_request request{.data = data,
                       .from = from,
                       .to = to,
                       .region = part,
                       .bytes = std::uint64_t{part.elements()} * buffer.element_size,
                       .after = buffer.touched_by(part, to)};
  request.after.add(buffer.ready(part, from));
  const point done = issue(request);
  buffer.replica_states.change(part, [&](replica_state& r) {
    r.at(from).users.add(done);
    r.at(to).fill(done);
  });
  touch(data, buffer);
}

void coherence::for_missing(data_id data, const box& region, memory_id memory,
                            function_ref<void(const box&, std::span<const memory_id>)> look) const {
  for_missing(content_->at(data), region, memory, look);
}

void coherence::for_missing(const buffer_state& buffer, const box& region, memory_id memory,
                            function_ref<void(const box&, std::span<const memory_id>)> look) {
  const region_map<replica_state>& states = buffer.replica_states;
  short_list<memory_id, 4> sources;
  if (const replica_state* const all = states.only()) {
    if (all->valid(memory)) return;
    all->for_holders([&](memory_id holder) { sources.push_back(holder); });
    if (!sources.empty()) look(region, {sources.data(), sources.size()});
    return;
  }
  boost::container::small_vector<piece<holder_list>, 1> wanted;
  states.visit(region, [&](const box& part, const replica_state& r) {
    if (!r.valid(memory) && r.valid_anywhere()) wanted.push_back({part, r.holders()});
  });
  coalesce(wanted);
  for (const auto& [part, holders] : wanted) {
    sources.clear();
    for (const holder& h : holders) sources.push_back(h.memory);
    look(part, {sources.data(), sources.size()});
  }
}

timepoint_set coherence::make_valid(data_id data, const box& region, memory_id memory,
                                    choose_source choose, issue_copy issue) {
  const buffer_state& buffer = content_->at(data);
  for_missing(data, region, memory, [&](const box& part, std::span<const memory_id> sources) {
    const std::uint64_t bytes = std::uint64_t{part.elements()} * buffer.element_size;
    content_->copy(data, part, choose(sources, bytes), memory, issue);
  });
  return buffer.ready(region, memory);
}

void coherence::write_back(data_id data, memory_id from, memory_id to, issue_copy issue) {
  const buffer_state& buffer = content_->at(data);
  boost::container::small_vector<piece<holder_list>, 1> alone;
  buffer.replica_states.visit(buffer.whole, [&](const box& part, const replica_state& r) {
    if (r.sole(from)) alone.push_back({part, r.holders()});
  });
  coalesce(alone);
  for (const auto& p : alone) content_->copy(data, p.region, from, to, issue);
}

void coherence::note_read(data_id data, const box& region, memory_id memory, point reader) {
  if (!reader.valid()) return;
  buffer_state& buffer = content_->change(data);
  assert(buffer.find(memory) != nullptr);
  // A later writer may wait for a reader of other elements of a piece: that reader was issued
  // before.
  buffer.replica_states.change_about(region,
                                     [&](replica_state& r) { r.at(memory).users.add(reader); });
  content_->touch(data, buffer);
}

namespace {

/// Looks for the way that the next accesses to all of the buffer take; true if there is one.
bool find_shortcut(buffer_state& buffer, memory_id memory) {
  replica_state& all = *buffer.replica_states.only();
  origin& source = *buffer.content.only();
  if (!all.valid(memory) || !source.sound()) return false;
  shortcut& found = buffer.whole_in;
  found.alone = all.is_in_one_memory();
  found.copy = &all.at(memory);
  found.storage = buffer.find(memory);
  found.writer = &source.writer;
  found.memory = memory;
  return true;
}

}  // namespace

bool coherence::at_hand(buffer_state& buffer, memory_id memory, bool reads) {
  if (buffer.whole_in.memory == memory) return true;
  if (buffer.replica_states.only() == nullptr || buffer.content.only() == nullptr) return false;
  const replica* const storage = buffer.find(memory);
  if (storage == nullptr || storage->is_band) return false;
  return find_shortcut(buffer, memory) || !reads;
}

block_id coherence::note_at_hand(buffer_state& buffer, const whole_access& how,
                                 timepoint_set& waits) {
  shortcut& way = buffer.whole_in;
  if (way.memory != how.memory || (how.writes && !way.alone)) {
    replica_state& all = *buffer.replica_states.only();
    const copy_state* const copy = all.find(how.memory);
    way.memory = {};
    if (how.writes) {
      origin& source = *buffer.content.only();
      if (copy != nullptr) copy->add_touched_by(waits);
      all.overwrite(how.memory, how.number);
      source = {.written = true, .writer = how.task, .poison = {}};
    } else {
      waits.add(copy->ready);
      all.at(how.memory).users.add(how.number);
    }
    (void)find_shortcut(buffer, how.memory);
  } else if (how.writes) {
    way.copy->add_touched_by(waits);
    way.copy->fill(how.number);
    *way.writer = how.task;
  } else {
    waits.add(way.copy->ready);
    way.copy->users.add(how.number);
  }
  content_->touch(how.data, buffer);
  replica& used = way.memory == how.memory ? *way.storage : *buffer.find(how.memory);
  used.pins += how.pins;
  return used.block;
}

timepoint_set coherence::before_write(data_id data, const box& region, memory_id memory) const {
  return content_->at(data).touched_by(region, memory);
}

void coherence::note_write(data_id data, const box& region, memory_id memory, point writer,
                           task_id task) {
  buffer_state& buffer = content_->change(data);
  assert(buffer.find(memory) != nullptr);
  replica_state* const all = buffer.replica_states.only();
  origin* const source = buffer.content.only();
  if (all != nullptr && source != nullptr && contains(region, buffer.whole)) {
    all->overwrite(memory, writer);
    source->written = true;
    source->writer = task;
    if (source->poison) source->poison = {};
  } else {
    write_part(buffer, region, memory, writer);
    buffer.content.write(buffer.whole, region, task);
  }
  content_->touch(data, buffer);
}

}  // namespace hocket
