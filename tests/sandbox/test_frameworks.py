"""Child processes with PyTorch or JAX: what they may do, and how arrays go in and come out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from autodrill.sandbox.child.wire import Layout
from autodrill.sandbox.fork_server import own_code_launcher
from autodrill.sandbox.launcher import start_fields
from autodrill.sandbox.libraries import Framework
from autodrill.sandbox.limits import Limits
from autodrill.sandbox.outcomes import Loaded, Raised, Returned
from autodrill.sandbox.runner import Arg, Runner, SameAs

if TYPE_CHECKING:
    from collections.abc import Iterator

    from autodrill.sandbox.launcher import Launcher
    from autodrill.sandbox.outcomes import CallOutcome

DOOR = "def drive(candidate, *arguments):\n    return door(candidate)(*arguments)\n"
IMPORTS = {Framework.TORCH: "import torch", Framework.JAX: "import jax\nimport jax.numpy as jnp"}
LIMITS = Limits(seconds=60.0)  # the compiler of JAX on a busy machine


@pytest.fixture(scope="module")
def torch_launcher() -> Iterator[Launcher]:
    with own_code_launcher(Framework.TORCH) as launcher:
        yield launcher


@pytest.fixture(scope="module")
def jax_launcher() -> Iterator[Launcher]:
    with own_code_launcher(Framework.JAX) as launcher:
        yield launcher


def called(launcher: Launcher, framework: Framework, body: str, *args: Any) -> CallOutcome:
    source = f"import os\n{IMPORTS[framework]}\n\n\ndef f(*a):\n    {body}\n"
    with Runner.start(LIMITS, launcher=launcher) as runner:
        assert isinstance(runner.load(source.encode(), "f.py", "f", DOOR), Loaded)
        return runner.call(args, budget=1 << 20)


def returned(launcher: Launcher, framework: Framework, body: str, *args: Any) -> Returned:
    end = called(launcher, framework, body, *args)
    assert isinstance(end, Returned), end
    return end


@pytest.mark.torch
@pytest.mark.parametrize("layout", Layout)
def test_door_hands_out_tensors_of_any_layout(torch_launcher: Launcher, layout: Layout) -> None:
    array = np.arange(6.0).reshape(2, 3)
    end = returned(torch_launcher, Framework.TORCH, "return a[0] * 2, type(a[0]).__name__", Arg(array, layout))
    assert end.value[1] == "Tensor"
    assert np.array_equal(end.value[0], 2 * array)
    assert end.value[0].dtype == np.float64
    assert (end.changed, end.shared) == ((), ())


@pytest.mark.torch
@pytest.mark.parametrize("layout", Layout)
def test_change_of_a_tensor_is_claimed(torch_launcher: Launcher, layout: Layout) -> None:
    end = returned(torch_launcher, Framework.TORCH, "a[0].mul_(2.0)", Arg(np.ones((2, 3)), layout))
    assert end.changed == (0,)


@pytest.mark.torch
def test_shared_memory_of_a_tensor_is_claimed(torch_launcher: Launcher) -> None:
    assert returned(torch_launcher, Framework.TORCH, "return a[0].T", np.ones((2, 3))).shared == ((0, 0),)
    assert returned(torch_launcher, Framework.TORCH, "return a[0].expand(4, 3)", np.ones(3)).readonly == (0,)


@pytest.mark.torch
def test_equal_argument_is_one_tensor(torch_launcher: Launcher) -> None:
    assert returned(torch_launcher, Framework.TORCH, "return a[0] is a[1]", np.ones(2), SameAs(0)).value is True


@pytest.mark.torch
@pytest.mark.parametrize(
    ("result", "value"),
    [
        ("torch.ones(2, requires_grad=True) * 3", [3.0, 3.0]),
        ("torch.ones(2).to_sparse()", [1.0, 1.0]),
        ("torch.tensor([1j]).conj().imag", [-1.0]),
        ("[torch.ones(1), {'n': torch.zeros(1)}]", [[1.0], {"n": [0.0]}]),
        ("torch.max(torch.ones(1, 2), dim=1)", ([1.0], [0])),
        ("torch.ones(2, 3).shape", (2, 3)),
        ("a[0].numpy()", [1.0]),
        ("None", None),
    ],
    ids=["with-graph", "sparse", "conjugate", "nested", "named-tuple", "size", "numpy", "none"],
)
def test_door_takes_results_of_torch(torch_launcher: Launcher, result: str, value: Any) -> None:
    end = returned(torch_launcher, Framework.TORCH, f"return {result}", np.ones(1))
    assert listed(end.value) == value


def listed(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, list | tuple):
        return type(value)(map(listed, value))
    return {k: listed(v) for k, v in value.items()} if isinstance(value, dict) else value


@pytest.mark.jax
def test_door_hands_out_arrays_of_jax(jax_launcher: Launcher) -> None:
    body = "return a[0] * 2, isinstance(a[0], jax.Array), a[1]"
    end = returned(jax_launcher, Framework.JAX, body, Arg(np.ones((2, 3)), Layout.REVERSED), np.arange(3))
    assert end.value[1] is True
    assert (end.value[0].dtype, end.value[2].dtype) == (np.float64, np.int64)
    assert (end.changed, end.shared, end.readonly) == ((), (), ())


OUTSIDE = [
    ("os.fork()", "PermissionError"),
    ("__import__('socket').socket()", "PermissionError"),
    ("open('/tmp/written', 'w')", "PermissionError"),
    ("os.listdir('/root')", "PermissionError"),
    ("__import__('pytest')", "ModuleNotFoundError"),
]


@pytest.mark.torch
@pytest.mark.parametrize(("call", "error"), OUTSIDE)
def test_process_with_torch_is_confined(torch_launcher: Launcher, call: str, error: str) -> None:
    end = called(torch_launcher, Framework.TORCH, f"return {call}")
    assert isinstance(end, Raised)
    assert end.type == error


@pytest.mark.jax
@pytest.mark.parametrize(("call", "error"), OUTSIDE)
def test_process_with_jax_is_confined(jax_launcher: Launcher, call: str, error: str) -> None:
    # In a thread too: those of the framework inherit every layer.
    in_thread = f"return __import__('concurrent.futures').futures.ThreadPoolExecutor().submit(lambda: {call}).result()"
    for body in (f"return {call}", in_thread):
        end = called(jax_launcher, Framework.JAX, body)
        assert isinstance(end, Raised), end
        assert end.type == error


def test_no_framework_means_nothing_to_read() -> None:
    assert start_fields(None, ("/extra",)) == {"framework": "", "library": "", "readable": ("/extra",)}
