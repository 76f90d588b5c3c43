"""The counter belongs to the memory, not to the tensor: every tensor that shares memory shares the counter, here as a
list of one number that views and detached tensors are handed on. A write adds 1 to it. Saving keeps the array and the
count at that moment; loading compares the count with what it is now.

It errs on the safe side: a write to one half of an array invalidates a saved view of the other half. To know better
would cost more than it gains.

PyTorch does just this: `t._version`, and "one of the variables needed for gradient computation has been modified by an
inplace operation". Its `detach()` shares the counter; the old `.data` has a fresh one, which is why writing through
`.data` is silent and wrong. Copying whatever is saved would be right as well, at twice the memory; and it would hide
the mistake instead of telling of it.
"""

import numpy as np

from autodrill.drills import mistake, scenario

HINTS = (
    "Two tensors see the same memory. A write through one: what must the other learn of it?",
    "One counter for all tensors that share memory; save remembers its value, load compares.",
    "Hand the same mutable counter, such as a list of one int, to views and detached tensors.",
)
RESULTS = ("loads", "stale", "copies", "versions")
EQUIVALENT = {
    "off by one: self._counter[0] -> self._counter[-1]": "a list of one",
    "comparison: if version != self.version: -> if version < self.version:": "a counter never goes back",
}

# (what, on which tensor, argument): the tensors and handles are numbered as they are made.
WRITE_AFTER_SAVE = [("save", 0, 0), ("add", 0, 1), ("load", 0, 0)]
NO_WRITE = [("add", 0, 1), ("save", 0, 0), ("load", 0, 0), ("load", 0, 0)]
THROUGH_A_VIEW = [("view", 0, 1), ("save", 0, 0), ("add", 1, 2), ("load", 0, 0), ("save", 1, 0), ("load", 1, 1)]
BASE_OF_A_VIEW = [("view", 0, 1), ("view", 1, 1), ("save", 2, 0), ("add", 0, 1), ("load", 2, 0)]
THROUGH_DETACH = [("detach", 0, 0), ("save", 0, 0), ("save", 1, 0), ("add", 1, 1), ("load", 0, 0), ("load", 1, 1)]
SEVERAL_SAVES = [("save", 0, 0), ("add", 0, 1), ("save", 0, 0), ("load", 0, 0), ("load", 0, 1), ("add", 0, 1)]
OTHER_MEMORY = [("save", 0, 0), ("new", 0, 3), ("add", 1, 1), ("load", 0, 0), ("view", 1, 1), ("add", 2, 1)]


def case(name, steps):
    @scenario(1, note=name)
    def make(rng, size):
        return {"data": rng.normal(size=4), "steps": [list(step) for step in steps]}

    return make


CASES = [
    case("a write after a save", WRITE_AFTER_SAVE),
    case("no write after a save", NO_WRITE),
    case("a write through a view", THROUGH_A_VIEW),
    case("a write to the base of a view", BASE_OF_A_VIEW),
    case("a write through a detached tensor", THROUGH_DETACH),
    case("several saves", SEVERAL_SAVES),
    case("a write to other memory", OTHER_MEMORY),
]


def drive(candidate, data, steps):
    arrays, tensors, handles = [data.copy()], [], []
    tensors.append(candidate(arrays[0]))
    loads, stale, copies = [], [], 0
    for what, which, argument in steps:
        tensor = tensors[which]
        if what == "save":
            handles.append(tensor.save())
        elif what == "add":
            tensor.add_(float(argument))
        elif what == "new":
            arrays.append(np.full(argument, 1.0))
            tensors.append(candidate(arrays[-1]))
        elif what in ("view", "detach"):
            tensors.append(tensor.view(slice(argument, None)) if what == "view" else tensor.detach())
        else:
            try:
                loaded = tensor.load(handles[argument])
            except RuntimeError:
                stale.append(1.0)
                loads.append(0.0)
            else:
                stale.append(0.0)
                loads.append(float(np.sum(loaded)))
                copies += not any(np.shares_memory(loaded, array) for array in arrays)
    versions = [float(tensor.version) for tensor in tensors]
    return {"loads": loads, "stale": stale, "copies": copies, "versions": versions}


# What is right is simulated on numbers alone: memories with a count, views as ranges of them.
def expected(data, steps):
    memories, tensors, handles, loads, stale = [[data.copy(), 0]], [(0, 0)], [], [], []
    for what, which, argument in steps:
        memory, start = tensors[which]
        if what == "save":
            handles.append((memory, start, memories[memory][1]))
        elif what == "add":
            memories[memory][0][start:] += argument
            memories[memory][1] += 1
        elif what == "new":
            memories.append([np.full(argument, 1.0), 0])
            tensors.append((len(memories) - 1, 0))
        elif what == "load":
            memory, start, count = handles[argument]
            stale.append(float(count != memories[memory][1]))
            loads.append(0.0 if stale[-1] else float(memories[memory][0][start:].sum()))
        else:
            tensors.append((memory, start + argument if what == "view" else start))
    versions = [float(memories[memory][1]) for memory, _ in tensors]
    return {"loads": loads, "stale": stale, "copies": 0, "versions": versions}


class Tensor:
    def __init__(self, data, counter=None):
        self.data = data
        self._counter = [0] if counter is None else counter

    @property
    def version(self):
        return self._counter[0]

    def add_(self, x):
        self.data += x
        self._counter[0] += 1

    def view(self, where):
        return type(self)(self.data[where], self._counter)

    def detach(self):
        return type(self)(self.data, self._counter)

    def save(self):
        return self.data, self.version

    def load(self, handle):
        data, version = handle
        if version != self.version:
            raise RuntimeError("a saved tensor was modified in place")
        return data


@mistake(
    "own-counter-in-view",
    "a view counts its own writes",
    "A write through the view changes the base's memory. Who else has saved that?",
)
class Tensor(Tensor):
    def view(self, where):
        return type(self)(self.data[where], [self.version])


@mistake("no-check", "what was saved is still what it was", "Write after a save, then load: which numbers come back?")
class Tensor(Tensor):
    def load(self, handle):
        return handle[0]


@mistake(
    "detach-fresh-counter",
    "a detached tensor has a history of writes of its own",
    "detach() cuts the graph. Does it also cut the memory?",
)
class Tensor(Tensor):
    def detach(self):
        return type(self)(self.data, [self.version])


@mistake(
    "copies",
    "a copy of everything that is saved needs no check",
    "The numbers are right, and the memory doubles. Is the reader told that something was overwritten?",
)
class Tensor(Tensor):
    def save(self):
        return self.data.copy(), self.version

    def load(self, handle):
        return handle[0]


@mistake(
    "copies-and-checks",
    "what is saved has to be copied",
    "If a write makes load fail anyway, what is the copy good for?",
)
class Tensor(Tensor):
    def save(self):
        return self.data.copy(), self.version


@mistake(
    "out-of-place",
    "`data = data + x` writes into the tensor",
    "After that line, do a tensor and its views still see the same memory?",
)
class Tensor(Tensor):
    def add_(self, x):
        self.data = self.data + x
        self._counter[0] += 1


@mistake(
    "view-counts",
    "taking a view is a modification",
    "Which number of the memory has changed once a view is taken?",
)
class Tensor(Tensor):
    def view(self, where):
        self._counter[0] += 1
        return type(self)(self.data[where], self._counter)


@mistake(
    "another-exception",
    "any exception will do",
    "Which exception does the task ask for?",
)
class Tensor(Tensor):
    def load(self, handle):
        data, version = handle
        if version != self.version:
            raise ValueError("a saved tensor was modified in place")
        return data
