"""A tensor hook must get the complete gradient, so accumulate first. When the last contribution has arrived, pass the
sum through the hooks. Each hook receives the result of the hook before it. Then reset the sum to 0. A hook may remove
itself or another hook, so loop over a copy of the list.

A hook must not run on each contribution. A hook that clips, or divides by a norm, is not linear: its results for the
parts do not add up to its result for the sum. Even a hook that only logs would log the parts instead of the gradient.

A function without a `return` returns None. So None must mean "unchanged", or every hook that only prints would erase
the gradient.

The handle holds a key into an ordered dict instead of a position, so removing one hook does not shift the others.

Cost: one addition for each contribution, one call for each hook in each backward, and one buffer of the gradient's size
for any number of consumers. The objects that a hook refers to stay alive with the tensor until the hook is removed.

PyTorch: a hook on a non-leaf runs when the tensor's gradient is complete, and before any other node uses it. A hook on
a leaf runs before the gradient is accumulated into `.grad`. This hook gets only the gradient of the current backward,
and the result of the last hook is added to `.grad`. Hooks from `register_post_accumulate_grad_hook` run after the
addition. If a hook removes a later hook, the later hook still runs in the current pass. `retain_grad` stores the result
of the last hook, even if `retain_grad` was called before that hook was registered.

Asked next:

- How does an engine know that the last contribution has arrived? → Before backward the engine walks the graph once. For
  each node, this walk counts the incoming edges from nodes that will run. Each contribution lowers the count by one,
  and at 0 the gradient is complete. Processing nodes in reverse topological order guarantees the same without a count.
- Can a hook on each parameter clip by the norm over all parameters? → No. A hook gets only one parameter's gradient,
  and the other gradients may not exist yet. Clip after backward, as `clip_grad_norm_` does.
- You accumulate over two micro-batches, and a leaf's hook returns min(g, 1). The gradients are 3 and -2: what does
  `.grad` hold? → `.grad` holds -1. The hook runs once per backward. For the gradient 3 it returns 1, and for the
  gradient -2 it returns -2. `.grad` holds the sum of these two. Clipping the sum of the gradients would give 1 instead.
- Why should a hook return a new gradient and never change its argument in place? → The argument may also be another
  tensor's gradient, because an addition passes the same cotangent to both operands. Let a hook on `a` call `g.mul_(0)`
  in PyTorch. After `a + b`, the gradient of `b` can then be 0 as well, depending on which operand is processed first.
"""

import numpy as np

from autodrill.drills import mistake, scenario

HINTS = (
    "A hook divides a gradient by its norm. Which gradient must this hook get?",
    "Sum all received gradients. `finalize` passes the sum from hook to hook. If a hook returns None, keep the value.",
    "Keep hooks in a dict, each under a key of its own. A handle removes its key. Which loop can this removal disturb?",
)
RESULTS = ("seen", "gradients")

# A step is (what, which hook, amount). The hook "log" returns None, "once" removes itself, "times" scales and "clip"
# bounds. "same" registers the function of an earlier hook again; "turn" switches to the other of two tensors.
STEPS = {
    "several contributions": [
        ("hook", "log", 0.0), ("receive", "", 1.0), ("receive", "", 2.0), ("finalize", "", 0.0),
    ],
    "a hook in the middle replaces the gradient": [
        ("hook", "log", 0.0), ("hook", "times", 10.0), ("hook", "log", 0.0), ("hook", "times", -2.0),
        ("receive", "", 1.0), ("receive", "", 2.0), ("finalize", "", 0.0),
    ],
    "a hook that is not linear": [
        ("hook", "clip", 2.0), ("hook", "log", 0.0), ("receive", "", 3.0), ("receive", "", -2.5), ("finalize", "", 0.0),
    ],
    "a hook that removes itself": [
        ("hook", "once", 0.0), ("hook", "log", 0.0), ("receive", "", 1.0), ("finalize", "", 0.0), ("receive", "", 2.0),
        ("finalize", "", 0.0),
    ],
    "no hooks": [("receive", "", 4.0), ("finalize", "", 0.0)],
    "a gradient of 0": [("hook", "times", 0.0), ("hook", "log", 0.0), ("receive", "", 4.0), ("finalize", "", 0.0)],
    "contributions with the sum 0": [
        ("hook", "clip", -2.0), ("hook", "log", 0.0), ("receive", "", 2.0), ("receive", "", -2.0),
        ("finalize", "", 0.0),
    ],
    "backward twice": [
        ("hook", "log", 0.0), ("receive", "", 1.0), ("finalize", "", 0.0), ("receive", "", 5.0), ("finalize", "", 0.0),
    ],
    "hooks removed, one of them twice": [
        ("hook", "times", 2.0), ("hook", "times", 3.0), ("hook", "log", 0.0), ("remove", "", 0.0), ("receive", "", 1.0),
        ("finalize", "", 0.0), ("remove", "", 0.0), ("hook", "times", 5.0), ("remove", "", 1.0), ("receive", "", 1.0),
        ("finalize", "", 0.0),
    ],
    "one function registered twice": [
        ("hook", "times", 3.0), ("hook", "clip", 4.0), ("same", "", 0.0), ("receive", "", 1.0), ("finalize", "", 0.0),
        ("remove", "", 0.0), ("remove", "", 0.0), ("receive", "", 2.0), ("finalize", "", 0.0),
    ],
    "two tensors in turn": [
        ("hook", "times", 5.0), ("receive", "", 1.0), ("turn", "", 0.0), ("receive", "", 2.0), ("hook", "log", 0.0),
        ("turn", "", 0.0), ("finalize", "", 0.0), ("turn", "", 0.0), ("finalize", "", 0.0),
    ],
}  # fmt: skip


def case(name):
    @scenario(1, note=name)
    def make(rng, size):
        return {"steps": [list(step) for step in STEPS[name]], "scale": float(rng.uniform(0.5, 2))}

    return make


CASES = [case(name) for name in STEPS]


def drive(candidate, steps, scale):
    tensor, other, handles, fns, seen, gradients = candidate(), candidate(), [], [], [], []

    def hook(what, amount, number):
        def fn(g):
            seen.append(float(g))
            if what == "once":
                handles[number].remove()
            if what in ("log", "once"):
                return None
            return g * amount if what == "times" else min(g, amount)

        return fn

    for step, what, amount in steps:
        if step in ("hook", "same"):
            fns.append(hook(what, amount, len(handles)) if step == "hook" else fns[int(amount)])
            handles.append(tensor.register_hook(fns[-1]))
        elif step == "turn":
            tensor, other = other, tensor
        elif step == "receive":
            tensor.receive(amount * scale)
        elif step == "remove":
            handles[int(amount)].remove()
        else:
            gradients.append(float(tensor.finalize()))
    return {"seen": seen, "gradients": gradients}


# The expected result is simulated on a plain list of hooks, without tensors or closures.
def expected(steps, scale):
    hooks, totals, seen, gradients, turn = [], [0.0, 0.0], [], [], 0
    for step, what, amount in steps:
        if step == "hook":
            hooks.append((what, amount, turn))
        elif step == "same":
            hooks.append((*hooks[int(amount)][:2], turn))
        elif step == "turn":
            turn = 1 - turn
        elif step == "receive":
            totals[turn] += amount * scale
        elif step == "remove":
            hooks[int(amount)] = None
        else:
            total, totals[turn] = totals[turn], 0.0
            for kind, factor, of in filter(None, hooks):
                if of == turn:
                    seen.append(total)
                    total = {"times": total * factor, "clip": min(total, factor)}.get(kind, total)
            hooks = [None if hook and hook[0] == "once" else hook for hook in hooks]
            gradients.append(total)
    return {"seen": np.array(seen, dtype=float), "gradients": gradients}


class Handle:
    def __init__(self, hooks, key):
        self._hooks, self._key = hooks, key

    def remove(self):
        self._hooks.pop(self._key, None)


class HookedTensor:
    def __init__(self):
        self._hooks, self._gradient = {}, 0.0

    def register_hook(self, fn):
        key = object()
        self._hooks[key] = fn
        return Handle(self._hooks, key)

    def receive(self, g):
        self._gradient += g

    def finalize(self):
        g, self._gradient = self._gradient, 0.0
        for fn in list(self._hooks.values()):
            replaced = fn(g)
            if replaced is not None:
                g = replaced
        return g


@mistake(
    "per-contribution",
    "a hook runs whenever a contribution arrives",
    "Two consumers send 3 and -2.5. Is clipping each contribution the same as clipping their sum?",
)
class HookedTensor(HookedTensor):
    def receive(self, g):
        for fn in list(self._hooks.values()):
            replaced = fn(g)
            if replaced is not None:
                g = replaced
        self._gradient += g

    def finalize(self):
        g, self._gradient = self._gradient, 0.0
        return g


@mistake(
    "none-kills",
    "every return value of a hook is the new gradient",
    "If a hook only prints, what does it return? What should the gradient be afterwards?",
)
class HookedTensor(HookedTensor):
    def finalize(self):
        g, self._gradient = self._gradient, 0.0
        for fn in list(self._hooks.values()):
            g = fn(g)
        return g


@mistake(
    "not-chained",
    "every hook gets the gradient as it was before the first hook",
    "If a hook changes the gradient, what must the next hook get?",
)
class HookedTensor(HookedTensor):
    def finalize(self):
        original = g = self._gradient
        self._gradient = 0.0
        for fn in list(self._hooks.values()):
            replaced = fn(original)
            if replaced is not None:
                g = replaced
        return g


@mistake(
    "falsy-is-none",
    "a hook that returns 0 leaves the gradient unchanged",
    "Is 0.0 the same as None? What does `or` do with 0.0?",
)
class HookedTensor(HookedTensor):
    def finalize(self):
        g, self._gradient = self._gradient, 0.0
        for fn in list(self._hooks.values()):
            g = fn(g) or g
        return g


@mistake(
    "keeps-gradient",
    "the caller clears the gradient before the next backward",
    "Two backward passes run one after the other. What does the second gradient contain?",
)
class HookedTensor(HookedTensor):
    def finalize(self):
        g = self._gradient
        for fn in list(self._hooks.values()):
            replaced = fn(g)
            if replaced is not None:
                g = replaced
        return g


@mistake(
    "last-first",
    "hooks run in reversed order, as the nodes do in backward",
    "In which order does the task tell you to run the hooks?",
)
class HookedTensor(HookedTensor):
    def finalize(self):
        g, self._gradient = self._gradient, 0.0
        for fn in reversed(list(self._hooks.values())):
            replaced = fn(g)
            if replaced is not None:
                g = replaced
        return g


class ByFunction:
    def __init__(self, hooks, fn):
        self._hooks, self._fn = hooks, fn

    def remove(self):
        if self._fn in self._hooks:
            self._hooks.remove(self._fn)


@mistake(
    "removed-by-function",
    "a handle can identify its hook by the function alone",
    "One function is registered twice. `remove` is called twice on one of the two handles. How many hooks are left?",
)
class HookedTensor(HookedTensor):
    def __init__(self):
        self._hooks, self._gradient = [], 0.0

    def register_hook(self, fn):
        self._hooks.append(fn)
        return ByFunction(self._hooks, fn)

    def finalize(self):
        g, self._gradient = self._gradient, 0.0
        for fn in list(self._hooks):
            replaced = fn(g)
            if replaced is not None:
                g = replaced
        return g


class ByPosition:
    def __init__(self, hooks, place):
        self._hooks, self._place = hooks, place

    def remove(self):
        if self._place < len(self._hooks):
            del self._hooks[self._place]


@mistake(
    "removed-by-position",
    "a hook keeps its position in the list",
    "The first of three hooks is removed. Where are the other two now, and which positions do their handles hold?",
)
class HookedTensor(HookedTensor):
    def __init__(self):
        self._hooks, self._gradient = [], 0.0

    def register_hook(self, fn):
        self._hooks.append(fn)
        return ByPosition(self._hooks, len(self._hooks) - 1)

    def finalize(self):
        g, self._gradient = self._gradient, 0.0
        for fn in list(self._hooks):
            replaced = fn(g)
            if replaced is not None:
                g = replaced
        return g


class Strict(ByFunction):
    def remove(self):
        self._hooks.remove(self._fn)


@mistake(
    "removing-twice-raises",
    "a hook is never removed twice",
    "What does the task say about removing a hook twice? What does `list.remove` do the second time?",
)
class HookedTensor(HookedTensor):
    def __init__(self):
        self._hooks, self._gradient = [], 0.0

    def register_hook(self, fn):
        self._hooks.append(fn)
        return Strict(self._hooks, fn)

    def finalize(self):
        g, self._gradient = self._gradient, 0.0
        for fn in list(self._hooks):
            replaced = fn(g)
            if replaced is not None:
                g = replaced
        return g


@mistake(
    "once-a-function",
    "one function can be registered only once",
    "One function is registered twice. How many times must the function be called, and what does each handle remove?",
)
class HookedTensor(HookedTensor):
    def register_hook(self, fn):
        self._hooks[fn] = fn
        return Handle(self._hooks, fn)


hooks_of_all = {}


@mistake(
    "hooks-of-the-class",
    "all tensors may keep their hooks in one place",
    "There are two tensors, and only the first has a hook. What happens to the gradient of the second?",
)
class HookedTensor(HookedTensor):
    def __init__(self):
        self._hooks, self._gradient = hooks_of_all, 0.0
        hooks_of_all.clear()


@mistake(
    "hooks-only-look",
    "what a hook returns has no effect",
    "A hook that clips returns the clipped gradient. What does your code do with this value?",
)
class HookedTensor(HookedTensor):
    def finalize(self):
        g, self._gradient = self._gradient, 0.0
        for fn in list(self._hooks.values()):
            fn(g)
        return g


@mistake(
    "number-of-hooks-as-key",
    "the number of registered hooks can serve as the key of a new hook",
    "Register two hooks, remove the first, and register a third. Which keys does your code use?",
)
class HookedTensor(HookedTensor):
    def register_hook(self, fn):
        key = len(self._hooks)
        self._hooks[key] = fn
        return Handle(self._hooks, key)

    def finalize(self):
        g, self._gradient = self._gradient, 0.0
        for key in sorted(self._hooks):
            replaced = self._hooks[key](g)
            if replaced is not None:
                g = replaced
        return g


@mistake(
    "first-hook-only",
    "a hook that changes the gradient is the last one to run",
    "Two hooks each double the gradient. By which factor does the gradient grow?",
)
class HookedTensor(HookedTensor):
    def finalize(self):
        g, self._gradient = self._gradient, 0.0
        for fn in list(self._hooks.values()):
            replaced = fn(g)
            if replaced is not None:
                return replaced
        return g


@mistake(
    "result-added",
    "what a hook returns is added to the gradient",
    "A hook that clips returns the clipped gradient. Is the returned gradient a correction or a replacement?",
)
class HookedTensor(HookedTensor):
    def finalize(self):
        g, self._gradient = self._gradient, 0.0
        for fn in list(self._hooks.values()):
            replaced = fn(g)
            if replaced is not None:
                g = g + replaced
        return g


class RemovesAll(Handle):
    def remove(self):
        self._hooks.clear()


@mistake(
    "removes-all",
    "a handle removes every hook",
    "Register two hooks and remove the first. Which hooks must still run?",
)
class HookedTensor(HookedTensor):
    def register_hook(self, fn):
        key = object()
        self._hooks[key] = fn
        return RemovesAll(self._hooks, key)


class ByEntry:
    def __init__(self, hooks, entry):
        self._hooks, self._entry = hooks, entry

    def remove(self):
        if self._entry in self._hooks:
            self._hooks.remove(self._entry)


@mistake(
    "skips-after-removal",
    "a list can be shortened while a loop runs over it",
    "A hook removes itself while the loop runs. Which hook moves into its position, and which hook runs next?",
)
class HookedTensor(HookedTensor):
    def __init__(self):
        self._hooks, self._gradient = [], 0.0

    def register_hook(self, fn):
        entry = (object(), fn)
        self._hooks.append(entry)
        return ByEntry(self._hooks, entry)

    def finalize(self):
        g, self._gradient = self._gradient, 0.0
        for _, fn in self._hooks:
            replaced = fn(g)
            if replaced is not None:
                g = replaced
        return g


@mistake(
    "dict-changes-in-loop",
    "a dict can lose a key while a loop runs over it",
    "A hook removes itself while the loop runs. What does Python do at the next step of the loop?",
)
class HookedTensor(HookedTensor):
    def finalize(self):
        g, self._gradient = self._gradient, 0.0
        for fn in self._hooks.values():
            replaced = fn(g)
            if replaced is not None:
                g = replaced
        return g


@mistake(
    "one-backward-only",
    "a hook runs in one backward only",
    "The hook was not removed. Must it run in the next backward?",
)
class HookedTensor(HookedTensor):
    def finalize(self):
        g, self._gradient = self._gradient, 0.0
        for fn in list(self._hooks.values()):
            replaced = fn(g)
            if replaced is not None:
                g = replaced
        self._hooks.clear()
        return g


@mistake(
    "hooks-on-the-running-sum",
    "hooks run on the sum so far whenever a contribution arrives",
    "Two contributions arrive. How many times must a hook run, and when is the gradient complete?",
)
class HookedTensor(HookedTensor):
    def receive(self, g):
        self._gradient += g
        for fn in list(self._hooks.values()):
            replaced = fn(self._gradient)
            if replaced is not None:
                self._gradient = replaced

    def finalize(self):
        g, self._gradient = self._gradient, 0.0
        return g


@mistake(
    "last-contribution",
    "the last contribution is the gradient",
    "Two consumers send 1 and 2. What is the complete gradient?",
)
class HookedTensor(HookedTensor):
    def receive(self, g):
        self._gradient = g


@mistake(
    "mean-of-contributions",
    "the gradient is the mean of the contributions",
    "Two consumers send 1 and 2. What does the chain rule do with the contributions of two paths?",
)
class HookedTensor(HookedTensor):
    def __init__(self):
        self._hooks, self._gradient, self._count = {}, 0.0, 0

    def receive(self, g):
        self._gradient += g
        self._count += 1

    def finalize(self):
        g, self._gradient, count, self._count = self._gradient, 0.0, self._count, 0
        g /= max(count, 1)
        for fn in list(self._hooks.values()):
            replaced = fn(g)
            if replaced is not None:
                g = replaced
        return g


@mistake(
    "replaced-is-kept",
    "the next backward starts from the result of this one",
    "What does `finalize` leave in the tensor? Which contributions belong to the next backward?",
)
class HookedTensor(HookedTensor):
    def finalize(self):
        g = self._gradient
        for fn in list(self._hooks.values()):
            replaced = fn(g)
            if replaced is not None:
                g = replaced
        self._gradient = g
        return g


gradient_of_all = [0.0]


@mistake(
    "gradient-of-the-class",
    "all tensors may share one variable for their gradients",
    "Two tensors receive contributions in turn. Which contributions does the gradient of the first one contain?",
)
class HookedTensor(HookedTensor):
    def receive(self, g):
        gradient_of_all[0] += g

    def finalize(self):
        g, gradient_of_all[0] = gradient_of_all[0], 0.0
        for fn in list(self._hooks.values()):
            replaced = fn(g)
            if replaced is not None:
                g = replaced
        return g


@mistake(
    "none-after-backward",
    "an empty gradient is None",
    "What is None + 1.0? What must a tensor hold before its first contribution in the next backward?",
)
class HookedTensor(HookedTensor):
    def finalize(self):
        g, self._gradient = self._gradient, None
        for fn in list(self._hooks.values()):
            replaced = fn(g)
            if replaced is not None:
                g = replaced
        return g


@mistake(
    "gradient-of-0-skipped",
    "a gradient of 0 needs no hooks",
    "Two contributions cancel. What does a hook that logs gradients see? May a hook replace a 0?",
)
class HookedTensor(HookedTensor):
    def finalize(self):
        if self._gradient == 0:
            return 0.0
        return super().finalize()


@mistake(
    "stops-at-0",
    "a gradient that has become 0 needs no further hooks",
    "The first hook returns 0. What do the later hooks see?",
)
class HookedTensor(HookedTensor):
    def finalize(self):
        g, self._gradient = self._gradient, 0.0
        for fn in list(self._hooks.values()):
            if g == 0:
                break
            replaced = fn(g)
            if replaced is not None:
                g = replaced
        return g
