// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include <hocket/memory/coherence.hpp>

namespace hocket::protocol {

/// Mistakes of a caller of coherence, which the machine makes on purpose: a check that does not
/// find each of them proves nothing.
enum class fault {
  none,
  writer_ignores_readers,
  update_ignores_readers,
  source_not_told_of_copy,
  copy_ignores_source,
  copy_ignores_old_content,
  free_at_once,
  free_ignores_readers,
  free_ignores_copies,
  last_copy_dropped,
};

enum class verb { read, write, update, prefetch, evict, settle };

struct operation {
  verb what;
  std::size_t data;
  memory_id memory;
  box region;
};

[[nodiscard]] inline std::string to_string(const operation& op) {
  constexpr std::array names{"read", "write", "update", "prefetch", "evict", "settle"};
  std::string text = names[static_cast<std::size_t>(op.what)];
  if (op.what == verb::settle) return text;
  text += " d" + std::to_string(op.data);
  if (op.what != verb::evict) text += hocket::to_string(op.region);
  return text + "@" + std::to_string(op.memory.value);
}

/// Runs operations through a real `coherence` and checks what it answers. Every command becomes a
/// node of a DAG whose edges are the waits it was given, and nothing else (each has a stream of its
/// own) unless streams are shared. Where every two commands that conflict on an element of a block
/// are ordered by that DAG, all legal interleavings give the values of program order, and those are
/// compared. Blocks hold the version of each element instead of bytes.
template <std::size_t Commands>
class machine {
 public:
  using command_set = std::bitset<Commands>;

  machine(std::size_t memories, fault injected, bool last_source)
      : memories_(memories), fault_(injected), last_source_(last_source), coherence_(memories) {}

  /// Buffers are numbered from zero.
  void add(const index_list& extents) {
    buffer b{.data = data_id{buffers_.size()},
             .extents = extents,
             .whole = box::whole(extents),
             .sequential = {},
             .blocks = {}};
    b.sequential.assign(volume(extents), 0);
    b.blocks.resize(memories_);
    coherence_.add(b.data, extents, sizeof(float));
    buffers_.push_back(std::move(b));
  }

  /// Commands go round n in-order streams from here on.
  void share_streams(std::size_t n) { streams_.resize(n); }

  /// False if the operation is not allowed now; nothing has happened then.
  bool apply(const operation& op) {
    buffer& b = buffers_[op.data];
    bool allowed = true;
    switch (op.what) {
      case verb::read:
        allowed = read(b, op);
        break;
      case verb::write:
      case verb::update:
        allowed = write(b, op);
        break;
      case verb::prefetch:
        allowed = readable(b, op.region);
        if (allowed) make_valid(b, op.region, op.memory);
        break;
      case verb::evict:
        allowed = evict(b, op.memory);
        break;
      case verb::settle:
        finish_all();
        break;
    }
    if (allowed) check_claims(b);
    return allowed;
  }

  /// Pins keep a replica from being evicted.
  void pin(std::size_t data, memory_id memory) {
    if (buffers_[data].blocks[memory.value].block.valid()) coherence_.pin(data_id{data}, memory);
  }
  void unpin(std::size_t data, memory_id memory) { coherence_.unpin(data_id{data}, memory); }

  /// Forgets a buffer and begins again with an empty one.
  void renew(std::size_t data) {
    buffer& b = buffers_[data];
    for (const released_block& released : coherence_.remove(b.data)) free(b, released);
    for (const physical& p : b.blocks) {
      if (p.block.valid()) complain("a removed buffer kept a block");
    }
    b.sequential.assign(b.sequential.size(), 0);
    coherence_.add(b.data, b.extents, sizeof(float));
  }

  /// The task that runs as this command fails; what it left in its output is nobody's value.
  void fail(std::size_t command) {
    if (finished_[command] || !commands_[command].writes) return;
    command_set failed;
    failed.set(command);
    poison_outputs(failed);
  }

  /// A memory is lost, and with it the commands that run there or copy from it and have not ended.
  void lose(memory_id memory) {
    for (const released_block& released : coherence_.lose(memory, error())) {
      if (!released.after.empty()) complain("a lost block has timepoints");
    }
    for (buffer& b : buffers_) b.blocks[memory.value] = {};
    command_set copies;
    command_set kernels;
    for (std::size_t c = 0; c < commands_.size(); ++c) {
      const record& r = commands_[c];
      if (finished_[c]) continue;
      const bool lost = r.from == memory || r.to == memory || (r.providers & copies).any();
      if (lost) (r.copy ? copies : kernels).set(c);
      if (lost && r.copy && r.to != memory) fail_copy(c);
    }
    poison_outputs(kernels);
    for (const buffer& b : buffers_) check_claims(b);
  }

  /// The command ends, after all before it, and the host learns of it.
  void finish(std::size_t command) {
    finished_ |= commands_[command].before;
    finished_.set(command);
    prune();
  }
  void finish_all() {
    for (std::size_t c = 0; c < commands_.size(); ++c) finished_.set(c);
    prune();
  }

  /// The first thing that went wrong; empty if nothing did.
  [[nodiscard]] const std::string& violation() const noexcept { return violation_; }
  [[nodiscard]] std::size_t commands() const noexcept { return commands_.size(); }

 private:
  struct element {
    int writer = -1;
    command_set readers;
    std::uint64_t value = 0;  // the version: 1 + the command that wrote it
  };
  struct physical {
    block_id block;
    command_set users;
    command_set copies_out;
    std::vector<element> elements;
  };
  struct buffer {
    data_id data;
    index_list extents;
    box whole;
    std::vector<std::uint64_t> sequential;  // the version in program order, 0 before the first
    std::vector<physical> blocks;
  };
  struct record {
    command_set before;     // all that has ended when the command begins
    command_set providers;  // that filled what it reads
    command_set inputs;     // whose versions it reads
    std::size_t data;
    box region;
    memory_id from;
    memory_id to;  // for a kernel the same as from
    bool copy;
    bool writes;
    point end;
  };

  static failure error() { return failure(failure_code::device_lost, "A device is lost."); }

  template <class Function>
  static void for_elements(const buffer& b, const box& region, const Function& function) {
    if (region.empty()) return;
    index_list at = region.begin;
    for (bool more = true; more;) {
      std::size_t linear = 0;
      for (std::size_t d = 0; d < at.size(); ++d) linear = linear * b.extents[d] + at[d];
      function(linear);
      more = false;
      for (std::size_t d = at.size(); d-- > 0 && !more;) {
        more = ++at[d] < region.end[d];
        if (!more) at[d] = region.begin[d];
      }
    }
  }

  void complain(const char* what) {
    if (violation_.empty()) violation_ = what;
  }

  [[nodiscard]] std::size_t command_of(point t) const {
    if (streams_.empty()) return t.stream.value;
    return streams_[t.stream.value][t.value - 1];
  }

  [[nodiscard]] command_set closure(const timepoint_set& after) const {
    command_set all = finished_;
    for (const point t : after) {
      const std::size_t c = command_of(t);
      all |= commands_[c].before;
      all.set(c);
    }
    return all;
  }

  [[nodiscard]] timepoint_set without(const timepoint_set& points,
                                      const command_set& dropped) const {
    timepoint_set kept;
    for (const point t : points) {
      if (!dropped[command_of(t)]) kept.add(t);
    }
    return kept;
  }

  std::size_t command(record r, const timepoint_set& after) {
    const std::size_t c = commands_.size();
    if (c == Commands) throw std::length_error("The machine has room for fewer commands.");
    r.before = closure(after);
    r.end = {stream_id{c}, 1};
    if (!streams_.empty()) {
      const std::size_t s = c % streams_.size();
      if (!streams_[s].empty()) {
        r.before |= commands_[streams_[s].back()].before;
        r.before.set(streams_[s].back());
      }
      streams_[s].push_back(c);
      r.end = {stream_id{s}, streams_[s].size()};
    }
    commands_.push_back(std::move(r));
    return c;
  }

  void reads(const buffer& b, physical& p, const box& region, std::size_t c) {
    record& r = commands_[c];
    p.users.set(c);
    if (r.copy) p.copies_out.set(c);
    for_elements(b, region, [&](std::size_t e) {
      element& x = p.elements[e];
      x.readers.set(c);
      if (x.value != b.sequential[e]) complain("a reader does not see the value of program order");
      if (x.writer < 0) return;
      const auto writer = static_cast<std::size_t>(x.writer);
      if (!r.before[writer]) complain("a reader is not ordered after the writer");
      r.providers.set(writer);
      if (x.value - 1 < Commands) r.inputs.set(x.value - 1);
    });
  }

  void writes(const buffer& b, physical& p, const box& region, std::size_t c) {
    const command_set& before = commands_[c].before;
    p.users.set(c);
    for_elements(b, region, [&](std::size_t e) {
      element& x = p.elements[e];
      command_set others = x.readers;
      others.reset(c);
      if ((others & ~before).any()) complain("a writer is not ordered after a reader");
      if (x.writer >= 0 && !before[static_cast<std::size_t>(x.writer)]) {
        complain("a writer is not ordered after the writer before it");
      }
      x.writer = static_cast<int>(c);
      x.readers.reset();
    });
  }

  point copy(const copy_request& request, bool really) {
    buffer& b = buffers_[request.data.value];
    physical& from = b.blocks[request.from.value];
    physical& to = b.blocks[request.to.value];
    timepoint_set after = request.after;
    command_set dropped;
    if (fault_ == fault::copy_ignores_source) {
      for_elements(b, request.region, [&](std::size_t e) {
        if (from.elements[e].writer >= 0) {
          dropped.set(static_cast<std::size_t>(from.elements[e].writer));
        }
      });
    }
    if (fault_ == fault::copy_ignores_old_content) dropped |= to.users;
    if (fault_ == fault::source_not_told_of_copy) dropped |= to.copies_out;
    if (dropped.any()) after = without(after, dropped);
    if (request.bytes != request.region.elements() * sizeof(float)) complain("a copy miscounts");
    const std::size_t c = command({.before = {},
                                   .providers = {},
                                   .inputs = {},
                                   .data = request.data.value,
                                   .region = request.region,
                                   .from = request.from,
                                   .to = request.to,
                                   .copy = true,
                                   .writes = false,
                                   .end = {}},
                                  after);
    reads(b, from, request.region, c);
    writes(b, to, request.region, c);
    for_elements(b, request.region, [&](std::size_t e) {
      to.elements[e].value = really ? from.elements[e].value : 0;
    });
    return commands_[c].end;
  }

  timepoint_set make_valid(buffer& b, const box& region, memory_id memory) {
    give_block(b, memory);
    const std::uint64_t missing = coherence_.missing(b.data, region, memory);
    std::uint64_t copied = 0;
    const auto choose = [&](std::span<const memory_id> sources, std::uint64_t) {
      return last_source_ ? sources.back() : sources.front();
    };
    const auto issue = [&](const copy_request& request) {
      copied += request.bytes;
      return copy(request, true);
    };
    timepoint_set after = coherence_.make_valid(b.data, region, memory, choose, issue);
    if (copied != missing) complain("missing() is not what make_valid copies");
    return after;
  }

  void give_block(buffer& b, memory_id memory) {
    physical& p = b.blocks[memory.value];
    if (p.block.valid()) return;
    p = {.block = block_id{blocks_++}, .users = {}, .copies_out = {}, .elements = {}};
    p.elements.resize(b.sequential.size());
    coherence_.set_block(b.data, memory, p.block);
  }

  [[nodiscard]] bool readable(const buffer& b, const box& region) const {
    return coherence_.content_of(b.data).is_written(region) &&
           !coherence_.content_of(b.data).poison_of(region);
  }

  std::size_t kernel(const buffer& b, const operation& op, const timepoint_set& after,
                     bool writes) {
    return command({.before = {},
                    .providers = {},
                    .inputs = {},
                    .data = b.data.value,
                    .region = op.region,
                    .from = op.memory,
                    .to = op.memory,
                    .copy = false,
                    .writes = writes,
                    .end = {}},
                   after);
  }

  bool read(buffer& b, const operation& op) {
    if (!readable(b, op.region)) return false;
    const timepoint_set after = make_valid(b, op.region, op.memory);
    const std::size_t c = kernel(b, op, after, false);
    reads(b, b.blocks[op.memory.value], op.region, c);
    coherence_.note_read(b.data, op.region, op.memory, commands_[c].end);
    return true;
  }

  bool write(buffer& b, const operation& op) {
    const bool update = op.what == verb::update;
    if (update && !readable(b, op.region)) return false;
    timepoint_set after;
    if (update) after.add(make_valid(b, op.region, op.memory));
    give_block(b, op.memory);
    physical& p = b.blocks[op.memory.value];
    if (fault_ == fault::writer_ignores_readers && !update) {
      after.add(coherence_.ready(b.data, op.region, op.memory));
    } else if (fault_ != fault::update_ignores_readers || !update) {
      after.add(coherence_.before_write(b.data, op.region, op.memory));
    }
    if (fault_ == fault::source_not_told_of_copy) after = without(after, p.copies_out);
    const std::size_t c = kernel(b, op, after, true);
    if (update) reads(b, p, op.region, c);
    writes(b, p, op.region, c);
    for_elements(b, op.region,
                 [&](std::size_t e) { p.elements[e].value = b.sequential[e] = c + 1; });
    coherence_.note_write(b.data, op.region, op.memory, commands_[c].end, task_id{c});
    return true;
  }

  bool evict(buffer& b, memory_id memory) {
    if (!b.blocks[memory.value].block.valid() || coherence_.pinned(b.data, memory)) return false;
    if (coherence_.sole_copy(b.data, memory)) {
      const memory_id refuge{memory.value == 0 ? 1U : 0U};
      give_block(b, refuge);
      coherence_.write_back(b.data, memory, refuge, [&](const copy_request& request) {
        return copy(request, fault_ != fault::last_copy_dropped);
      });
    }
    free(b, coherence_.evict(b.data, memory));
    return true;
  }

  void free(buffer& b, const released_block& released) {
    physical& p = b.blocks[released.memory.value];
    if (p.block != released.block) complain("a block comes back under another name");
    command_set dropped;
    if (fault_ == fault::free_at_once) dropped.set();
    if (fault_ == fault::free_ignores_copies) dropped = p.copies_out;
    if (fault_ == fault::source_not_told_of_copy) dropped = p.copies_out;
    if (fault_ == fault::free_ignores_readers) {
      for (const element& e : p.elements) dropped |= e.readers & ~p.copies_out;
    }
    const command_set after = closure(without(released.after, dropped));
    if ((p.users & ~after).any()) complain("a block is freed before one of its users has ended");
    p = {};
  }

  void fail_copy(std::size_t c) {
    const record& r = commands_[c];
    for (element& e : buffers_[r.data].blocks[r.to.value].elements) {
      if (e.writer == static_cast<int>(c)) e.value = unreadable_++;
    }
    coherence_.fail_copy(data_id{r.data}, r.region, r.to, r.end, error());
  }

  // The versions of these kernels never commit, nor do those of kernels that read them.
  void poison_outputs(command_set failed) {
    for (std::size_t c = 0; c < commands_.size(); ++c) {
      const record& r = commands_[c];
      if (r.copy || !(failed[c] || (r.inputs & failed).any())) continue;
      failed.set(c);
      if (!r.writes) continue;
      for (std::uint64_t& version : buffers_[r.data].sequential) {
        if (version == c + 1) version = unreadable_++;
      }
      coherence_.poison(data_id{r.data}, r.region, task_id{c}, error());
    }
  }

  void prune() {
    coherence_.prune([&](point t) { return finished_[command_of(t)]; },
                     [&](task_id t) { return !finished_[t.value]; });
  }

  // What coherence says is valid is what the blocks hold, element by element.
  void check_claims(const buffer& b) {
    std::size_t e = 0;
    for_elements(b, b.whole, [&](std::size_t) {
      const box one = element_box(b, e);
      bool somewhere = false;
      for (std::size_t m = 0; m < memories_; ++m) {
        const physical& p = b.blocks[m];
        const bool holds =
            b.sequential[e] != 0 && p.block.valid() && p.elements[e].value == b.sequential[e];
        somewhere = somewhere || holds;
        if (holds != coherence_.valid(b.data, one, memory_id{m})) complain("a false claim");
      }
      const bool written = b.sequential[e] != 0;
      if (written != coherence_.content_of(b.data).is_written(one))
        complain("wrong about being written");
      if ((written && !somewhere) !=
          static_cast<bool>(coherence_.content_of(b.data).poison_of(one))) {
        complain("wrong about being poisoned");
      }
      ++e;
    });
  }

  static box element_box(const buffer& b, std::size_t linear) {
    box one = b.whole;
    for (std::size_t d = b.extents.size(); d-- > 0;) {
      one.begin[d] = linear % b.extents[d];
      one.end[d] = one.begin[d] + 1;
      linear /= b.extents[d];
    }
    return one;
  }

  std::size_t memories_;
  fault fault_;
  bool last_source_;
  coherence coherence_;
  std::vector<buffer> buffers_;
  std::vector<record> commands_;
  std::vector<std::vector<std::size_t>> streams_;  // the commands of each, where they are shared
  command_set finished_;
  std::uint64_t blocks_ = 0;
  std::uint64_t unreadable_ = std::uint64_t{1} << 40;  // versions that no block holds
  std::string violation_;
};

}  // namespace hocket::protocol
