# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Hocket authors
"""Hocket: tasks of a numpy program on whichever device of the machine finishes them first."""

from . import errors, ops
from ._buffers import Buffer, View, reads, updates, writes
from ._checkpoints import Checkpoint, Checkpoints
from ._future import Future
from ._graphs import Graph, when
from ._parameters import Parameter
from ._runtime import Runtime
from ._scopes import Scope
from .errors import HocketError, UsageError

__all__ = [
    "Buffer",
    "Checkpoint",
    "Checkpoints",
    "Future",
    "Graph",
    "HocketError",
    "Parameter",
    "Runtime",
    "Scope",
    "UsageError",
    "View",
    "errors",
    "ops",
    "reads",
    "updates",
    "when",
    "writes",
]
