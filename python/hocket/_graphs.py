# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Hocket authors
"""Graphs: tasks that are recorded once and run many times."""

import itertools
import weakref

from . import _calls, _core
from ._buffers import checked_label
from ._future import Future, Outcome, Recorded, Run, options_of
from ._parameters import Parameter
from ._targets import Block, Target, taken_into
from .errors import UsageError

_numbers = itertools.count(1)


class When:
    """A condition that looks at data; made by when()."""

    __slots__ = ("function", "arguments")

    def __init__(self, function, arguments):
        _calls.check_function(function, "A condition")
        _calls.check_arguments(arguments)
        for each in arguments:
            if isinstance(each, (Future, Parameter)):
                raise TypeError(
                    f"A condition is given {each!r}; it has to be hocket.reads(b), or a value that "
                    "is the same each time."
                )
        self.function = function
        self.arguments = arguments


def when(function, *arguments):
    """A condition that looks at data: function is called with arrays in the place of reads(b) each
    time that a graph asks, and returns True, False or a number."""
    return When(function, arguments)


class Graph(Target):
    """Tasks that are recorded once, and run as often as one likes; made by Runtime.record.

    Its block is entered once. After it the graph does not change; it keeps its buffers, and may be
    run by several threads at once.
    """

    _records = True

    def __init__(self, home, label, options):
        self._home = home
        self._options = options
        self._name = label
        self.label = f"graph {next(_numbers)}" if label is None else checked_label(str(label))
        self._block = self._recording = self._recorded = None
        # Functions to which the C++ part has weak references.
        self._kept = []

    def __enter__(self):
        if self._block is not None:
            raise UsageError(f'The block of graph "{self.label}" is entered twice.')
        self._recording = _core.OpenRecording(self._home, self._options, self.label)
        self._block = Block(self)
        return self

    def __exit__(self, kind, error, trace):
        self._block.close()
        recording, self._recording = self._recording, None
        if kind is None:
            self._recorded = recording.finish()
        else:
            recording.drop()
            self._kept = []

    @property
    def _handle(self):
        if self._recording is None:
            raise UsageError(
                f'A task is submitted into graph "{self.label}", which takes tasks in its block '
                "alone: with rt.record() as g."
            )
        return self._recording

    def _submitted(self, task, outcome=None, kept=None, kind=Future):
        if kept is not None:
            self._kept.append(kept)
        return Recorded(task)

    @property
    def size(self):
        """How many tasks it has, those of graphs within it too. A condition or a loop is one."""
        return self._content().size

    def run(self, settings=None, **options):
        """Submits all tasks of the graph; within a recording they become tasks of that. The future
        ends when all of them have, and fails as the first that failed.

        settings: what parameters are in this run, {rate: 0.05}. Options: label, priority, after,
        into.
        """
        return _run(self, settings, options)

    def run_if(self, condition, otherwise=None, **options):
        """Runs this graph if the condition holds, and else the other one, if there is one."""
        graphs = [self] if otherwise is None else [self, otherwise]
        return choose(self._home, "if", condition, graphs, options)

    def run_while(self, condition, at_most=None, **options):
        """Runs the graph as long as the condition holds, which is asked before each round."""
        return choose(self._home, "while", condition, [self], options, _rounds(at_most))

    def run_until(self, condition, at_most=None, **options):
        """Runs the graph until the condition holds, which is asked after each round."""
        return choose(self._home, "until", condition, [self], options, _rounds(at_most))

    def run_times(self, count, **options):
        """Runs the graph so many times, as one task: without a Python function that is asked."""
        return choose(self._home, "while", None, [self], options, _rounds(count))

    def _content(self):
        if self._recorded is not None:
            return self._recorded
        why = "an exception has left its block"
        if self._block is None:
            why = "its block was not entered: with rt.record() as g"
        elif self._recording is not None:
            why = "its block goes on"
        raise UsageError(f'Graph "{self.label}" is not recorded: {why}.')

    def __repr__(self):
        if self._recorded is None:
            return f'<hocket.Graph "{self.label}", not recorded>'
        return f'<hocket.Graph "{self.label}": {self.size} tasks>'


def _rounds(count):
    if count is None:
        return 2**64 - 1
    if isinstance(count, bool) or not isinstance(count, int) or not 0 <= count < 2**64:
        raise ValueError(f"The number of rounds is {count!r}; it has to be an integer from 0 on.")
    return count


def _settings_of(settings):
    if settings is None:
        return []
    if not isinstance(settings, dict):
        raise TypeError(
            f"The settings of a run are {settings!r}; they have to be a dict from hocket.Parameter "
            "to numbers."
        )
    for each in settings:
        if not isinstance(each, Parameter):
            raise TypeError(f"A run sets {each!r}; it has to be a hocket.Parameter.")
    return [(each._handle, value) for each, value in settings.items()]


def _named(options, graph):
    return options if graph._name is None else {"label": graph.label, **options}


def _run(graph, settings, options):
    content = graph._content()
    target, options = taken_into(graph._home, _named(options, graph))
    options = options_of(options)
    task = _core.run_graph(target._handle, content, _settings_of(settings), options)
    return target._submitted(task, Outcome(), graph._kept, Run)


def choose(home, rule, condition, graphs, options, at_most=1):
    """Submits a choice among graphs, or a loop. A condition that is None always holds."""
    for each in graphs:
        if not isinstance(each, Graph):
            raise TypeError(f"What is run is a hocket.Graph, not {each!r}.")
    contents = [each._content() for each in graphs]
    if graphs:
        options = _named(options, graphs[0])
    target, options = taken_into(home, options)
    kept = [each._kept for each in graphs]
    asked, name, accesses = None, "", []
    if condition is not None:
        if not isinstance(condition, When):
            condition = when(condition)
        name, accesses = _calls.name_of(condition.function), _calls.accesses_of(condition.arguments)
        call = _calls.Condition(home, condition.function, condition.arguments, name)
        kept.append(call)
        asked = weakref.ref(call)
    task = _core.choose_graph(
        target._handle, rule, asked, name, accesses, contents, at_most, options_of(options)
    )
    return target._submitted(task, Outcome(), kept, Run)
