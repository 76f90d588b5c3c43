"""What a Tensor is to Python and to NumPy."""

from __future__ import annotations

import subprocess
import sys
from copy import deepcopy
from pkgutil import iter_modules
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from autodrill import engine
from autodrill.engine import Tensor, ops


def test_numpy_gives_a_read_only_view() -> None:
    x = Tensor([1.0, 2.0])
    view = x.numpy()
    with pytest.raises(ValueError, match="read-only"):
        view[0] = 5
    assert np.shares_memory(view, x.data)


def test_item_and_conversions_take_exactly_one_element() -> None:
    assert Tensor([[2.5]]).item() == 2.5
    assert float(Tensor(2.5)) == 2.5
    assert int(Tensor(2.5)) == 2
    assert bool(Tensor(1.0))
    with pytest.raises(ValueError, match=r"exactly one element.*\(2,\) has 2"):
        Tensor([1.0, 2.0]).item()
    with pytest.raises(ValueError, match="exactly one element"):
        bool(Tensor([1.0, 2.0]))


def test_array_on_the_left_defers_to_the_tensor() -> None:
    x = Tensor([1.0, 2.0], requires_grad=True)
    for y in (np.ones(2) * x, np.ones(2) + x, np.ones(2) - x, np.ones(2) / x, np.float64(2) * x, np.eye(2) @ x):
        assert type(y) is Tensor
        assert y.requires_grad


@pytest.mark.parametrize(
    ("got", "expected"),
    [
        (lambda x: 3 - x, [1, -1]),
        (lambda x: 8 / x, [4, 2]),
        (lambda x: 2**x, [4, 16]),
        (lambda x: x - 1, [1, 3]),
        (lambda x: -x, [-2, -4]),
        (lambda x: +x, [2, 4]),
        (lambda x: abs(-x), [2, 4]),
        (lambda x: x**2, [4, 16]),
        (lambda x: [1, 2] * x, [2, 8]),
        (lambda x: x @ x, 20),
        (lambda x: [1, 2] @ x, 10),
    ],
)
def test_operators_agree_with_numpy(got: Any, expected: Any) -> None:
    assert np.array_equal(got(Tensor([2.0, 4.0])).numpy(), expected)


def test_python_numbers_keep_float32() -> None:
    x = Tensor([1.0, 2.0], dtype=np.float32)
    for y in (x * 2.5, 2.5 * x, x + 1, 1 / x, x**2.0, 2**x, engine.maximum(x, 0.5), engine.where(x > 1, x, 0.0)):
        assert y.dtype == np.float32


def test_python_numbers_keep_float32_gradients() -> None:
    x = Tensor([1.0, 2.0], requires_grad=True, dtype=np.float32)
    g: Tensor | None = (2.5 * x**3 / 1.5).sum()
    for _ in range(3):
        assert g is not None
        (g,) = engine.grad(g.sum(), x, create_graph=True)
        assert g is not None
        assert g.dtype == np.float32


def test_comparisons_return_boolean_arrays() -> None:
    x = Tensor([1.0, 2.0])
    for got, expected in [(x > 1, [0, 1]), (x >= 1, [1, 1]), (x < 2, [1, 0]), (x <= Tensor([1.0, 3.0]), [1, 1])]:
        assert type(got) is np.ndarray
        assert np.array_equal(got, np.array(expected, dtype=bool))
    assert np.array_equal(x == Tensor([1.0, 3.0]), [True, False])
    assert np.array_equal(x != [1.0, 3.0], [False, True])


def test_tensors_are_hashed_by_identity() -> None:
    x, y = Tensor(1.0), Tensor(1.0)
    assert len({x, y, x}) == 2


def test_iteration_yields_rows_in_the_graph() -> None:
    x = Tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    first, second = x
    (first * second).sum().backward()
    assert x.grad is not None
    assert np.array_equal(x.grad.numpy(), [[3, 4], [1, 2]])
    assert len(x) == 2
    with pytest.raises(TypeError, match="0-d"):
        iter(Tensor(1.0))


def test_indexing_with_an_integer_tensor() -> None:
    x = Tensor([1.0, 2.0, 3.0], requires_grad=True)
    x[Tensor([2, 2, 0])].sum().backward()
    assert x.grad is not None
    assert np.array_equal(x.grad.numpy(), [1, 0, 2])


def test_repr_shows_values_and_graph_state() -> None:
    assert repr(Tensor([1.0, 2.0])) == "tensor([1., 2.])"
    assert repr(Tensor([1.0], requires_grad=True)) == "tensor([1.], requires_grad=True)"
    x = Tensor(1.0, requires_grad=True, dtype=np.float32)
    assert repr(x * 2) == "tensor(2., dtype=float32, made_by=multiply)"


def test_tensor_refuses_non_numeric_data() -> None:
    with pytest.raises(TypeError, match="holds numbers"):
        Tensor(["a"])


def test_operators_name_an_invalid_operand() -> None:
    with pytest.raises(TypeError, match="`str`"):
        Tensor(1.0) * "a"


def test_grad_setter_refuses_another_shape() -> None:
    x = Tensor([1.0, 2.0], requires_grad=True)
    with pytest.raises(ValueError, match=r"\(3,\).*\(2,\)"):
        x.grad = Tensor(np.ones(3))
    with pytest.raises(TypeError, match="`ndarray`"):
        x.grad = np.ones(2)  # type: ignore[assignment]  # the mistake is the test
    with pytest.raises(RuntimeError, match="does not require grad"):
        Tensor(1.0).grad = Tensor(1.0)


def test_methods_agree_with_operations() -> None:
    x = Tensor(np.array([[3.0, 1.0, 2.0], [6.0, 5.0, 4.0]]))
    for method, along in ((x.sum, np.sum), (x.mean, np.mean), (x.max, np.max), (x.min, np.min)):
        assert np.array_equal(method(axis=1, keepdims=True).numpy(), along(x.numpy(), axis=1, keepdims=True))
    for axes in ((), (1, 0), ((1, 0),)):
        assert np.array_equal(x.transpose(*axes).numpy(), x.numpy().T)
    assert x.device == "cpu"
    with pytest.raises(TypeError, match="0-d"):
        len(x[0, 0])


def test_requires_grad_twice_changes_nothing() -> None:
    x = Tensor(1.0, requires_grad=True)
    y = x * 2
    assert y.requires_grad_() is y
    assert y.grad_fn is not None
    assert Tensor(1.0).grad is None


def test_backend_named_refuses_an_unknown_device() -> None:
    with pytest.raises(engine.DeviceError, match="no device named `tpu`"):
        engine.backend_named("tpu")


class TestWithoutAGpu:
    """What is said, and what is set up, by what importing CuPy comes to."""

    def test_cuda_names_the_missing_package(self, monkeypatch: pytest.MonkeyPatch) -> None:
        from autodrill.engine.core import backend

        def missing(name: str) -> Any:
            raise ImportError(name)

        monkeypatch.setattr(backend, "import_module", missing)
        with pytest.raises(engine.DeviceError, match=r"install autodrill\[cuda13\]"):
            engine.backend_named("cuda")

    @pytest.mark.parametrize("available", [False, True])
    def test_cuda_is_initialised_once(self, monkeypatch: pytest.MonkeyPatch, available: bool) -> None:
        from autodrill.engine.core import backend

        class Elsewhere(np.ndarray):
            """An array class that stands for CuPy's."""

        stand_in = SimpleNamespace(is_available=lambda: available, ndarray=Elsewhere, erf=None, scatter_add=None)
        monkeypatch.setattr(backend, "import_module", lambda name: stand_in)
        monkeypatch.setattr(backend, "BACKENDS", dict(backend.BACKENDS))
        if not available:
            with pytest.raises(engine.DeviceError, match="no usable NVIDIA GPU"):
                engine.backend_named("cuda")
            return
        made = engine.backend_named("cuda")
        assert made.name == "cuda"
        assert engine.backend_named("cuda") is made
        assert backend.backend_of(1.0, np.ones(2).view(Elsewhere)) is made

    def test_refuses_an_unknown_array_class(self) -> None:
        from autodrill.engine.core import backend

        with pytest.raises(TypeError, match="is not an array class of a known backend"):
            backend.backend_of_type(list)


def test_operators_name_two_mixed_devices(monkeypatch: pytest.MonkeyPatch) -> None:
    from autodrill.engine.core import backend, tensor

    class Elsewhere(np.ndarray):
        """An array class that stands for another device's."""

    other = backend.Backend("elsewhere", np, Elsewhere, backend.NUMPY.erf, backend.NUMPY.scatter_add)
    monkeypatch.setitem(backend.BACKENDS, Elsewhere, other)
    there = np.ones(2).view(Elsewhere)
    for operand in (there, tensor.wrap(there)):
        with pytest.raises(engine.DeviceError, match="`cpu` and `elsewhere`"):
            Tensor(np.ones(2)) * operand


def imported_by(code: str) -> set[str]:
    """The modules that a fresh interpreter has imported after running `code`."""
    script = f"import sys; from autodrill import engine; {code}; print(*sys.modules)"
    return set(
        subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout.split()
    )


def test_import_of_the_engine_leaves_optional_libraries_out() -> None:
    assert not imported_by("engine.sum") & {"cupy", "rich", "typer", "torch", "fsrs"}


PARTS_OF_A_VJP = {
    "": {"numpy_protocol", "operators", "methods", "core", "ops", "reverse", "transforms"},
    "core": {
        *(
            "aliasing",
            "backend",
            "complex_convention",
            "declaration",
            "devices",
            "mode",
            "node",
            "primitive",
            "pytree",
            "saved_values",
        ),
        "tensor",
    },
    "ops": {"behaviour", "elementwise", "shape", "examples"},
    "reverse": {"backward"},
    "transforms": {"vjp"},
}
"""All of the engine that an elementwise VJP imports; for instance no hooks, no forward mode and no `vmap`."""


def test_elementwise_vjp_imports_only_what_it_uses() -> None:
    found = imported_by("engine.vjp(lambda x, y: engine.exp(x) * y - x / y, 1.0, 2.0)[1](1.0)[0].numpy()")
    needed = {".".join(filter(None, (part, name))) for part, names in PARTS_OF_A_VJP.items() for name in names}
    assert {name.removeprefix("autodrill.engine.") for name in found if name.startswith("autodrill.engine.")} == needed


def test_every_exported_name_exists() -> None:
    for name in dir(engine):
        assert hasattr(engine, name)
    assert set(engine.__all__) | set(engine.registry) <= set(dir(engine))
    with pytest.raises(AttributeError, match="has no attribute `multiplied`"):
        engine.multiplied  # type: ignore[attr-defined]  # noqa: B018


def test_families_are_complete_without_duplicate_names() -> None:
    modules = {module.name for module in iter_modules(ops.__path__)}
    assert sorted(ops.FAMILIES) == sorted(modules - {"aliases", "behaviour", "examples", "running"})
    assert len(set(ops.names())) == len(ops.names())
    assert not {*ops.names(), *engine.__all__} & {*ops.FAMILIES}


def test_requires_grad_can_be_assigned() -> None:
    x = Tensor([1.0, 2.0])
    x.requires_grad = True
    (x * x).sum().backward()
    assert x.grad is not None
    assert x.grad.numpy().tolist() == [2, 4]
    x.requires_grad = False
    assert not x.requires_grad
    with pytest.raises(TypeError, match="convert it first"):
        Tensor([1]).requires_grad = True
    y = Tensor(1.0, requires_grad=True) * 2
    with pytest.raises(RuntimeError, match="only a leaf can stop"):
        y.requires_grad = False


def test_deepcopy_of_a_leaf_copies_data_and_gradient() -> None:
    x = Tensor([1.0, 2.0], requires_grad=True)
    (x * x).sum().backward()
    twice, again = deepcopy([x, x])
    assert twice is again
    assert twice.is_leaf
    assert twice.requires_grad
    assert twice.grad is not None
    twice.grad.zero_()
    with engine.no_grad():
        twice.mul_(3)
    assert x.grad is not None
    assert (x.numpy().tolist(), x.grad.numpy().tolist()) == ([1, 2], [2, 4])


def test_deepcopy_of_a_result_is_refused() -> None:
    """It copied the graph with its leaves, and the gradient went to leaves that nothing held."""
    y = Tensor(1.0, requires_grad=True) * 2
    with pytest.raises(RuntimeError, match=r"made by `multiply`.*`\.clone\(\)`"):
        deepcopy({"y": y})
    assert not deepcopy(y.detach()).requires_grad


@pytest.mark.parametrize(
    "call", [np.add, np.subtract, np.multiply, np.divide, np.power, np.matmul, np.maximum, np.exp, np.add.reduce]
)
def test_numpy_functions_record_as_operators_or_are_refused(call: Any) -> None:
    """Of x = (1, 2) with an array (3, 4) on the left: either the gradient or an error."""
    x, a = Tensor([1.0, 2.0], requires_grad=True), np.array([3.0, 4.0])
    expected = {"add": [1, 1], "subtract": [-1, -1], "multiply": [3, 4], "divide": [-3, -1], "matmul": [3, 4]}
    expected["power"] = [3 * np.log(3), 16 * np.log(4)]
    name = getattr(call, "__name__", "")
    if name not in expected:
        with pytest.raises(TypeError, match="engine's operations" if name == "reduce" else f"`engine.{name}`"):
            call(x) if getattr(call, "nin", 1) == 1 else call(a, x)
        return
    (g,) = engine.grad(engine.sum(call(a, x)), x)
    assert np.allclose(g.numpy(), expected[name], rtol=1e-15)


def test_numpy_tests_of_values_accept_tensors() -> None:
    x = Tensor([1.0, np.nan], requires_grad=True)
    assert np.isnan(x).tolist() == [False, True]
    assert np.logical_and(x > 0, np.isfinite(x)).tolist() == [True, False]
    assert (np.array([2.0, 0.0]) > x).tolist() == [True, False]
    with pytest.raises(TypeError, match="complex"):
        np.array([1j]) < Tensor([1.0])  # noqa: B015 - raises


def test_numpy_accepts_constants_alone() -> None:
    x = Tensor([1.0, 2.0])
    assert np.asarray(x, dtype=np.float32).dtype == np.float32
    assert np.allclose(x, [1, 2])
    assert np.array([x, x]).shape == (2, 2)
    x.requires_grad = True
    for call in (lambda: np.allclose(x, [1, 2]), lambda: np.array([x, x]), lambda: engine.sin([x[0], x[1]])):
        with pytest.raises(TypeError, match=r"gradient would be lost.*`x.numpy\(\)`"):
            call()
    with pytest.raises(TypeError, match=r"use `engine\.sum`"):
        np.sum(x)
    with pytest.raises(TypeError, match=r"`a = a \+ x`"):
        np.zeros(2).__iadd__(x)


def test_integers_of_numpy_are_integers() -> None:
    e: Any = engine
    one = np.int64(1)
    x = Tensor(np.arange(6.0).reshape(2, 3))
    pairs: list[tuple[Any, Any]] = [
        (e.tile(x, np.int32(2)), np.tile(x.numpy(), 2)),
        (e.roll(x, one), np.roll(x.numpy(), 1)),
        (e.roll(x, [one, 2], (np.int64(0), 1)), np.roll(x.numpy(), (1, 2), (0, 1))),
        (e.split(x, np.int64(2))[1], x.numpy()[1:]),
        (e.split(x, np.array([1, 2]), axis=1)[2], x.numpy()[:, 2:]),
        (e.tensordot(x, np.ones((3, 2)), one), x.numpy() @ np.ones((3, 2))),
        (e.tensordot(x, x, (one, one)), x.numpy() @ x.numpy().T),
        (e.broadcast_to(x[0, 0], np.int64(3)), np.zeros(3)),
        (e.vmap(lambda v: v * 2, in_axes=one, out_axes=one)(x), 2 * x.numpy()),
        (e.grad_of(lambda a, b: a * b, argnums=one)(2.0, 3.0), 2.0),
    ]
    for got, expected in pairs:
        assert np.array_equal(got.numpy(), expected)


@pytest.mark.parametrize(
    ("f", "x", "slope"),
    [
        (engine.sqrt, 0.0, np.inf),
        (engine.log, 0.0, np.inf),
        (lambda x: x**0.5, 0.0, np.inf),
        (lambda x: engine.exp(800 * x), 1.0, np.inf),
        (lambda x: 0 * engine.sqrt(x), 0.0, np.nan),
    ],
)
def test_infinite_derivatives_are_values_without_a_warning(f: Any, x: float, slope: float) -> None:
    """Warnings are errors in these tests; the forward alone may warn, as NumPy does."""
    with np.errstate(all="ignore"):
        y = f(leaf := Tensor(x, requires_grad=True))
    y.backward()
    assert leaf.grad is not None
    assert np.array_equal(leaf.grad.item(), slope, equal_nan=True)
    if f is engine.sqrt:
        assert engine.jvp(f, [np.array(x)], [np.array(1.0)])[1].item() == np.inf
    with pytest.warns(RuntimeWarning, match="divide by zero"):
        engine.log(Tensor(0.0))
