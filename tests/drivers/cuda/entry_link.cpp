// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

// The linker, which makes machine code of one text of PTX.

#include <memory>
#include <string>
#include <utility>

#include "calls.hpp"
#include "driver.hpp"
#include "exports.hpp"

using namespace standin;

namespace {

std::shared_ptr<link_object> link_of(void* handle) {
  current_context();
  return driver::get().links.get(handle, "linker");
}

}  // namespace

int cuLinkCreate_v2(unsigned count, int* /*options*/, void** /*values*/, void** link) {
  return entry("cuLinkCreate_v2", [&] {
    require(link != nullptr, "there is no place for the linker");
    if (count > 0) throw failure(not_supported, "the stand-in's linker has no options");
    auto made = std::make_shared<link_object>();
    made->owner = current_context();
    *link = driver::get().links.add(std::move(made));
  });
}

int cuLinkAddData_v2(void* link, int type, void* data, std::size_t bytes, const char* /*name*/,
                     unsigned count, int* /*options*/, void** /*values*/) {
  return entry("cuLinkAddData_v2", [&] {
    const auto to = link_of(link);
    require(data != nullptr && bytes > 0, "there is nothing to link");
    if (type != link_input_ptx || count > 0 || !to->ptx.empty()) {
      throw failure(not_supported, "the stand-in links one text of PTX, without options");
    }
    const char* const text = static_cast<const char*>(data);
    require(text[bytes - 1] == 0, "PTX does not end with a zero");
    (void)parse_for(to->owner->on, text);
    to->ptx = text;
  });
}

int cuLinkComplete(void* link, void** code, std::size_t* bytes) {
  return entry("cuLinkComplete", [&] {
    const auto of = link_of(link);
    require(code != nullptr && !of->ptx.empty(), "there is nothing to link, or no place for it");
    of->code = machine_code_of(*of->owner, of->ptx);
    *code = of->code.data();
    if (bytes != nullptr) *bytes = of->code.size();
  });
}

int cuLinkDestroy(void* link) {
  return entry("cuLinkDestroy", [&] { driver::get().links.remove(link, "linker"); });
}
