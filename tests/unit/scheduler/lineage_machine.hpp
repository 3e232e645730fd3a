// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

// A model of a machine that runs random programs, loses content and makes it again.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "lineage_log.hpp"
#include "placement/lineage.hpp"

namespace hocket::placement {

/// A hash of the two numbers.
inline std::uint64_t lineage_mix(std::uint64_t a, std::uint64_t b) {
  std::uint64_t x = (a ^ (b * 0x9e3779b97f4a7c15U)) + 0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31U);
}

/// A host and a device that run a random program of tasks on small buffers, as the placement engine
/// does. From time to time the content of the device's memory is lost. Each task writes hashes of
/// what it reads. After each recovery the content has to be as if the tasks had run one after the
/// other and nothing had been lost. A command has its effect as soon as it is planned, but may
/// count as running for a while.
class lineage_machine {
 public:
  struct options {
    bool calls_once = true;             ///< some tasks on the host cannot be run again
    bool calls_once_on_device = false;  ///< some tasks on the device cannot either
    bool loses_in_recoveries = false;   ///< the device may be lost during a recovery
  };
  struct counts {
    std::size_t recovered = 0, hopeless = 0, ran_again = 0, restored = 0, torn = 0, cut = 0;
    std::size_t put_aside = 0, failed = 0, dropped = 0, undone = 0, in_use = 0, lost_again = 0;
  };

  lineage_machine(std::uint64_t seed, const options& may, counts& seen);

  void run();

 private:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  struct element {
    std::uint64_t on_device = 0;
    bool has_device = false, has_host = false;  ///< the element is valid there
    bool is_written = false, is_poisoned = false;
    std::size_t writer = none;  ///< a task; none: the element was restored
    std::size_t copy = none;    ///< the copy that brought the element to the host

    [[nodiscard]] bool is_sound() const { return is_written && !is_poisoned; }
  };
  struct model_buffer {
    lineage_buffer known;
    std::vector<element> elements;
    std::vector<std::uint64_t> block;  ///< the bytes in the memory of the host
    bool is_dropped = false, is_gone = false;

    [[nodiscard]] std::uint64_t value(std::size_t i) const {
      return elements[i].has_host ? block[i] : elements[i].on_device;
    }
  };
  struct model_use {
    model_buffer* buffer;
    access_mode mode;
    box region;
  };
  struct model_task {
    std::unique_ptr<lineage_task> known;
    std::vector<model_use> uses;
    lineage_body body = lineage_body::repeatable;
    bool is_on_host = false;
    bool fails = false;     ///< the task fails when it ends
    bool poisoned = false;  ///< the task has read what another failed to write
    bool is_torn = false, has_ended = false, has_failed = false;
    std::uint64_t runs = 0;
    std::set<std::size_t> sources;  ///< the tasks that wrote what this one read
    std::set<std::size_t> copies;   ///< the copies that brought that
  };
  struct model_copy {
    std::size_t source;
    bool has_ended = false, is_lost = false;
  };

  std::size_t below(std::size_t n) { return static_cast<std::size_t>(random_() % n); }
  bool one_of(std::size_t n) { return below(n) == 0; }

  // Elements and regions.

  template <class Use>
  static void each_index(const model_buffer& b, const box& region, const Use& use) {
    const index_list strides = dense_strides(b.known.all.end);
    const index_list sizes = region.extents();
    const index_list own = dense_strides(sizes);
    for (std::size_t n = 0; n < volume(sizes); ++n) {
      std::size_t i = 0;
      for (std::size_t d = 0; d < sizes.size(); ++d) {
        i += (region.begin[d] + n / own[d] % sizes[d]) * strides[d];
      }
      use(i);
    }
  }
  static box box_of(const model_buffer& b, std::size_t i);
  /// Boxes that cover the elements of the region for which key(index) is not `none`. All elements
  /// of a box have the same key.
  template <class Key>
  static std::vector<box> parts_of(const model_buffer& b, const box& region, const Key& key) {
    std::vector<box> all;
    std::set<std::size_t> keys;
    each_index(b, region, [&](std::size_t i) { keys.insert(key(i)); });
    if (keys.size() == 1) {
      if (*keys.begin() != none) all.push_back(region);
      return all;
    }
    std::size_t before = none;
    const std::size_t last = region.rank() - 1;
    each_index(b, region, [&](std::size_t i) {
      const box one = box_of(b, i);
      const std::size_t own = key(i);
      const bool goes_on = own == before && own != none && one.begin[last] > region.begin[last];
      if (goes_on) {
        all.back().end[last] = one.end[last];
      } else if (own != none) {
        all.push_back(one);
      }
      before = own;
    });
    return all;
  }
  box any_part(const model_buffer& b);
  void add_buffer();
  std::vector<model_buffer*> live();
  model_buffer& any_live();
  model_buffer& at(data_id data);

  // The effects of commands.

  auto reader_of(model_buffer& b) {
    return [this, &b](const kept_ref& to) {
      ++seen_.put_aside;
      to->read_from(reinterpret_cast<const std::byte*>(b.block.data()));
    };
  }
  void write_on_host(model_buffer& b, const box& region, std::uint64_t position);
  /// The element gets a wrong value in the block of the host.
  void spoil_bytes(model_buffer& b, std::size_t i) { b.block[i] = 0xbad0000 + random_() % 0xffff; }
  void copy_to_host(model_buffer& b, const box& region);
  void bring(model_task& t, bool to_host);
  /// The hash of what the task reads. value(buffer, index): the value of an element.
  template <class Value>
  static std::uint64_t digest(const model_task& t, const Value& value) {
    std::uint64_t sum = t.known->id.value;
    // A task that is called once may do something else the next time.
    if (t.body != lineage_body::repeatable) sum = lineage_mix(sum, t.runs);
    for (const model_use& use : t.uses) {
      if (!reads_content(use.mode)) continue;
      each_index(*use.buffer, use.region,
                 [&](std::size_t i) { sum = lineage_mix(sum, value(*use.buffer, i)); });
    }
    return sum;
  }
  void execute(std::size_t number, bool on_host);
  static void poison(element& e, std::size_t writer);
  /// Elements that the task wrote, and that no later task has written, become invalid.
  void poison_written(std::size_t number);
  void poison_all(std::size_t number);
  static bool has_inputs(const model_task& t);

  // The program.

  void step();
  void copy_some();
  void end_copies();
  [[nodiscard]] bool is_pending_in(const model_buffer& b) const;
  void evict_from_host();
  void evict_from_device();
  void drop_some();
  void clear(model_buffer& b);

  lineage_body any_body();
  std::size_t any_task();
  static bool conflict(const model_use& u, const model_use& v);
  [[nodiscard]] bool conflict(std::size_t t, std::size_t other) const;
  void submit();
  void issue(std::size_t number);
  void note_on_host(const model_task& t, std::uint64_t position);
  void end_some();
  void end_behind_others(std::size_t number);
  void end(std::size_t number);
  void finish(std::size_t number, bool has_failed);

  void begin_cut();
  void end_cut();

  // Losses.

  void lose_content();
  void lose();
  void tear(std::size_t number, std::vector<std::size_t>& undone);
  [[nodiscard]] bool is_in_use() const;
  recovery_plan plan();
  void recover();
  /// Returns whether the device was lost again meanwhile.
  bool carry_out(const recovery_plan& made);
  template <class Use>
  void for_written(const recovery_step& s, const Use& use) {
    if (s.task == nullptr) return use(at(s.data), s.region);
    for (const logged_task::access& a : s.task->accesses) {
      if (writes_content(a.mode)) use(at(a.data), a.region());
    }
  }
  void expect_unused(const model_buffer& b, const box& region) const;
  /// The bytes to restore. Null if the content is in the block of the host, where only its state
  /// changes.
  kept_ref bytes_of(const recovery_step& s,
                    const std::set<std::pair<model_buffer*, std::size_t>>& written);
  void restore(const recovery_step& s, const kept_ref& from);
  void run_again(const recovery_step& s);

  // The expected content.

  void expect_undisturbed() const;

  std::mt19937_64 random_;
  options may_;
  counts& seen_;
  lineage log_{true};
  std::vector<std::unique_ptr<model_buffer>> buffers_;
  std::vector<std::unique_ptr<model_task>> tasks_;
  std::vector<std::size_t> order_;    ///< of the tasks, as in the log
  std::vector<std::size_t> pending_;  ///< tasks that were issued and have not ended
  std::vector<model_copy> copies_;
  std::set<std::size_t> cut_needs_;  ///< the copies that the cut waits for
  bool is_cut_lost_ = false;
  bool is_hopeless_ = false;
};

}  // namespace hocket::placement
