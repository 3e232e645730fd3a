// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <graphs/tbb.hpp>

#include <oneapi/tbb/global_control.h>

#include "subjects.hpp"

namespace hocket::bench {

namespace {

using inner_maker = onetbb::maker_in_arena<onetbb::counted_graph<waiting_work>, waiting_work>;

/// oneTBB starts no more workers than the machine has cores unless it is told to.
class maker_with_workers final : public graph_maker {
 public:
  explicit maker_with_workers(std::size_t threads)
      : limit_(tbb::global_control::max_allowed_parallelism, threads),
        inner_(threads, waiting_work{}) {}

  std::unique_ptr<built_graph> build(const shape& what) override { return inner_.build(what); }

 private:
  tbb::global_control limit_;
  inner_maker inner_;
};

}  // namespace

graph_subject onetbb::waiting_graphs() {
  return {"tbb", [](std::size_t threads) { return std::make_unique<maker_with_workers>(threads); }};
}

}  // namespace hocket::bench
