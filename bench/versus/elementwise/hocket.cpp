// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include <functional>
#include <memory>

#include <hocket/hocket.hpp>

#include "subjects.hpp"

namespace hocket::bench {

namespace {

const auto scaled =
    elementwise("scaled", [](auto a, auto b, const auto& x, auto& t) { t = a * x + b; });
const auto limited = elementwise("limited", [](auto c, auto& t) { t = min(t, c); });
const auto bent = elementwise("bent", [](const auto& t, auto& u) { u = t * t + t; });
const auto added = elementwise("added", [](const auto& u, auto& y) { y += u; });

const auto all_of_it = elementwise("all of it", [](auto a, auto b, auto c, const auto& x, auto& y) {
  const auto t = min(a * x + b, c);
  y += t * t + t;
});

void submit_chain(submitter& s, const buffer<float>& x, const buffer<float>& y) {
  const buffer<float> t(s.home(), x.size()), u(s.home(), x.size());
  s.submit(scaled, chain::a, chain::b, reads(x), writes(t));
  s.submit(limited, chain::c, updates(t));
  s.submit(bent, reads(t), writes(u));
  s.submit(added, reads(u), updates(y));
}

void submit_lambda(submitter& s, const buffer<float>& x, const buffer<float>& y) {
  s.submit(all_of_it, chain::a, chain::b, chain::c, reads(x), updates(y));
}

using recording = void(submitter&, const buffer<float>&, const buffer<float>&);

contender recorded(const std::string& subject, const chain& what, const std::string& device,
                   const record_options& options, recording* tasks) {
  return {subject, [=] {
            const auto rt = std::make_shared<runtime>(runtime_options{.devices = device});
            const buffer<float> x(*rt, what.size, 0.5F), y(*rt, what.size, 0.0F);
            const graph turn = rt->record(options, [&](submitter& s) { tasks(s, x, y); });
            return [rt, turn, calls = what.calls] {
              const auto work = [&] {
                for (std::size_t i = 0; i < calls; ++i) rt->run(turn);
                rt->wait();
              };
              return nanoseconds_of(work) / 1e3 / static_cast<double>(calls);
            };
          }};
}

}  // namespace

contender fused_chain(const chain& what, const std::string& device) {
  return recorded("hocket", what, device, {.fuse = true}, submit_chain);
}

contender unfused_chain(const chain& what, const std::string& device) {
  return recorded("unfused", what, device, {}, submit_chain);
}

contender one_lambda(const chain& what, const std::string& device) {
  return recorded("lambda", what, device, {}, submit_lambda);
}

}  // namespace hocket::bench
