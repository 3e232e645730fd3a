// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "pipeline.hpp"

#include <filesystem>

#include <fmt/format.h>

#include "common/files.hpp"

namespace image_pipeline {

using namespace hocket;

namespace {

void write_pgm(const std::string& folder, std::uint64_t frame, buffer_view<const pixel, 2> image) {
  std::string text = fmt::format("P5\n{} {}\n255\n", image.extent(1), image.extent(0));
  text.append(image.begin(), image.end());
  examples::write_file(std::filesystem::path(folder) / fmt::format("frame_{:06}.pgm", frame), text);
}

/// The first stage: what is drawn counts as begun.
kernel<std::uint64_t, image_out> logged_draw(frame_log& log) {
  const auto plain = make_draw();
  return kernel<std::uint64_t, image_out>{
      "draw", host_body{[&log](std::uint64_t frame, buffer_view<pixel, 2> image) {
        log.begin_frame();
        draw(frame, image);
      }}}
      .cost(plain.definition()->estimate);
}

/// The last stage: keeps what is to be compared, and writes the image where that is asked for.
kernel<std::uint64_t, image_in, in_buffer<std::uint32_t>> make_store(const std::string& folder,
                                                                     frame_log& log) {
  return kernel<std::uint64_t, image_in, in_buffer<std::uint32_t>>{
      "store", host_body{[folder, &log](std::uint64_t frame, buffer_view<const pixel, 2> image,
                                        buffer_view<const std::uint32_t> counts) {
        if (!folder.empty()) write_pgm(folder, frame, image);
        log.end_frame(frame, hash_of(image, counts));
      }}};
}

}  // namespace

pipeline::pipeline(runtime& rt, const frame_format& format, std::size_t in_flight, frame_log& log)
    : rt_(rt),
      format_(format),
      memory_(rt, in_flight * format.bytes()),
      draw_(logged_draw(log)),
      store_(make_store(format.folder, log)) {}

void pipeline::submit(std::uint64_t frame) {
  const shape<2> extents{format_.rows, format_.columns};
  const buffer<pixel, 2> drawn{rt_, extents, fmt::format("frame {}", frame)};
  const buffer<pixel, 2> smooth{rt_, extents, fmt::format("frame {}, smooth", frame)};
  const buffer<pixel, 2> lines{rt_, extents, fmt::format("frame {}, edges", frame)};
  const buffer<std::uint32_t> counts{rt_, levels, fmt::format("frame {}, levels", frame)};
  // Earlier frames first, as memory is granted in this order.
  const std::int64_t priority = -static_cast<std::int64_t>(frame);
  const future<void> begun = rt_.submit(
      {.priority = priority, .takes = memory_.share(format_.bytes())}, draw_, frame, writes(drawn));
  rt_.submit({.priority = priority}, blur_, reads(drawn), writes(smooth));
  rt_.submit({.priority = priority}, edges_, reads(smooth), writes(lines));
  rt_.submit({.priority = priority}, count_levels_, reads(lines), writes(counts));
  rt_.submit({.priority = priority, .returns = {begun}}, store_, frame, reads(lines),
             reads(counts));
}

}  // namespace image_pipeline
