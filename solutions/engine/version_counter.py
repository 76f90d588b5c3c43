"""The counter belongs to the memory, not to the tensor: every tensor that shares memory shares the counter, here as a
list of one number that views and detached tensors are handed on. A write adds 1 to it. Saving keeps the array and the
count at that moment; loading compares the count with what it is now.

It errs on the safe side: a write to one half of an array invalidates a saved view of the other half. To know better,
it would have to record where each write went.

Copying whatever is saved would keep the right numbers as well, at the price of a second copy of each, whether anybody
writes or not; and nobody would be told.

Cost: One integer for each piece of memory, one addition a write, one comparison a load. Nothing is copied.

PyTorch: This is `t._version`, and in backward a stale one raises "one of the variables needed for gradient computation
has been modified by an inplace operation". Views and `detach()` share the counter, and a write under `no_grad` counts.
The old `.data` has a counter of its own, and writes through `.numpy()` are not counted: both are silent, and wrong
where the values had been saved. Tensors made in `inference_mode` have no counter, and cannot be saved for backward.

Asked next:

- After `y = sin(x)` you may write `y.add_(1)` before backward, after `y = sigmoid(x)` you may not. Why? → The VJP of
  sin reads its input, that of sigmoid, y (1 - y), its output. A write is harmless if nobody saved that memory.
- Why is the check made in backward, not at the write? → At the write nobody knows whether backward will ever ask for
  the saved value. The price is that the error comes far from its cause: even PyTorch's anomaly mode shows the forward
  line of the operation that saved, not the line that wrote.
- Two backwards through one retained graph, and `optimizer.step()` between them: what happens? → The step writes the
  weights in place, and although it does so without a graph the counters move. A product that saved a weight finds a
  newer version and raises. Run both backwards first, or the forward again.
- With `saved_tensors_hooks` that only hand the tensor through, what becomes of the check? → It is gone: PyTorch
  compares versions only where no hooks are, as it cannot follow a value through them. Such a hook must copy, or check
  for itself.
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
WRITE_AFTER_SAVE = [("save", 0, 0), ("add", 0, 1), ("load", 0, 0), ("load", 0, 0)]
TAKEN_BACK = [("save", 0, 0), ("add", 0, 1), ("add", 0, -1), ("load", 0, 0)]
NO_WRITE = [("add", 0, 1), ("save", 0, 0), ("load", 0, 0), ("load", 0, 0)]
THROUGH_A_VIEW = [("view", 0, 1), ("save", 0, 0), ("add", 1, 2), ("load", 0, 0), ("save", 1, 0), ("load", 1, 1)]
BASE_OF_A_VIEW = [("view", 0, 1), ("view", 1, 1), ("save", 2, 0), ("add", 0, 1), ("load", 2, 0)]
THROUGH_DETACH = [("detach", 0, 0), ("save", 0, 0), ("save", 1, 0), ("add", 1, 1), ("load", 0, 0), ("load", 1, 1)]
SEVERAL_SAVES = [("save", 0, 0), ("add", 0, 1), ("save", 0, 0), ("load", 0, 0), ("load", 0, 1), ("add", 0, 1)]
OTHER_MEMORY = [("save", 0, 0), ("new", 0, 3), ("add", 1, 1), ("load", 0, 0), ("view", 1, 1), ("add", 2, 1)]


def case(name, steps):
    @scenario(1, note=name)
    def make(rng, size):
        # Eighths: what is added and taken away again leaves no trace.
        return {"data": np.round(8 * rng.normal(size=4)) / 8, "steps": [list(step) for step in steps]}

    return make


# 16 saves of one MiB. Whether memory is shared is asked beside the candidate's code, and is its word; that 16 copies
# do not fit is enforced outside.
@scenario(16, note="many saves of large data", memory=4 << 20, because="a copy of all that is saved")
def large(rng, size):
    steps = [["save", 0, 0] for _ in range(size)] + [["load", 0, handle] for handle in range(size)]
    return {"data": rng.normal(size=1 << 17), "steps": steps}


CASES = [
    case("a write after a save", WRITE_AFTER_SAVE),
    case("a write that is taken back", TAKEN_BACK),
    case("no write after a save", NO_WRITE),
    case("a write through a view", THROUGH_A_VIEW),
    case("a write to the base of a view", BASE_OF_A_VIEW),
    case("a write through a detached tensor", THROUGH_DETACH),
    case("several saves", SEVERAL_SAVES),
    case("a write to other memory", OTHER_MEMORY),
    large,
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
    "The numbers are right, and every copy takes memory. Is the reader told that something was overwritten?",
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
    "compares-contents",
    "memory that holds what it held was not written to",
    "What does a comparison of all numbers cost at each load, and what must be kept for it?",
)
class Tensor(Tensor):
    def save(self):
        return self.data, self.data.copy()

    def load(self, handle):
        data, before = handle
        if not np.array_equal(data, before):
            raise RuntimeError("a saved tensor was modified in place")
        return data


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
