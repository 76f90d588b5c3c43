"""Random programs of views, writes and in-place operations, as lines of Python that both libraries run.

A line names tensors `t0`, `t1`, ... and calls what tensors of both libraries have. An error has to come from both or
from none. At the end every tensor is compared, then gradients and their gradients.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from autodrill import engine
from tests.engine.opdb.agreement import distance

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

RTOL = 1e-9

Holds = "Callable[[str, str | None, str | None, dict[str, Any]], bool]"

REFUSED = (RuntimeError, ValueError, TypeError, IndexError)


def in_library(name: str) -> dict[str, Any]:
    """Return the names that a line may use: `leaf`, `constant`, `index`, and what is no method."""
    if name == "torch":
        return {
            "leaf": lambda values: torch.tensor(np.array(values), requires_grad=True),
            "constant": lambda values: torch.tensor(np.array(values)),
            "index": torch.tensor,
            "no_grad": torch.no_grad,
            "where": torch.where,
            "take": torch.take_along_dim,
            "stack": torch.stack,
        }
    return {
        "leaf": lambda values: engine.Tensor(np.array(values), requires_grad=True),
        "constant": lambda values: engine.Tensor(np.array(values)),
        "index": np.array,
        "no_grad": engine.no_grad,
        "where": engine.where,
        "take": engine.take_along_axis,
        "stack": engine.stack,
    }


def numbers(values: Any) -> str:
    """Return an array as text, to four digits."""
    rounded = np.round(values, 4)
    return str(rounded.tolist())


def array(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return value.detach().resolve_conj().resolve_neg().numpy().copy()
    return np.array(value.numpy() if isinstance(value, engine.Tensor) else value)


def basic_index(rng: np.random.Generator, shape: Sequence[int]) -> str:
    """Return integers and slices, with a new axis now and then."""
    parts = []
    for n in shape:
        match int(rng.integers(6)):
            case 0:
                parts.append(str(int(rng.integers(-n, n))) if n else ":")
            case 1:
                parts.append(f"{int(rng.integers(0, n + 1))}:")
            case 2:
                parts.append(f":{int(rng.integers(-n, n + 1)) or n}")
            case 3:
                parts.append("::2")
            case _:
                parts.append(":")
    if rng.random() < 0.15:
        parts.insert(int(rng.integers(len(parts) + 1)), "None")
    if parts and rng.random() < 0.2:
        parts = [*parts[: int(rng.integers(len(parts)))], "..."]
    return ", ".join(parts) or "..."


def advanced_index(rng: np.random.Generator, shape: Sequence[int]) -> str:
    """Return a mask, or integers without repetition, on one axis or on several."""
    if not shape or rng.random() < 0.3:
        return f"index({(rng.random(tuple(shape)) < 0.5).tolist()})"
    axis = int(rng.integers(len(shape)))
    if not shape[axis]:
        return ":"
    chosen = rng.permutation(shape[axis])[: int(rng.integers(1, shape[axis] + 1))]
    if len(shape) > 1 and rng.random() < 0.3 and axis + 1 < len(shape) and shape[axis + 1]:
        other = rng.integers(0, shape[axis + 1], chosen.shape)
        return ", ".join([":"] * axis + [f"index({chosen.tolist()})", f"index({other.tolist()})"])
    return ", ".join([":"] * axis + [f"index({chosen.tolist()})"])


def a_view(rng: np.random.Generator, shape: Sequence[int]) -> str:
    n = len(shape)
    options = ["detach()"] if rng.random() < 0.1 else []
    options += [f"reshape({int(np.prod(shape)) if np.prod(shape) else 0})"] if np.prod(shape) else []
    if n:
        k = int(rng.integers(n))
        options += [
            f"unsqueeze({int(rng.integers(-n - 1, n + 1))})",
            f"permute({', '.join(map(str, rng.permutation(n)))})",
            f"narrow({k}, {int(rng.integers(0, max(1, shape[k])))}, 1)" if shape[k] else "squeeze()",
            "squeeze()",
            "flatten()",
        ]
    if n > 1:
        i, j = (int(k) for k in rng.permutation(n)[:2])
        options += [f"swapaxes({i}, {j})", f"diagonal({int(rng.integers(-1, 2))}, {i}, {j})", "mT"]
        options += [f"reshape({shape[0] * shape[1]}, {', '.join(map(str, shape[2:]))})"] if np.prod(shape) else []
    if n and 1 in shape:
        options.append(f"expand({', '.join(str(2 if m == 1 else m) for m in shape)})")
    return str(rng.choice(options or ["clone()"]))


@dataclass
class Writer:
    """Draws lines one by one, after running the ones before, so that it knows the shapes and the memory."""

    rng: np.random.Generator
    run: Callable[[str], bool]
    tensors: dict[str, Any]
    count: int = 0

    def chosen(self) -> str:
        names = list(self.tensors)
        late = names[-5:] if self.rng.random() < 0.7 else names
        return str(self.rng.choice(late))

    def operand(self, shape: Sequence[int], *, besides: str) -> str:
        """Return a number or a tensor that broadcasts to a shape, which shares no memory with another one."""
        fits = [name for name, t in self.tensors.items() if _broadcasts(t.shape, shape)]
        if not fits or self.rng.random() < 0.25:
            return str(np.round(self.rng.uniform(-1.5, 1.5), 2))
        name = str(self.rng.choice(fits))
        if name == besides and self.rng.random() < 0.5:
            return name
        same = memory_of(self.tensors[name]) == memory_of(self.tensors[besides])
        return f"{name}.clone()" if same else name

    def line(self) -> str:
        """Return a line that makes a tensor or writes to one."""
        rng, name = self.rng, self.chosen()
        shape = tuple(self.tensors[name].shape)
        new = f"t{self.count}"
        match int(rng.integers(10)):
            case 0 | 1:
                return f"{new} = {name}.{a_view(rng, shape)}"
            case 2:
                return f"{new} = {name}[{basic_index(rng, shape)}]"
            case 3:
                index = advanced_index(rng, shape) if rng.random() < 0.4 else None
                unary = rng.choice(["sin", "tanh", "exp", "sigmoid", "clone", "relu"])
                return f"{new} = {name}[{index}]" if index else f"{new} = ({name} * 0.7).{unary}()"
            case 4 | 5:
                other = self.operand(shape, besides=name)
                text = rng.choice(["{a} * {b}", "{a} + {b}", "{a} - {b}", "{a} / ({b} * {b} + 1.5)"])
                return f"{new} = {str(text).format(a=name, b=f'({other})')}"
            case 6 | 7:
                return self.written(name, shape)
            case _:
                index = basic_index(rng, shape) if rng.random() < 0.5 else advanced_index(rng, shape)
                try:
                    part = eval(f"{name}[{index}]", {**in_library("torch"), **self.tensors})
                except IndexError:
                    part = self.tensors[name]
                operator = str(rng.choice(["=", "=", "*=", "+="]))
                return f"{name}[{index}] {operator} {self.operand(tuple(part.shape), besides=name)}"

    def written(self, name: str, shape: Sequence[int]) -> str:
        rng = self.rng
        other = self.operand(shape, besides=name)
        forms = [
            *(f"{name}.{op}_({other})" for op in ("add", "sub", "mul")),
            *(f"{name}.{op}_()" for op in ("neg", "tanh", "sigmoid", "relu")),
            f"{name}.div_(({other}) * ({other}) + 1.5)",
            f"{name}.pow_(2)",
            f"{name}.copy_({other})" if other[0] == "t" else f"{name}.fill_({other})",
            f"{name}.zero_()",
            f"{name} *= {other}",
        ]
        line = str(rng.choice(forms))
        return f"with no_grad(): {line}" if rng.random() < 0.07 else line


def _broadcasts(shape: Sequence[int], to: Sequence[int]) -> bool:
    try:
        return np.broadcast_shapes(tuple(shape), tuple(to)) == tuple(to)
    except ValueError:
        return False


def memory_of(tensor: Any) -> int:
    return int(tensor.untyped_storage().data_ptr())


def attempt(line: str, names: dict[str, Any]) -> str | None:
    """Run a line; return the error's text, if an error that a library may raise comes of it."""
    try:
        exec(line, names)
    except REFUSED as error:
        return f"{type(error).__name__}: {error}".splitlines()[0]
    return None


def draw(seed: int, length: tuple[int, int] = (10, 40)) -> list[str]:
    """Return the lines of a random program; PyTorch runs them on the way."""
    rng = np.random.default_rng([seed, 3])
    count = int(rng.integers(length[0], length[1] + 1))
    theirs = in_library("torch")
    lines = []
    for k, (make, shape) in enumerate([("leaf", (2, 3)), ("leaf", (3,)), ("leaf", ()), ("constant", (2, 3))]):
        values = rng.uniform(-1.5, 1.5, shape)
        if k == 0 and rng.random() < 0.2:
            values = values + 1j * rng.uniform(-1, 1, shape)
        lines.append(f"t{k} = {make}({numbers(values)})")
    lines += ["t4 = t0 * 1.0", "t5 = t1 * 2.0"]
    for line in lines:
        attempt(line, theirs)
    writer = Writer(rng, lambda line: attempt(line, theirs) is None, {}, len(lines))
    while len(lines) < count + 6:
        writer.tensors = {k: v for k, v in theirs.items() if k[0] == "t" and k[1:].isdigit()}
        writer.count = max(int(k[1:]) for k in writer.tensors) + 1
        line = writer.line()
        before = attempt(line, theirs)
        grown = any(bool((v.detach().abs() > 1e3).any()) for k, v in theirs.items() if k[0] == "t" and k[1:].isdigit())
        if grown:
            break
        if before is None or rng.random() < 0.2:  # a few lines that PyTorch refuses
            lines.append(line)
    return lines


def tensors_of(names: dict[str, Any]) -> dict[str, Any]:
    return {k: v for k, v in names.items() if k[0] == "t" and k[1:].isdigit() and hasattr(v, "requires_grad")}


def drawn_like(rng: np.random.Generator, tensor: Any, library: Any) -> Any:
    w = rng.normal(size=tuple(tensor.shape))
    return library(w + 1j * rng.normal(size=w.shape) if "complex" in str(tensor.dtype) else w)


def gradients(value: Any, leaves: Sequence[Any], grad: Any, library: Any) -> tuple[str | None, list[Any]]:
    """Return the error or the gradients of the leaves, and the gradients of those."""
    rng = np.random.default_rng(5)
    try:
        seed = [drawn_like(rng, value, library)]
        first = grad([value], leaves, seed, create_graph=True, allow_unused=True)
        pairs = [(g, drawn_like(rng, x, library)) for g, x in zip(first, leaves, strict=True)]
        pairs = [(g, w) for g, w in pairs if g is not None and g.requires_grad]
        second: Sequence[Any] = [None] * len(leaves)
        if pairs:
            values, weights = zip(*pairs, strict=True)
            second = grad(values, leaves, weights, allow_unused=True, retain_graph=True)
    except REFUSED as error:
        return f"{type(error).__name__}: {error}".splitlines()[0], []
    likes = [np.zeros(tuple(t.shape)) for t in leaves] * 2
    return None, [x if g is None else array(g) for g, x in zip([*first, *second], likes, strict=True)]


def compare(lines: Sequence[str]) -> tuple[str, str]:
    """Return `agrees`, `refused` (by both, in backward), a rule, or `unexplained`; and what is to be said of it."""
    ours, theirs = in_library("engine"), in_library("torch")
    for line in lines:
        found, expected = attempt(line, ours), attempt(line, theirs)
        if (found is None) != (expected is None):
            word = explained(line, found, expected, ours)
            return word, f"`{line}`: {found or 'no error'} | PyTorch: {expected or 'no error'}"
    for name, tensor in tensors_of(theirs).items():
        mine = ours.get(name)
        if mine is None:
            return "unexplained", f"{name} is missing"
        error = distance([array(mine)], [array(tensor)])
        if error > RTOL:
            return "unexplained", f"{name} differs by {error:.1e}"
        if mine.requires_grad != tensor.requires_grad:
            return "unexplained", f"{name}: requires_grad is not the same"
    last = [name for name, t in tensors_of(theirs).items() if t.requires_grad and not t.is_leaf]
    leaves = [name for name in ("t0", "t1", "t2") if name in theirs]
    words = {"agrees"}
    for name in last:
        failed, found = gradients(ours[name], [ours[k] for k in leaves], engine.grad, lambda w: w)
        refused, expected = gradients(theirs[name], [theirs[k] for k in leaves], torch.autograd.grad, torch.tensor)
        if (failed is None) != (refused is None):
            words.add(explained("", failed, refused, ours))
            if "unexplained" in words:
                return "unexplained", f"backward of {name}: {failed or 'no error'} | PyTorch: {refused or 'no error'}"
        elif failed is None:
            error = distance(found, expected)
            if error > RTOL:
                return "unexplained", f"gradients of {name} differ by {error:.1e}"
    return min(words, key=lambda word: word == "agrees"), ""


def explained(line: str, found: str | None, expected: str | None, ours: dict[str, Any]) -> str:
    """Return the rule for an error of one library alone, or `unexplained`."""
    return next((rule for rule, (holds, _) in RULES.items() if holds(line, found, expected, ours)), "unexplained")


def _only_ours(*texts: str) -> Holds:
    return lambda _line, found, expected, _names: expected is None and any(text in (found or "") for text in texts)


def _only_theirs(*texts: str) -> Holds:
    return lambda _line, found, expected, _names: found is None and any(text in (expected or "") for text in texts)


RULES: dict[str, tuple[Holds, str]] = {
    "shared elements": (
        _only_ours("elements that share memory"),
        "PyTorch writes to expanded tensors by an index, where the last write wins; the engine refuses all such writes",
    ),
    "complex in real": (
        _only_ours("cannot hold `complex128`"),
        "PyTorch drops the imaginary part with a warning; the engine refuses",
    ),
    "real in complex": (
        _only_theirs("input_is_complex == grad_is_complex", "Index put requires the source and destination dtypes"),
        "PyTorch refuses a real number for a complex tensor by an index, or fails an assertion in its backward",
    ),
    "overlap": (
        _only_theirs("refer to a single memory location"),
        "PyTorch refuses to write a tensor to itself by an index; the engine reads it first",
    ),
    "late leaf": (
        lambda line, found, expected, names: (
            _only_theirs("a leaf Variable that requires grad")(line, found, expected, names)
            and not names[re.findall(r"t\d+", line)[0]].is_leaf
        ),
        "PyTorch takes a view of a constant whose base has joined the graph since for a leaf",
    ),
}
"""Rules that explain an error of one library alone, with the reason."""


def smallest(lines: Sequence[str], note: str) -> tuple[list[str], str]:
    """Return the fewest lines that still differ, and the note of the difference."""

    def kind(text: str) -> str:
        return text.rpartition("|")[2] if "|" in text else text.rpartition(" differ")[2][:3]

    kept = list(lines)
    again = True
    while again:
        again = False
        for k in range(len(kept) - 1, -1, -1):
            less = kept[:k] + kept[k + 1 :]
            try:
                word, said = compare(less)
            except Exception:  # noqa: BLE001 - a line uses a tensor that was made by the line left out
                continue
            if word == "unexplained" and kind(said) == kind(note) and "NameError" not in said:
                kept, note, again = less, said, True
    return kept, note
