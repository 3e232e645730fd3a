// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#include "placement/kernel_texts.hpp"

#include <algorithm>

#include <boost/container_hash/hash.hpp>

namespace hocket::placement {

std::uint64_t text_key(const kernel_definition& kernel) {
  std::size_t key = boost::hash_value(kernel.name);
  for (const kernel_source& source : kernel.sources) {
    boost::hash_combine(key, static_cast<int>(source.format));
    boost::hash_combine(key, source.functions);
    boost::hash_combine(key, source.structures);
    for (const std::string& name : source.names) boost::hash_combine(key, name);
    for (const kernel_pass& pass : source.passes) {
      boost::hash_combine(key, pass.text);
      boost::hash_range(key, pass.local.begin(), pass.local.end());
      boost::hash_range(key, pass.shared.begin(), pass.shared.end());
    }
  }
  for (const kernel_part& part : kernel.sequence) boost::hash_combine(key, text_key(*part.kernel));
  return key;
}

bool compiled_kernels::contains(const kernel_ref& kernel) {
  if (known_.contains(kernel)) return true;
  if (!texts_.contains(text_key(*kernel))) return false;
  remember(kernel);
  return true;
}

void compiled_kernels::insert(const kernel_ref& kernel) {
  texts_.insert(text_key(*kernel));
  remember(kernel);
}

void compiled_kernels::remember(const kernel_ref& kernel) {
  if (known_.size() >= most_known_) {
    std::erase_if(known_, [](const auto& each) { return each.expired(); });
    most_known_ = std::max(most_known_, 2 * known_.size());
  }
  known_.insert(kernel);
}

}  // namespace hocket::placement
