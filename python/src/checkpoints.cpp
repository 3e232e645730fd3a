// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <hocket/scheduler/checkpoints.hpp>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "buffers.hpp"
#include "element_types.hpp"
#include "futures.hpp"
#include "runtimes.hpp"

namespace hocket::python {

namespace {

using named_handles = std::vector<std::pair<std::string, array_buffer*>>;

/// The object behind hocket.Checkpoints, until that or its runtime is closed.
class open_checkpoints {
 public:
  open_checkpoints(open_runtime_ref home, const std::string& folder, std::size_t keep)
      : home_(std::move(home)), folder_(folder) {
    const runtime_ref in = home_->get();
    const without_gil released;
    const std::shared_ptr<checkpoints> made(
        new checkpoints(*in, folder, {.keep = keep}),
        [threads = home_->threads()](checkpoints* gone) { delete_without_gil(gone, *threads); });
    home_->keep_until_close(made);
    saved_ = made;
  }
  open_checkpoints(const open_checkpoints&) = delete;
  open_checkpoints& operator=(const open_checkpoints&) = delete;
  ~open_checkpoints() { close(); }

  [[nodiscard]] const open_runtime_ref& home() const noexcept { return home_; }

  /// Throws usage_error if they were closed.
  [[nodiscard]] std::shared_ptr<checkpoints> get() const {
    std::shared_ptr<checkpoints> open = saved_.lock();
    if (open == nullptr) {
      throw usage_error("The checkpoints in \"" + folder_ +
                        "\" were closed, or their runtime was.");
    }
    return open;
  }

  /// Waits for the last checkpoint, without the GIL.
  void close() { home_->let_go_of(saved_.lock()); }

 private:
  open_runtime_ref home_;
  std::string folder_;
  std::weak_ptr<checkpoints> saved_;  // whose runtime keeps them
};

std::vector<named_buffer> named(const named_handles& given) {
  std::vector<named_buffer> made;
  for (const auto& [name, buffer] : given) {
    const detail::buffer_state& data = buffer->data();
    if (buffer->what.where() != data.whole()) {
      raise_value_error("Buffer \"" + data.label() + "\", for \"" + name +
                        "\" of a checkpoint, is a part of " + to_string(data.extents()) +
                        " elements, or lies over an array with gaps; it has to be a whole buffer "
                        "without gaps.");
    }
    made.emplace_back(name, buffer->what.data);
  }
  return made;
}

task_future save(const open_checkpoints& into, checkpoint_position position,
                 const named_handles& buffers) {
  const auto saved = into.get();
  const std::vector<named_buffer> wanted = named(buffers);
  const python_threads::blocked waits(*into.home()->threads());
  const without_gil released;
  return {into.home(), saved->save(std::move(position), wanted).state(), element_type::u64};
}

/// A handle of what was read, which is not small.
using checkpoint_ref = std::shared_ptr<const saved_checkpoint>;
struct read_checkpoint {
  checkpoint_ref content;
};

std::optional<read_checkpoint> newest(const open_checkpoints& in) {
  const auto saved = in.get();
  const python_threads::blocked waits(*in.home()->threads());
  const without_gil released;
  std::optional<saved_checkpoint> found = saved->newest();
  if (!found) return std::nullopt;
  return read_checkpoint{std::make_shared<const saved_checkpoint>(*std::move(found))};
}

void restore_from(const read_checkpoint& from, const open_runtime_ref& home,
                  const named_handles& buffers) {
  const runtime_ref open = home->get();
  const std::vector<named_buffer> wanted = named(buffers);
  const python_threads::blocked waits(*home->threads());
  const without_gil released;
  restore(*from.content, wanted);
}

nb::dict arrays_of(const read_checkpoint& in) {
  nb::dict made;
  for (const checkpoint_array& each : in.content->arrays) {
    nb::list shape;
    for (const std::size_t extent : each.extents) shape.append(extent);
    made[each.name.c_str()] = nb::make_tuple(name_of(each.type), nb::tuple(shape));
  }
  return made;
}

nb::list newer_than(const read_checkpoint& one) {
  nb::list made;
  for (const unusable_checkpoint& each : one.content->newer) {
    made.append(nb::make_tuple(each.file.string(), each.why));
  }
  return made;
}

}  // namespace

void bind_checkpoints(nb::module_& to) {
  nb::class_<open_checkpoints>(to, "OpenCheckpoints", "The folder behind hocket.Checkpoints.")
      .def(nb::init<open_runtime_ref, const std::string&, std::size_t>(), nb::arg("runtime"),
           nb::arg("folder"), nb::arg("keep"))
      .def("save", &save, nb::arg("position"), nb::arg("buffers"), "Saves (name, BufferHandle).")
      .def("newest", &newest, "The newest checkpoint that is whole, or None.")
      .def("close", &open_checkpoints::close, "Waits for the last checkpoint.");
  nb::class_<read_checkpoint>(to, "CheckpointHandle", "What was read behind hocket.Checkpoint.")
      .def_prop_ro(
          "number", [](const read_checkpoint& c) { return c.content->number; },
          "Counted in its folder.")
      .def_prop_ro(
          "file", [](const read_checkpoint& c) { return c.content->file.string(); },
          "Where it was read from.")
      .def_prop_ro(
          "position",
          [](const read_checkpoint& c) {
            nb::dict made;
            for (const auto& [name, text] : c.content->position) made[name.c_str()] = text;
            return made;
          },
          "Texts by their names.")
      .def_prop_ro("arrays", &arrays_of, "(dtype, shape) by the names of buffers.")
      .def_prop_ro("newer", &newer_than, "(file, why) of newer files that could not be used.")
      .def("restore", &restore_from, nb::arg("runtime"), nb::arg("buffers"),
           "Fills (name, BufferHandle).");
}

}  // namespace hocket::python
