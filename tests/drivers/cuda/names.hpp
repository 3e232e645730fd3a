// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Hocket authors

#pragma once

namespace standin {

/// Names that the stand-ins of the two vendors, which are one implementation, give to things.
struct stand_in_names {
  const char* title;     ///< in messages
  const char* settings;  ///< a variable of the environment, as the others
  const char* faults;
  const char* say;
  const char* visible;
  unsigned devices;     ///< how many, unless the settings say it
  bool keeps_contexts;  ///< programs have no call that releases one
};
extern const stand_in_names names;

}  // namespace standin
