// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors
#pragma once

#include <cstddef>
#include <string>

#include <hocket/hocket.hpp>

#include "model.hpp"
#include "schedule.hpp"

namespace train {

/// What the tasks of one stage for one micro-batch are called, in the timeline too.
[[nodiscard]] std::string name_of(direction way, std::size_t stage, std::size_t micro);

/// Submits one step of training: every micro-batch forward through all stages and back, then the
/// update of the weights. This is the whole pipeline; the schedule says only which task of a device
/// goes first (priority) and how many micro-batches may be under way (budget). The micro-batches
/// add to the gradients in their order, so that every schedule gives the same bits.
void submit_step(hocket::submitter& s, const model& network, const hyperparameters& how,
                 schedule kind);

/// Submits the forward pass of the first rows of a micro-batch through all stages, without loss.
/// Returns the logits.
[[nodiscard]] hocket::region<float, 2> submit_inference(hocket::submitter& s, const model& network,
                                                        std::size_t micro, std::size_t rows);

}  // namespace train
