"""The version counter belongs to the memory, not to the tensor. All tensors that share memory share one counter. Here
the counter is a list of one number, which is passed on to views and detached tensors. Each write adds 1 to the counter.
Saving keeps the array and the count at that moment. Loading compares the saved count with the current one.

The check is conservative: a write to one half of an array invalidates a saved view of the other half. A finer check
would have to record which elements each write changed.

Copying everything that is saved would keep the right numbers as well. But copying stores every array twice, even if
nothing is ever written, and it does not report a write.

Cost: one integer for each piece of memory, one addition for each write, one comparison for each load. Nothing is
copied.

PyTorch: the count is `t._version`. If a saved tensor has a newer count, backward raises "one of the variables needed
for gradient computation has been modified by an inplace operation". Views and `detach()` share the counter, and a write
under `no_grad` counts. A tensor taken through the older `.data` has a counter of its own, and writes through `.numpy()`
are not counted. A write through `.data` or through a NumPy array raises no error, and the gradient is wrong if the
overwritten values were saved. Tensors made in `inference_mode` have no counter and cannot be saved for backward.

Asked next:

- After `y = sin(x)` you may call `y.add_(1)` before backward, but after `y = sigmoid(x)` you may not. Why? → The VJP of
  sin reads its input. The VJP of sigmoid, y (1 - y), reads its output. A write is harmless if the overwritten memory
  was not saved.
- Why is the check made in backward and not at the write? → When the write happens, it is unknown whether backward will
  ever need the saved value. The price of the late check is that the error appears far from its cause. Even PyTorch's
  anomaly mode shows the forward line of the operation that saved the value, not the line that overwrote it.
- Two backwards run through one retained graph, with `optimizer.step()` between them. What happens? → The step changes
  the weights in place. The step records no graph, but it still raises the counters. A product that saved a weight finds
  a newer version and raises an error. Run both backwards first, or repeat the forward after the step.
- What happens to the check under `saved_tensors_hooks` that return each tensor unchanged? → The check is no longer
  made. PyTorch compares versions only if there are no hooks, because it cannot follow a value through a hook. Such a
  hook must copy the tensor or check its version.
"""

import numpy as np

from autodrill.drills import mistake, scenario

HINTS = (
    "Two tensors share the same memory. If your code writes to the first, what must the second learn?",
    "Tensors that share memory share one counter. `save` keeps the count; `load` compares it with the current one.",
    "Pass the same mutable counter, such as a list of one int, to views and detached tensors.",
)
RESULTS = ("loads", "stale", "loads after a write", "versions")
EQUIVALENT = {
    "off by one: self._counter[0] -> self._counter[-1]": "the list has one element",
    "comparison: if version != self.version: -> if version < self.version:": "a counter never decreases",
}

# A step is (what, which tensor, argument). Tensors and handles are numbered in the order in which they are made. The
# argument of a view is where its slice starts; of a slice, all three numbers of it.
WRITE_AFTER_SAVE = [("save", 0, 0), ("add", 0, 1), ("load", 0, 0), ("load", 0, 0)]
TAKEN_BACK = [("save", 0, 0), ("add", 0, 1), ("add", 0, -1), ("load", 0, 0)]
WRITE_OF_0 = [("save", 0, 0), ("add", 0, 0), ("load", 0, 0)]
NO_WRITE = [("add", 0, 1), ("save", 0, 0), ("load", 0, 0), ("load", 0, 0)]
THROUGH_A_VIEW = [("view", 0, 1), ("save", 0, 0), ("add", 1, 2), ("load", 0, 0), ("save", 1, 0), ("load", 1, 1)]
BASE_OF_A_VIEW = [("view", 0, 1), ("view", 1, 1), ("save", 2, 0), ("add", 0, 1), ("load", 2, 0)]
THROUGH_DETACH = [("detach", 0, 0), ("save", 0, 0), ("save", 1, 0), ("add", 1, 1), ("load", 0, 0), ("load", 1, 1)]
AFTER_A_VIEW = [("view", 0, 1), ("add", 1, 2), ("save", 0, 0), ("load", 0, 0)]
AFTER_DETACH = [("detach", 0, 0), ("add", 1, 1), ("save", 0, 0), ("load", 0, 0), ("save", 1, 0), ("load", 1, 1)]
SEVERAL_SAVES = [("save", 0, 0), ("add", 0, 1), ("save", 0, 0), ("load", 0, 0), ("load", 0, 1), ("add", 0, 1)]
SLICES = [
    ("slice", 0, [0, 2, 1]), ("save", 1, 0), ("load", 1, 0), ("add", 1, 2), ("slice", 0, [3, None, -2]), ("save", 2, 0),
    ("load", 2, 1), ("add", 2, 1), ("save", 0, 0), ("load", 0, 2), ("load", 1, 0),
]  # fmt: skip
ARRAYS = [
    ("view", 0, 1), ("save", 1, 0), ("add", 0, [1, 2, 3, 4]), ("load", 1, 0), ("save", 0, 0), ("add", 1, [-1, 0, 2]),
    ("save", 0, 0), ("load", 0, 2), ("load", 0, 1),
]  # fmt: skip
OTHER_MEMORY = [("save", 0, 0), ("new", 0, 3), ("add", 1, 1), ("load", 0, 0), ("view", 1, 1), ("add", 2, 1)]


def eighths(rng, size):
    """Draw multiples of 1/8 that are not 0: adding one and subtracting it again restores the same numbers exactly."""
    return rng.choice([-1, 1], size) * rng.integers(1, 17, size) / 8


def case(name, steps):
    @scenario(1, note=name)
    def make(rng, size):
        return {"data": eighths(rng, 4), "steps": [list(step) for step in steps], "shift": float(eighths(rng, 1)[0])}

    return make


# 48 saves of one MiB, with a write between any two: 48 copies do not fit into the memory bound, which is enforced from
# outside the candidate's process. The first 47 loads must fail.
@scenario(48, note="many saves of large data", memory=9 << 20, because="every saved array is copied")
def large(rng, size):
    steps = [step for _ in range(size) for step in (["add", 0, 1], ["save", 0, 0])]
    steps += [["load", 0, handle] for handle in range(size)]
    return {"data": eighths(rng, 1 << 17), "steps": steps, "shift": float(eighths(rng, 1)[0])}


CASES = [
    case("a write after a save", WRITE_AFTER_SAVE),
    case("a write that is undone", TAKEN_BACK),
    case("a write of 0", WRITE_OF_0),
    case("no write after a save", NO_WRITE),
    case("a write through a view", THROUGH_A_VIEW),
    case("a write to the base of a view", BASE_OF_A_VIEW),
    case("a write through a detached tensor", THROUGH_DETACH),
    case("a save after a write through a view", AFTER_A_VIEW),
    case("a save after a write through a detached tensor", AFTER_DETACH),
    case("several saves", SEVERAL_SAVES),
    case("slices with an end and a step", SLICES),
    case("writes of arrays", ARRAYS),
    case("a write to other memory", OTHER_MEMORY),
    large,
]


# After each load, `drive` writes to the memory itself and reads the loaded array again: a copy does not change.
def drive(candidate, data, steps, shift):
    arrays, tensors, handles = [data.copy()], [], []
    tensors.append(candidate(arrays[0]))
    loads, stale, again = [], [], []
    for what, which, argument in steps:
        tensor = tensors[which]
        if what == "save":
            handles.append(tensor.save())
        elif what == "add":
            tensor.add_(np.array(argument, float) if isinstance(argument, list) else float(argument))
        elif what == "new":
            arrays.append(np.full(argument, 1.0))
            tensors.append(candidate(arrays[-1]))
        elif what == "slice":
            tensors.append(tensor.view(slice(*argument)))
        elif what in ("view", "detach"):
            tensors.append(tensor.view(slice(argument, None)) if what == "view" else tensor.detach())
        else:
            try:
                loaded = tensor.load(handles[argument])
            except RuntimeError:
                stale.append(1.0)
                loads.append(0.0)
                again.append(0.0)
            else:
                stale.append(0.0)
                loads.append(float(np.sum(loaded)))
                for array in arrays:
                    array += shift
                again.append(float(np.sum(loaded)))
                for array in arrays:
                    array -= shift
    versions = [float(tensor.version) for tensor in tensors]
    return {"loads": loads, "stale": stale, "loads after a write": again, "versions": versions}


# The expected result is simulated on plain arrays: each piece of memory has a count, and a view is an array of indices.
def expected(data, steps, shift):
    memories, tensors, handles, loads, stale, again = [[data.copy(), 0]], [(0, np.arange(len(data)))], [], [], [], []
    for what, which, argument in steps:
        memory, at = tensors[which]
        if what == "save":
            handles.append((memory, at, memories[memory][1]))
        elif what == "add":
            memories[memory][0][at] += np.array(argument, float)
            memories[memory][1] += 1
        elif what == "new":
            memories.append([np.full(argument, 1.0), 0])
            tensors.append((len(memories) - 1, np.arange(argument)))
        elif what == "load":
            memory, at, count = handles[argument]
            current = count == memories[memory][1]
            stale.append(float(not current))
            loads.append(float(memories[memory][0][at].sum()) if current else 0.0)
            again.append(float((memories[memory][0][at] + shift).sum()) if current else 0.0)
        else:
            part = slice(*argument) if what == "slice" else slice(argument if what == "view" else 0, None)
            tensors.append((memory, at[part]))
    versions = [float(memories[memory][1]) for memory, _ in tensors]
    return {"loads": loads, "stale": stale, "loads after a write": again, "versions": versions}


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
    "a view counts only its own writes",
    "A write through the view changes the base's memory. Which other tensors may have saved that memory?",
)
class Tensor(Tensor):
    def view(self, where):
        return type(self)(self.data[where], [self.version])


@mistake(
    "no-check",
    "a tensor saved for backward is never overwritten",
    "Write after a save, then load: which numbers come back?",
)
class Tensor(Tensor):
    def load(self, handle):
        return handle[0]


@mistake(
    "detach-fresh-counter",
    "a detached tensor counts only its own writes",
    "detach() cuts the graph. Does it also copy the memory?",
)
class Tensor(Tensor):
    def detach(self):
        return type(self)(self.data, [self.version])


@mistake(
    "detach-copies",
    "a detached tensor has memory of its own",
    "Write through the detached tensor. Must the original's numbers change?",
)
class Tensor(Tensor):
    def detach(self):
        return type(self)(self.data.copy(), self._counter)


@mistake(
    "copies",
    "if every saved array is copied, the check is unnecessary",
    "The numbers are right, but every copy takes memory. Does load report that something was overwritten?",
)
class Tensor(Tensor):
    def save(self):
        return self.data.copy(), self.version

    def load(self, handle):
        return handle[0]


@mistake(
    "copies-and-checks",
    "a saved array must be copied",
    "If a write makes load fail anyway, what is the copy for?",
)
class Tensor(Tensor):
    def save(self):
        return self.data.copy(), self.version


@mistake(
    "compares-contents",
    "memory that holds the same numbers as before was not written to",
    "What does comparing all numbers cost at each load, and what must be kept for this comparison?",
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
    "`data = data + x` writes into the tensor's memory",
    "After `data = data + x`, do a tensor and its views still share memory?",
)
class Tensor(Tensor):
    def add_(self, x):
        self.data = self.data + x
        self._counter[0] += 1


@mistake(
    "view-counts",
    "taking a view counts as a write in place",
    "When you take a view, does any number in memory change?",
)
class Tensor(Tensor):
    def view(self, where):
        self._counter[0] += 1
        return type(self)(self.data[where], self._counter)


@mistake(
    "another-exception",
    "any exception is acceptable",
    "Which exception does the task ask for?",
)
class Tensor(Tensor):
    def load(self, handle):
        data, version = handle
        if version != self.version:
            raise ValueError("a saved tensor was modified in place")
        return data


@mistake(
    "own-counters",
    "every tensor counts only its own writes",
    "Two tensors share the same memory. If your code writes to one of them, what must the other learn?",
)
class Tensor(Tensor):
    def view(self, where):
        return type(self)(self.data[where])

    def detach(self):
        return type(self)(self.data)


@mistake(
    "never-counts",
    "a write in place need not be counted",
    "Which of your methods changes the version? Which one must?",
)
class Tensor(Tensor):
    def add_(self, x):
        self.data += x


@mistake(
    "save-counts",
    "saving a tensor counts as a write",
    "When you save a tensor, does any number in memory change?",
)
class Tensor(Tensor):
    def save(self):
        self._counter[0] += 1
        return self.data, self.version


@mistake(
    "any-write-ever",
    "a tensor that was ever written to cannot be loaded",
    "Write first, then save and load. Was the saved tensor overwritten?",
)
class Tensor(Tensor):
    def load(self, handle):
        if self.version:
            raise RuntimeError("a saved tensor was modified in place")
        return handle[0]


@mistake(
    "always-raises",
    "every saved tensor was overwritten",
    "Save a tensor and load it, without a write between. What must load return?",
)
class Tensor(Tensor):
    def load(self, handle):
        raise RuntimeError("a saved tensor was modified in place")


@mistake(
    "last-save-counts",
    "the version of the last save is enough for all handles of a tensor",
    "Save, write, save again, then load the first handle. With which version does your code compare?",
)
class Tensor(Tensor):
    def save(self):
        self._saved = self.version
        return self.data

    def load(self, handle):
        if self.version != self._saved:
            raise RuntimeError("a saved tensor was modified in place")
        return handle


@mistake(
    "first-save-counts",
    "the version of the first save is enough for all handles of a tensor",
    "Save, write, save again, then load the second handle. Was this handle's memory overwritten after its save?",
)
class Tensor(Tensor):
    _saved = None

    def save(self):
        self._saved = self.version if self._saved is None else self._saved
        return self.data

    def load(self, handle):
        if self.version != self._saved:
            raise RuntimeError("a saved tensor was modified in place")
        return handle


@mistake(
    "raises-once",
    "one error is enough for a stale handle",
    "Load the same handle again after the error. Has the old array come back?",
)
class Tensor(Tensor):
    def save(self):
        return [self.data, self.version]

    def load(self, handle):
        version, handle[1] = handle[1], self.version
        if version != self.version:
            raise RuntimeError("a saved tensor was modified in place")
        return handle[0]


@mistake(
    "loads-once",
    "a handle can be loaded only once",
    "Load a handle twice without a write between. Was the memory overwritten?",
)
class Tensor(Tensor):
    def save(self):
        return [self.data, self.version]

    def load(self, handle):
        version, handle[1] = handle[1], -1
        if version != self.version:
            raise RuntimeError("a saved tensor was modified in place")
        return handle[0]


@mistake(
    "one-save-per-memory",
    "the version of the last save is enough for all handles of one piece of memory",
    "Save a tensor, write, then save a view. Is the tensor's handle still valid? With which version do you compare?",
)
class Tensor(Tensor):
    def save(self):
        self._counter[1:] = [self.version]
        return self.data

    def load(self, handle):
        if self.version != self._counter[1]:
            raise RuntimeError("a saved tensor was modified in place")
        return handle


@mistake(
    "write-of-0-ignored",
    "adding 0 is not a write",
    "`t.version` counts writes. Is `add_(0)` a write, although the numbers stay the same?",
)
class Tensor(Tensor):
    def add_(self, x):
        if np.any(x):
            self.data += x
            self._counter[0] += 1
