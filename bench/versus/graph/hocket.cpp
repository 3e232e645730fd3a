// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <hocket/hocket.hpp>

#include "subjects.hpp"

namespace hocket::bench {

namespace {

class our_graph final : public built_graph {
 public:
  our_graph(runtime& rt, const shape& what) : rt_(rt), recorded_(record(rt, what)) {}
  void run() override { rt_.run(recorded_).get(); }

 private:
  static graph record(runtime& rt, const shape& what) {
    return rt.record([&](submitter& s) {
      std::vector<future<void>> tasks;
      tasks.reserve(what.size());
      for (std::size_t i = 0; i < what.size(); ++i) {
        task_options options;
        for (std::uint32_t at = what.first[i]; at < what.first[i + 1]; ++at) {
          options.after.emplace_back(tasks[what.follows[at]]);
        }
        tasks.push_back(s.async(options, [] {}));
      }
    });
  }

  runtime& rt_;
  graph recorded_;
};

class our_maker final : public graph_maker {
 public:
  std::unique_ptr<built_graph> build(const shape& what) override {
    return std::make_unique<our_graph>(rt_, what);
  }

 private:
  runtime rt_;
};

}  // namespace

graph_subject ours::graphs() {
  return {"hocket", [](std::size_t) { return std::make_unique<our_maker>(); }};
}

}  // namespace hocket::bench
