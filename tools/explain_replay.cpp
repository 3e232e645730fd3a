// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "explain_replay.hpp"

#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include <hocket/core/printable.hpp>
#include <hocket/hocket.hpp>

namespace tools {

namespace {

using hocket::nanoseconds;
using hocket::time_stamp;
using hocket::traced_kind;
using hocket::traced_task;

using byte_region = hocket::region<std::uint8_t, 3>;
using byte_buffer = hocket::buffer<std::uint8_t, 3>;
using byte_view =
    std::variant<hocket::host_view<const std::uint8_t, 3>, hocket::host_view<std::uint8_t, 3>>;

// A program on the real clock that lets more time pass than this between two submissions may have
// waited for something.
constexpr nanoseconds longest_submission = std::chrono::microseconds(20);

std::filesystem::path folder_for_temporary_files() {
  std::error_code problem;
  std::filesystem::path folder = std::filesystem::temp_directory_path(problem);
  if (!problem) return folder;
  const char* const named = std::getenv("TMPDIR");
  throw hocket::error(hocket::failure(
      hocket::failure_code::io,
      fmt::format("The folder \"{}\" cannot have temporary files: {}; TMPDIR can name another one.",
                  named == nullptr ? "/tmp" : hocket::printable(named), problem.message())));
}

/// A machine file that is there as long as this is.
class temporary_machine {
 public:
  explicit temporary_machine(const hocket::sim_machine& machine)
      : path_((folder_for_temporary_files() / "hocket_explain_XXXXXX").string()) {
    const int file = ::mkstemp(path_.data());
    if (file >= 0) ::close(file);
    std::ofstream to(path_, std::ios::binary);
    to << to_json(machine, "a trace");
    if (file >= 0 && to.flush()) return;
    const std::string path = std::exchange(path_, "");
    ::unlink(path.c_str());
    throw hocket::error(hocket::failure(
        hocket::failure_code::io,
        fmt::format("The file \"{}\", which describes the machine, cannot be written.", path)));
  }
  temporary_machine(const temporary_machine&) = delete;
  temporary_machine& operator=(const temporary_machine&) = delete;
  ~temporary_machine() { ::unlink(path_.c_str()); }

  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// The extents, or a corner of a region, in three dimensions of bytes: the first ones are one.
hocket::shape<3> in_bytes(const hocket::index_list& of, const hocket::traced_buffer& in,
                          bool is_end) {
  hocket::shape<3> made{0, 0, 0};
  const std::size_t rank = of.size();
  const auto from_last = [&](std::size_t i) {
    return i < rank ? of[rank - 1 - i] : std::size_t{is_end ? 1U : 0U};
  };
  made[2] = from_last(0) * in.element_size;
  made[1] = from_last(1);
  std::size_t first = from_last(2), step = rank > 2 ? in.extents[rank - 3] : 1;
  for (std::size_t i = 3; i < rank; ++i) {
    first += (from_last(i) - (is_end ? 1U : 0U)) * step;
    step *= in.extents[rank - 1 - i];
  }
  made[0] = first;
  return made;
}

hocket::runtime_options options_for(const std::string& machine_file, std::size_t devices,
                                    std::size_t tasks, const std::string& policy) {
  hocket::runtime_options made;
  for (std::size_t i = 0; i < devices; ++i) made.devices.add(fmt::format("Sim{}", i));
  made.backends = {{"sim", fmt::format("machine={}", machine_file)}};
  made.clock = hocket::clock_kind::simulated;
  made.policy = policy;
  made.trace_capacity = 2 * tasks + 1024;
  made.trace_decisions = true;
  return made;
}

/// A device whose launches take the time that the program takes between two submissions. Its memory
/// has room for the buffer of these, and for no task.
hocket::sim_options program_clock() {
  hocket::sim_options made;
  made.model = "the program";
  made.memory_bytes = 1;
  made.flops_per_second = 1e9;
  made.launch_latency = nanoseconds{0};
  made.execute = false;
  return made;
}

template <class T, std::size_t>
using repeated = T;

/// The buffers of one task, by what it does with them. Places that are not used have no elements.
struct arguments_of_task {
  std::vector<byte_region> updated, written, read;
};

/// Submits tasks of a run, and waits as its program did.
class replayer {
 public:
  replayer(const recorded_run& run, const launch_kinds& kinds, const std::string& machine_file,
           std::size_t devices, const std::string& policy)
      : run_(run),
        kinds_(kinds),
        rt_(options_for(machine_file, devices, run.tasks.size(), policy)) {
    if (!run.is_virtual) clock_ = hocket::device_id{devices - 1};
    for (const hocket::traced_buffer& each : run.buffers) {
      hocket::shape<3> extents = in_bytes(each.extents, each, true);
      for (std::size_t& extent : extents) extent = std::max<std::size_t>(extent, 1);
      buffers_.emplace(each.id, byte_buffer(rt_, extents, each.label));
    }
    for (const traced_task& t : run.tasks) {
      if (t.kind == traced_kind::launch) ends_.emplace(t.end, &t);
    }
  }

  nanoseconds go() {
    fill_what_is_read_first();
    for (const traced_task& t : run_.tasks) {
      if (t.failed || t.kind == traced_kind::domain) continue;
      close_views(t.submitted);
      wait_as_before(t);
      if (t.kind == traced_kind::launch) {
        launch(t);
      } else {
        look_at(t);
      }
    }
    views_.clear();
    rt_.wait();
    return makespan();
  }

 private:
  [[nodiscard]] byte_region region_of(const hocket::traced_access& a) const {
    const byte_buffer& all = buffers_.at(a.buffer);
    if (a.begin.empty()) return all;
    const auto at =
        std::ranges::lower_bound(run_.buffers, a.buffer, {}, &hocket::traced_buffer::id);
    return all.tile(in_bytes(a.begin, *at, false), in_bytes(a.end, *at, true));
  }

  [[nodiscard]] nanoseconds makespan() {
    time_stamp begin = time_stamp::max(), end{0};
    for (const traced_task& t : rt_.trace().run.tasks) {
      if (!t.device.valid() || t.device == clock_) continue;
      begin = std::min(begin, t.begin);
      end = std::max(end, t.end);
    }
    return std::max(end - begin, nanoseconds{0});
  }

  /// Content that older tasks wrote, which the trace does not have.
  void fill_what_is_read_first() {
    std::map<hocket::data_id, bool> seen;
    for (const traced_task& t : run_.tasks) {
      for (const hocket::traced_access& a : t.accesses) {
        if (!seen.emplace(a.buffer, true).second) continue;
        if (hocket::reads_content(a.mode) || !a.begin.empty()) (void)buffers_.at(a.buffer).write();
      }
    }
  }

  void close_views(time_stamp by) {
    std::erase_if(views_, [&](const auto& each) { return each.first <= by; });
  }

  /// Before this submission.
  void wait_as_before(const traced_task& t) {
    const time_stamp before = std::exchange(last_, std::max(last_, t.submitted));
    const nanoseconds gap = t.submitted - before;
    if (gap <= (run_.is_virtual ? nanoseconds{0} : longest_submission)) return;
    auto end = ends_.upper_bound(t.submitted);
    if (end != ends_.begin() && (--end)->first > before) {
      const auto awaited = futures_.find(end->second->id.value);
      if (awaited != futures_.end()) awaited->second.wait();
      pass(t.submitted - end->first);
    } else {
      pass(gap);
    }
  }

  /// Lets the time of the program pass.
  void pass(nanoseconds time) {
    if (!clock_.valid() || time <= nanoseconds{0}) return;
    const auto flops = static_cast<double>(time.count());
    const auto tick = hocket::kernel<hocket::out_buffer<std::uint8_t>>{
        "tick", hocket::host_body{[](hocket::buffer_view<std::uint8_t>) {
        }}}.cost([flops](const hocket::launch_shape&) {
      return hocket::launch_work{flops, 0};
    });
    rt_.submit({.on = device(clock_)}, tick, hocket::writes(ticked_)).wait();
  }

  [[nodiscard]] hocket::device_handle device(hocket::device_id number) {
    return rt_.device(fmt::format("Sim{}", number.value));
  }

  void launch(const traced_task& t) {
    arguments_of_task made;
    for (const hocket::traced_access& a : t.accesses) {
      auto& to = !hocket::writes_content(a.mode) ? made.read
                 : hocket::reads_content(a.mode) ? made.updated
                                                 : made.written;
      to.push_back(region_of(a));
    }
    submit_with(t, made, std::make_index_sequence<numbers_updated * numbers_written>());
  }

  // Nothing comes of what is read of nothing. But an update of nothing counts as one more task that
  // updates a buffer, and what is written first says where a task belongs: there is a kernel for
  // each number of these.
  static constexpr std::size_t numbers_updated = 5, numbers_written = 3, few = 4, many = 24;

  template <std::size_t... Cases>
  void submit_with(const traced_task& t, arguments_of_task& all,
                   std::index_sequence<Cases...> /*cases*/) {
    const auto is_case = [&](std::size_t number) {
      return all.read.size() <= few && all.updated.size() == number / numbers_written &&
             all.written.size() == number % numbers_written;
    };
    const bool is_done = ((is_case(Cases) &&
                           submit<few, Cases % numbers_written, Cases / numbers_written>(t, all)) ||
                          ...);
    if (!is_done) (void)submit<many, many, many>(t, all);
  }

  template <std::size_t Read, std::size_t Written, std::size_t Updated>
  bool submit(const traced_task& t, arguments_of_task& all) {
    const byte_region none = none_.tile({0, 0, 0}, {0, 0, 0});
    all.read.resize(Read, none);
    all.written.resize(Written, none);
    all.updated.resize(Updated, none);
    submit(t, all, std::make_index_sequence<Read>(), std::make_index_sequence<Written>(),
           std::make_index_sequence<Updated>());
    return true;
  }

  // In the order that most signatures have: copies are made in the order of arguments.
  template <std::size_t... R, std::size_t... W, std::size_t... U>
  void submit(const traced_task& t, const arguments_of_task& all,
              std::index_sequence<R...> /*read*/, std::index_sequence<W...> /*written*/,
              std::index_sequence<U...> /*updated*/) {
    using type = hocket::kernel<repeated<hocket::in_buffer<std::uint8_t, 3>, R>...,
                                repeated<hocket::out_buffer<std::uint8_t, 3>, W>...,
                                repeated<hocket::inout_buffer<std::uint8_t, 3>, U>...>;
    const double flops = kinds_.length_of(t) * launch_kinds::unit_of_work;
    const type serial = type{
        launch_kinds::name_of(kinds_.kind_of(t)), hocket::host_body{[](const auto&...) {
        }}}.cost([flops](const hocket::launch_shape&) {
      return hocket::launch_work{flops, 0};
    });
    const type chosen = t.wide ? serial.wide() : serial;
    futures_.insert_or_assign(
        t.id.value,
        rt_.submit(options_of(t), chosen, hocket::reads(all.read[R])...,
                   hocket::writes(all.written[W])..., hocket::updates(all.updated[U])...));
  }

  [[nodiscard]] hocket::task_options options_of(const traced_task& t) {
    hocket::task_options made;
    made.priority = t.priority;
    if (t.named.valid() || t.why == hocket::traced_choice::only) {
      made.on = device(t.device);
    }
    for (const hocket::task_id id : t.after) {
      const auto found = futures_.find(id.value);
      const traced_task* const before = run_.find(id);
      if (found != futures_.end() && !share_data(t, *before)) made.after.push_back(found->second);
    }
    return made;
  }

  static bool share_data(const traced_task& one, const traced_task& other) {
    return std::ranges::any_of(one.accesses, [&](const hocket::traced_access& a) {
      return std::ranges::find(other.accesses, a.buffer, &hocket::traced_access::buffer) !=
             other.accesses.end();
    });
  }

  /// The program blocks until it has a view.
  void look_at(const traced_task& t) {
    for (const hocket::traced_access& a : t.accesses) {
      const byte_region region = region_of(a);
      if (!hocket::writes_content(a.mode)) {
        views_.emplace_back(t.end, region.read());
      } else if (hocket::reads_content(a.mode)) {
        views_.emplace_back(t.end, region.update());
      } else {
        views_.emplace_back(t.end, region.write());
      }
    }
    last_ = std::max(last_, t.begin);
  }

  const recorded_run& run_;
  const launch_kinds& kinds_;
  hocket::runtime rt_;
  byte_buffer none_{rt_, {1, 1, 1}, "none"};
  std::map<hocket::data_id, byte_buffer> buffers_;
  std::multimap<time_stamp, const traced_task*> ends_;
  std::unordered_map<std::uint64_t, hocket::future<void>> futures_;
  std::vector<std::pair<time_stamp, byte_view>> views_;  ///< with the end of each in the run
  hocket::device_id clock_;  ///< takes the time of the program; not valid: none does
  hocket::buffer<std::uint8_t> ticked_{rt_, 1, "tick"};
  time_stamp last_{0};  ///< of the recorded submissions
};

}  // namespace

nanoseconds replay(const recorded_run& run, const launch_kinds& kinds, hocket::sim_machine machine,
                   const std::string& policy) {
  if (!run.is_virtual) machine.devices.push_back(program_clock());
  const temporary_machine file(machine);
  return replayer(run, kinds, file.path(), machine.devices.size(), policy).go();
}

}  // namespace tools
