"""Random functions of an example's own indices and masks: `vmap` of the engine against a loop over PyTorch.

A function is lines of Python that both libraries run. Its arguments are floating arrays, an index array with
repetitions `i`, one without `p`, one integer `j` and a mask `m`; each is of one example, or shared by all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from autodrill import engine
from benchmarks.fuzzing.writes import REFUSED, _broadcasts, array, attempt, in_library
from tests.engine.opdb.agreement import distance

if TYPE_CHECKING:
    from collections.abc import Sequence

RTOL = 1e-9

EXAMPLES = 5

FLOATS = {"x": (3, 4), "y": (4, 3), "v": (3,), "s": (), "u": (3, 3)}
INTEGERS = ("i", "p", "j", "m")

MODES = ("vmap", "vmap of the gradient", "gradient of vmap", "vmap of the tangent")


class Case:
    """Arguments of all examples, and the axis of the examples in each: None if they share it."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.axes: dict[str, int | None] = {}
        self.of: list[dict[str, Any]] = [{} for _ in range(EXAMPLES)]
        for name in (*FLOATS, *INTEGERS):
            shared = name != "x" and rng.random() < (0.25 if name in INTEGERS else 0.3)
            first = self._drawn(rng, name)
            self.axes[name] = None if shared else int(rng.integers(np.ndim(first) + 1))
            for one in self.of:
                one[name] = first if shared else self._drawn(rng, name)

    def _drawn(self, rng: np.random.Generator, name: str) -> Any:
        if name in FLOATS:
            return np.asarray(rng.uniform(-1.5, 1.5, FLOATS[name]))
        return {
            "i": lambda: rng.integers(-3, 3, 3),
            "p": lambda: rng.permutation(3)[:2],
            "j": lambda: np.asarray(rng.integers(-3, 3)),
            "m": lambda: rng.random(3) < 0.5,
        }[name]()

    def stacked(self, name: str) -> Any:
        axis = self.axes[name]
        return self.of[0][name] if axis is None else np.stack([one[name] for one in self.of], axis)


def run(lines: Sequence[str], library: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """Return the tensors `t0`, `t1`, ... after the lines."""
    names = {**in_library(library), **arguments}
    for line in lines:
        exec(line, names)
    return {k: t for k, t in names.items() if k[0] == "t" and k[1:].isdigit()}


class Drawing:
    """Draws lines one after the other, and runs them on PyTorch for the first example."""

    def __init__(self, rng: np.random.Generator, case: Case) -> None:
        self.rng, self.case = rng, case
        self.names = {**in_library("torch"), **in_torch(case.of[0])}
        self.own = {name for name, axis in case.axes.items() if axis is not None}
        self.lines: list[str] = []
        for k, name in enumerate(FLOATS):
            self._add(f"t{k} = {name} * 1.0", own=name in self.own)

    def _add(self, line: str, *, own: bool) -> bool:
        if attempt(line, self.names) is not None:
            return False
        self.lines.append(line)
        target = line.split(" = ", maxsplit=1)[0]
        if own and target.isidentifier():
            self.own.add(target)
        return True

    def shape(self, name: str) -> tuple[int, ...]:
        return tuple(self.names[name].shape)

    def tensors(self) -> list[str]:
        return [k for k in self.names if k[0] == "t" and k[1:].isdigit()]

    def operand(self, shape: Sequence[int], target: str) -> str:
        fits = [k for k in self.tensors() if _broadcasts(self.shape(k), shape) and k != target]
        if not fits or self.rng.random() < 0.2:
            return str(np.round(self.rng.uniform(-1.5, 1.5), 2))
        name = str(self.rng.choice(fits))
        shares = self.names[name].untyped_storage().data_ptr() == self.names[target].untyped_storage().data_ptr()
        return f"({name} * 1.0)" if shares else name

    def index(self, shape: Sequence[int], *, write: bool) -> str:
        """Return an index; for a write it repeats no place."""
        rng, n = self.rng, len(shape)
        if not n:
            return "..."
        axis = int(rng.integers(n))
        lead = [":"] * axis
        if shape[axis] < 3:  # the indices are of three places
            return ", ".join([*lead, str(rng.choice([":", "1:", "::2", "index([0])"]))])
        which = ["p", "j", "m" if write else "i", "index([0, 2])", "i" if not write else "p", "1:", "::2", "-1"]
        first = str(rng.choice(which))
        if first == "m":  # `vmap` refuses a mask of an example, and advises `where`
            return ", ".join([*lead, "m" if shape[axis] == 3 and "m" not in self.own else "j"])
        parts = [*lead, first]
        if axis + 1 < n and rng.random() < 0.3:
            second = {"p": "p", "i": "i", "j": "1:"}.get(first, "j")
            parts.append(str(rng.choice([second, "j", ":2", "None"] if shape[axis + 1] > 2 else [":2", "None"])))
        elif rng.random() < 0.15:
            parts.insert(int(rng.integers(len(parts) + 1)), "None")
        if rng.random() < 0.1 and first in {"p", "i"} and axis + 1 < n and shape[axis + 1] > 2:
            parts = [*lead, f"{first}[:, None]", "p[None]"]
        if rng.random() < 0.2 and n > 1 and shape[-1] > 2:
            parts = ["...", first]
        return ", ".join(parts)

    def step(self) -> bool:
        """Add a line, unless PyTorch refuses it."""
        rng = self.rng
        names = self.tensors()
        a = str(rng.choice(names[-6:]))
        new, shape = f"t{len(names)}", self.shape(a)
        match int(rng.integers(9)):
            case 0 | 1:
                index = self.index(shape, write=False)
                copied = " * 1.0" if "j" in index else ""  # of one example it is a view in PyTorch, as with an integer
                return self._add(f"{new} = {a}[{index}]{copied}", own=a in self.own or self.mapped(index))
            case 2:
                b = str(rng.choice(names))
                mask = str(rng.choice(["m", "m[:, None]", f"{a} > 0.1"]))
                own = {a, b} & self.own or self.mapped(mask) or a in self.own
                return self._add(f"{new} = where({mask}, {a}, {b})", own=bool(own))
            case 3:
                wide = [k for k, n in enumerate(shape) if n > 2]
                if not wide:
                    return False
                axis = int(rng.choice(wide))
                view = ["1"] * len(shape)
                view[axis] = "3"
                own = a in self.own or "i" in self.own
                return self._add(f"{new} = take({a}, i.reshape({', '.join(view)}) % 3, {axis})", own=own)
            case 4:
                b = str(rng.choice(names))
                form = str(rng.choice(["{a} * {b}", "{a} + {b}", "{a} / ({b} * {b} + 1.5)", "({a} * 0.7).sin()"]))
                own = a in self.own or ("{b}" in form and b in self.own)
                return self._add(f"{new} = {form.format(a=a, b=b)}", own=own)
            case 5:
                forms = ["unsqueeze(0)", "clone()", "flatten()"]
                forms += ["swapaxes(0, -1)", "diagonal()", "sum(0)"] if len(shape) > 1 else []
                form = str(rng.choice(forms))
                return self._add(f"{new} = {a}.{form}", own=a in self.own)
            case _:
                if a not in self.own:
                    return False
                return self.write(a, shape)

    def write(self, a: str, shape: tuple[int, ...]) -> bool:
        rng = self.rng
        if rng.random() < 0.3:
            name = str(rng.choice(["add_", "mul_", "sub_", "copy_"]))
            other = self.operand(shape, a)
            if name == "copy_" and other[0] not in "t(":
                return False
            return self._add(f"{a}.{name}({other})", own=True)
        index = self.index(shape, write=True)
        try:
            part = eval(f"{a}[{index}]", dict(self.names))
        except REFUSED:
            return False
        of_mask = index.endswith("m")
        other = str(np.round(rng.uniform(-1, 1), 2)) if of_mask else self.operand(tuple(part.shape), a)
        operator = "=" if of_mask else str(rng.choice(["=", "=", "*=", "+="]))
        return self._add(f"{a}[{index}] {operator} {other}", own=True)

    def mapped(self, text: str) -> bool:
        return any(name in self.own and name in text.replace("index", "") for name in INTEGERS)


def in_torch(arguments: dict[str, Any], *, requires_grad: bool = False) -> dict[str, Any]:
    return {
        k: torch.tensor(v, requires_grad=requires_grad) if k in FLOATS else torch.as_tensor(v)
        for k, v in arguments.items()
    }


def draw(seed: int, length: tuple[int, int] = (4, 14)) -> tuple[list[str], Case]:
    """Return the lines of a random function, and its arguments; PyTorch can differentiate it, or five were drawn."""
    for attempt_number in range(5):
        rng = np.random.default_rng([seed, 4, attempt_number])
        case = Case(rng)
        drawing = Drawing(rng, case)
        count = len(drawing.lines) + int(rng.integers(length[0], length[1] + 1))
        for _ in range(200):
            if len(drawing.lines) >= count:
                break
            drawing.step()
        try:
            each_in_pytorch(drawing.lines, case)
        except REFUSED:  # a saved value was modified
            continue
        break
    return drawing.lines, case


def each_in_pytorch(lines: Sequence[str], case: Case) -> list[dict[str, list[Any]]]:
    """Return the values, the gradients of their weighted sum and the tangents of every example."""
    found = []
    for k, one in enumerate(case.of):
        arguments = in_torch(one, requires_grad=True)
        leaves = [arguments[name] for name in FLOATS]
        values = list(run(lines, "torch", arguments).values())
        kept = [t for t in values if t.requires_grad]
        seeds = [torch.tensor(w) for t, w in zip(values, weights(values, k), strict=True) if t.requires_grad]
        first = torch.autograd.grad(kept, leaves, seeds, allow_unused=True)
        forward = torch.autograd.forward_ad
        with forward.dual_level():
            duals = {
                name: forward.make_dual(torch.tensor(one[name]), torch.tensor(d)) for name, d in aims(case, k).items()
            }
            pushed = [forward.unpack_dual(t) for t in run(lines, "torch", {**in_torch(one), **duals}).values()]
            tangents = [array(t.primal) * 0 if t.tangent is None else array(t.tangent) for t in pushed]
        gradients = [np.zeros(FLOATS[n]) if g is None else array(g) for n, g in zip(FLOATS, first, strict=True)]
        found.append({"values": [array(t) for t in values], "gradients": gradients, "tangents": tangents})
    return found


def weights(values: Sequence[Any], example: int) -> list[Any]:
    rng = np.random.default_rng([example, 7])
    return [rng.normal(size=tuple(t.shape)) for t in values]


def aims(case: Case, example: int) -> dict[str, Any]:
    """Return a direction for each floating argument, the same one for examples that share the argument."""
    found = {}
    for k, (name, shape) in enumerate(FLOATS.items()):
        rng = np.random.default_rng([0 if case.axes[name] is None else example, k, 8])
        found[name] = np.asarray(rng.normal(size=shape))
    return found


def compare(lines: Sequence[str], case: Case) -> tuple[str, str, str]:
    """Return the mode of the first difference and what is to be said of it, after `agrees` or `unexplained`."""
    try:
        expected = each_in_pytorch(lines, case)
    except REFUSED:
        return "refused", "", ""
    floats, integers = list(FLOATS), list(INTEGERS)
    xs, ns = [case.stacked(n) for n in floats], [case.stacked(n) for n in integers]
    float_axes, integer_axes = [case.axes[n] for n in floats], [case.axes[n] for n in integers]

    def f(fs: Sequence[Any], ks: Sequence[Any]) -> list[Any]:
        given = dict(zip((*floats, *integers), (*fs, *ks), strict=True))
        given = {k: engine.Tensor(v) if not isinstance(v, engine.Tensor) else v for k, v in given.items()}
        return list(run(lines, "engine", given).values())

    def pulled(fs: Sequence[Any], ks: Sequence[Any], ws: Sequence[Any]) -> list[Any]:
        found = engine.vjp(lambda *fs: f(fs, ks), *fs)[1](list(ws))
        return [0 * x if g is None else g for g, x in zip(found, fs, strict=True)]

    ws = [np.stack(of) for of in zip(*(weights(one["values"], k) for k, one in enumerate(expected)), strict=True)]
    directions = [aims(case, k) for k in range(EXAMPLES)]
    ds = [
        directions[0][n] if case.axes[n] is None else np.stack([d[n] for d in directions], case.axes[n]) for n in floats
    ]
    mapped = engine.vmap(f, (float_axes, integer_axes))
    computed = {
        "vmap": lambda: mapped(xs, ns),
        "vmap of the gradient": lambda: engine.vmap(pulled, (float_axes, integer_axes, 0))(xs, ns, ws),
        "gradient of vmap": lambda: engine.vjp(lambda *fs: mapped(fs, ns), *xs)[1](ws),
        "vmap of the tangent": lambda: engine.vmap(
            lambda fs, ts, ks: engine.jvp(lambda *fs: f(fs, ks), fs, ts)[1], (float_axes, float_axes, integer_axes)
        )(xs, ds, ns),
    }
    key = {"vmap": "values", "vmap of the tangent": "tangents"}
    for mode in MODES:
        parts = [one[key.get(mode, "gradients")] for one in expected]
        right = [np.stack(of) for of in zip(*parts, strict=True)]
        if mode == "gradient of vmap":
            right = [
                g.sum(0) if case.axes[n] is None else np.moveaxis(g, 0, case.axes[n])
                for n, g in zip(floats, right, strict=True)
            ]
        try:
            found = computed[mode]()
        except Exception as error:  # noqa: BLE001 - an error of the engine is a difference
            return "unexplained", mode, f"{type(error).__name__}: {error}".splitlines()[0][:250]
        got = [np.zeros_like(b) if a is None else array(a) for a, b in zip(found, right, strict=True)]
        error = distance(got, right)
        if error > RTOL:
            return "unexplained", mode, f"differs by {error:.1e}"
    return "agrees", "", ""


def smallest(lines: list[str], case: Case, mode: str, note: str) -> tuple[list[str], str]:
    """Return the fewest lines that still differ in the same mode."""
    kept, again = list(lines), True
    while again:
        again = False
        for k in range(len(kept) - 1, -1, -1):
            less = kept[:k] + kept[k + 1 :]
            try:
                word, where, said = compare(less, case)
            except Exception:  # noqa: BLE001 - a line uses a tensor that was made by the line left out
                continue
            if word == "unexplained" and where == mode and said[:9] == note[:9]:
                kept, note, again = less, said, True
    return kept, note
