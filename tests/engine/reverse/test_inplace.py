"""Writing in place: versions shared by views, the saved-value check, the refusals, and views of what was written."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autodrill import engine
from autodrill.engine import Tensor, grad_of, no_grad
from tests.engine.build import gradient_of, leaf

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


def in_words(statement: str) -> Callable[[Any], Any]:
    """Make a function of a statement about x: an assignment is no expression."""

    def write(x: Any) -> Any:
        names = {"x": x, "Tensor": Tensor, "np": np}
        exec(statement, names)
        return names["x"]

    return write


IN_PLACE: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {
    "add": (lambda x: x.add_(2.0), lambda x: x + 2.0),
    "sub": (lambda x: x.sub_(2.0), lambda x: x - 2.0),
    "mul": (lambda x: x.mul_(2.0), lambda x: x * 2.0),
    "div": (lambda x: x.div_(2.0), lambda x: x / 2.0),
    "pow": (lambda x: x.pow_(3.0), lambda x: x**3.0),
    "neg": (lambda x: x.neg_(), lambda x: -x),
    "exp": (lambda x: x.exp_(), engine.exp),
    "log": (lambda x: x.log_(), engine.log),
    "sqrt": (lambda x: x.sqrt_(), engine.sqrt),
    "tanh": (lambda x: x.tanh_(), engine.tanh),
    "sigmoid": (lambda x: x.sigmoid_(), engine.sigmoid),
    "relu": (lambda x: x.relu_(), engine.relu),
    "fill": (lambda x: x.fill_(2.0), lambda x: x * 0 + 2.0),
    "zero": (lambda x: x.zero_(), lambda x: x * 0),
    "copy": (lambda x: x.copy_(x + 1.0), lambda x: x + 1.0),
    "+=": (in_words("x += 2.0"), lambda x: x + 2.0),
    "-=": (in_words("x -= 2.0"), lambda x: x - 2.0),
    "*=": (in_words("x *= 2.0"), lambda x: x * 2.0),
    "/=": (in_words("x /= 2.0"), lambda x: x / 2.0),
    "**=": (in_words("x **= 3.0"), lambda x: x**3.0),
    "[...] =": (in_words("x[0, Tensor(np.array(0))] = 2.0"), lambda x: x * [[0, 1]] + [[2.0, 0]]),
}


@pytest.mark.parametrize("name", IN_PLACE)
def test_inplace_operations_agree_with_out_of_place(name: str) -> None:
    """Its value, its gradient, the tensor it returns, and one version more."""
    write, compute = IN_PLACE[name]
    data = np.array([[0.5, 1.5]])
    x, y = Tensor(data, requires_grad=True), Tensor(data, requires_grad=True)
    target, expected = x * 1, compute(y * 1)
    version = target.version
    assert write(target) is target
    assert target.version == version + 1
    assert np.array_equal(target.numpy(), expected.numpy())
    (target * target).sum().backward()
    (expected * expected).sum().backward()
    assert np.array_equal(gradient_of(x), gradient_of(y))


class TestVersions:
    def test_write_is_counted_for_all_tensors_on_the_memory(self) -> None:
        x = Tensor([1.0, 2.0])
        view, alias, copy = x[0], x.detach(), x.clone()
        view.add_(1)
        alias.mul_(2)
        assert [t.version for t in (x, view, alias, copy)] == [2, 2, 2, 0]
        assert np.array_equal(x.numpy(), [4, 4])

    def test_error_names_operation_input_writer_and_line(self) -> None:
        x, w = leaf(1.0, 2.0), leaf(3.0, 4.0)
        h = x * 1
        y = h * w
        h.add_(1)
        with pytest.raises(RuntimeError, match=r"`multiply` needs its input `x`.*`add_`.*test_inplace.py:\d+ \(`h.add"):
            y.sum().backward()

    def test_saved_result_is_checked(self) -> None:
        x = leaf(1.0)
        y = engine.exp(x)
        y.mul_(2)
        with pytest.raises(RuntimeError, match="`exp` needs its result as it was"):
            y.sum().backward()

    @pytest.mark.parametrize("writer", [lambda h: h[0:1], lambda h: h.detach(), lambda h: h.reshape(1, 2)])
    def test_write_through_view_or_alias_is_detected(self, writer: Callable[[Tensor], Tensor]) -> None:
        h = leaf(1.0, 2.0) * 1
        y = h * h
        with no_grad():
            writer(h).fill_(7.0)
        with pytest.raises(RuntimeError, match="`fill_` has written"):
            y.sum().backward()

    def test_write_before_saving_is_allowed(self) -> None:
        x = leaf(1.0, 2.0)
        h = x * 1
        h.add_(1)
        (h * h).sum().backward()
        assert np.array_equal(gradient_of(x), [4, 6])

    def test_write_to_unsaved_value_is_allowed(self) -> None:
        x = leaf(1.0, 2.0)
        h = x * 1
        y = h + h
        h.mul_(100)
        y.sum().backward()
        assert np.array_equal(gradient_of(x), [2, 2])

    @pytest.mark.parametrize("f", [engine.divide, lambda x, y: engine.elu(x) * 1 / y, engine.logaddexp])
    def test_result_that_is_not_saved_may_be_overwritten(self, f: Callable[..., Tensor]) -> None:
        """As in PyTorch; the derivative is twice that of f, by finite differences of NumPy's values."""
        x, y = Tensor([1.0, -2.0], requires_grad=True), Tensor([3.0, 0.5], requires_grad=True)
        z = f(x, y)
        z.mul_(2)
        z.sum().backward()
        h = 1e-6
        for k, v in enumerate((x, y)):
            up, down = ([t.numpy() + h * sign * (j == k) for j, t in enumerate((x, y))] for sign in (1, -1))
            slope = (f(*map(Tensor, up)).numpy() - f(*map(Tensor, down)).numpy()) / h
            assert v.grad is not None
            assert np.allclose(v.grad.numpy(), slope, rtol=1e-8)

    def test_inplace_product_saves_the_old_value(self) -> None:
        x, w = leaf(2.0, 3.0), leaf(5.0, 7.0)
        y = x * 1
        y.mul_(w)
        y.sum().backward()
        assert np.array_equal(gradient_of(w), [2, 3])
        assert np.array_equal(gradient_of(x), [5, 7])

    def test_stepping_a_saved_parameter_is_detected(self) -> None:
        """The usual bug: `optimizer.step()` between the forward and the backward."""
        w = leaf(2.0)
        loss = w * w
        with no_grad():
            w -= 0.1
        with pytest.raises(RuntimeError, match="sub"):
            loss.backward()

    def test_accumulating_into_a_saved_gradient_is_detected(self) -> None:
        x, w = leaf(2.0), leaf(5.0)
        (x * 3).backward()
        y = w * x.grad
        (x * 3).backward()
        with pytest.raises(RuntimeError, match="`backward` has written"):
            y.backward()


class TestRefusals:
    @pytest.mark.parametrize("write", [lambda x: x.add_(1), lambda x: x.__setitem__(0, 5.0), lambda x: x.zero_()])
    def test_write_to_a_leaf_is_refused(self, write: Callable[[Tensor], Any]) -> None:
        x = leaf(1.0, 2.0)
        with pytest.raises(RuntimeError, match=r"a leaf that requires grad.*no_grad.*clone"):
            write(x)
        with pytest.raises(RuntimeError, match="a view of a leaf that requires grad"):
            write(x.reshape(2, 1))
        assert np.array_equal(x.numpy(), [1, 2])

    def test_write_to_a_leaf_under_no_grad_is_allowed(self) -> None:
        x = leaf(1.0, 2.0)
        with no_grad():
            x[0].sub_(1)
        assert x.is_leaf
        assert np.array_equal(x.numpy(), [0, 2])

    @pytest.mark.parametrize("cut", [iter, lambda x: engine.split(x, 2), engine.unstack])
    def test_write_to_one_of_several_views_is_refused(self, cut: Callable[[Tensor], Iterable[Tensor]]) -> None:
        first, _ = cut(leaf(1.0, 2.0) * 1)
        with pytest.raises(RuntimeError, match="one of several views"):
            first.mul_(2)

    def test_write_to_a_view_made_under_no_grad_is_refused(self) -> None:
        x = leaf(1.0, 2.0) * 1
        with no_grad():
            view = x[:1]
        for refused in (view, view[0]):
            with pytest.raises(RuntimeError, match=r"made under `no_grad\(\)`"):
                refused.mul_(2)

    def test_write_to_broadcast_memory_is_refused(self) -> None:
        with pytest.raises(RuntimeError, match="elements that share memory"):
            engine.broadcast_to(Tensor([1.0]), shape=(3,)).add_(1)

    def test_mismatched_result_is_refused_before_the_write(self) -> None:
        x = Tensor([1, 2])
        with pytest.raises(TypeError, match=r"`add_` on a `int64`.*`float64`"):
            x.add_(0.5)
        with pytest.raises(ValueError, match=r"\(2,\).*\(3, 2\)"):
            x.add_(np.ones((3, 2), dtype=int))
        assert x.version == 0


class TestGraph:
    def test_write_to_a_view_updates_the_base(self) -> None:
        x, w = leaf(1.0, 2.0, 3.0), leaf(10.0)
        y = x * 1
        y[1:].mul_(w)
        assert np.array_equal(y.numpy(), [1, 20, 30])
        y.sum().backward()
        assert np.array_equal(gradient_of(x), [1, 10, 10])
        assert gradient_of(w) == 5

    def test_write_to_the_base_updates_the_view(self) -> None:
        x = leaf(1.0, 2.0)
        y = x * 1
        view = y[1]
        y.mul_(5)
        view.backward()
        assert np.array_equal(gradient_of(x), [0, 5])

    def test_written_constant_joins_the_graph(self) -> None:
        x, w = Tensor(np.zeros(3)), leaf(4.0)
        x[1] = w[0] * 2
        assert x.requires_grad
        assert not x.is_leaf
        x.sum().backward()
        assert gradient_of(w) == 2

    def test_overwritten_value_gets_no_gradient(self) -> None:
        x = leaf(1.0, np.inf)
        y = x * 1
        y.zero_()
        y.sum().backward()
        assert np.array_equal(gradient_of(x), [0, 0])

    def test_retain_grad_moves_and_hooks_stay(self) -> None:
        x, seen = leaf(2.0), []
        y = x * 1
        y.retain_grad()
        y.register_hook(lambda g: seen.append(g.item()))
        y.mul_(3)
        y.sum().backward()
        assert gradient_of(y) == 1
        assert seen == [3]

    def test_tangent_follows_an_inplace_write(self) -> None:
        def f(x: Tensor) -> Tensor:
            y = x * 1
            y[0] = y[1] * y[1]
            y.exp_()
            return y

        value, tangent = engine.jvp(f, (np.array([1.0, 2.0]),), (np.array([1.0, 10.0]),))
        assert np.allclose(value.numpy(), np.exp([4, 2]))
        assert np.allclose(tangent.numpy(), np.exp([4, 2]) * [40, 10])

    def test_second_derivative_through_an_inplace_write(self) -> None:
        x = leaf(2.0)
        y = x * x
        y[0] *= x[0]
        (g,) = engine.grad(y.sum(), x, create_graph=True)
        assert g is not None
        (h,) = engine.grad(g, x)
        assert h is not None
        assert (g.item(), h.item()) == (12, 12)

    def test_only_views_share_memory_with_their_input(self) -> None:
        """Otherwise a write to the result would change the input outside the graph."""
        from tests.engine.samples import SAMPLES

        # Compositions share what their parts share.
        for sample in (s for s in SAMPLES if s.name in engine.registry and not engine.registry[s.name].view):
            inputs = sample.inputs()
            out = sample.function()(*inputs)
            assert not any(np.shares_memory(out, x) for x in inputs), sample


VIEWS: list[Callable[[Any], Any]] = [
    lambda t: t[1:],
    lambda t: t[::2],
    lambda t: t[0],
    lambda t: t.reshape(-1),
    lambda t: t.T,
    lambda t: t[..., None],
]
WRITES: list[Callable[[Any, Any], Any]] = [
    lambda t, w: t.mul_(w),
    lambda t, w: t.add_(w),
    lambda t, w: t.fill_(3.0),
    lambda t, w: t.copy_(w),
    lambda t, w: t.tanh_(),
    lambda t, w: t.__setitem__(0, w) if t.ndim else t.add_(1),
    lambda t, w: t.__setitem__(slice(0, 1), t[0:1] * w) if t.ndim else t.mul_(2),
]
OPERATION = st.one_of(
    st.tuples(st.just("view"), st.integers(0, 99), st.integers(0, len(VIEWS) - 1)),
    st.tuples(st.just("write"), st.integers(0, 99), st.integers(0, len(WRITES) - 1)),
)


@pytest.mark.torch
@pytest.mark.filterwarnings("ignore:The use of `x.T`:UserWarning")  # PyTorch's own
@settings(max_examples=150, deadline=None, derandomize=True)
@given(st.lists(OPERATION, min_size=2, max_size=8))
def test_writes_to_chains_of_views_agree_with_pytorch(torch: Any, operations: list[tuple[str, int, int]]) -> None:
    """The same program in both: every living tensor's value, and the gradients of all of them, agree."""
    start, weight = np.linspace(0.1, 0.6, 6).reshape(2, 3), np.array(0.7)

    def run(make: Callable[[Any], Any]) -> tuple[list[Any], Any, Any]:
        x, w = make(start), make(weight)
        living = [x * 1]
        for kind, which, what in operations:
            t = living[which % len(living)]
            if kind == "write":
                WRITES[what](t, w)
            elif t.ndim and t.shape[0] > 1:
                living.append(VIEWS[what](t) if what != 4 or t.ndim == 2 else t[0])
        total = sum((t * t).sum() * (k + 1) for k, t in enumerate(living))
        total.backward()
        return [t.detach().numpy() for t in living], x.grad, w.grad

    try:
        expected = run(lambda a: torch.tensor(a, requires_grad=True))
    except RuntimeError as error:
        if "modified by an inplace operation" not in str(error):
            raise
        with pytest.raises(RuntimeError, match="has written to that memory since"):
            run(lambda a: Tensor(a, requires_grad=True))
        return
    values, gx, gw = run(lambda a: Tensor(a, requires_grad=True))
    assert all(np.allclose(a, b, rtol=1e-12) for a, b in zip(values, expected[0], strict=True))
    assert np.allclose(gx.numpy(), expected[1].numpy(), rtol=1e-10)
    assert (gw is None) == (expected[2] is None)
    assert gw is None or np.allclose(gw.numpy(), expected[2].numpy(), rtol=1e-10)


def test_last_of_repeated_writes_gets_the_gradient() -> None:
    """PyTorch gives it to both, though the first has no influence on anything."""
    place = np.array([[1, 0, 1], [2, 1, 2]])

    def written(values: Tensor, where: Any) -> Tensor:
        x = values * 0.0
        x[where] = values
        return x * np.array([1.0, 2.0, 3.0])

    values = np.random.default_rng(0).normal(size=(2, 3))
    assert grad_of(lambda v: written(v, place[0]).sum())(values[0]).numpy().tolist() == [0, 1, 2]
    assert grad_of(lambda v: written(v, place[1]).sum())(values[1]).numpy().tolist() == [0, 2, 3]
    assert engine.gradcheck(lambda v: written(v, place[0]), [values[0]])
    assert engine.gradgradcheck(lambda v: engine.exp(written(v, place[0])), [values[0]])
    mapped = engine.vmap(grad_of(lambda v, where: written(v, where).sum()))(values, place)
    assert mapped.numpy().tolist() == [[0, 1, 2], [0, 2, 3]]


EMPTY: dict[str, Any] = {
    "mask": np.array([False, False]),
    "integers": np.array([], dtype=int),
    "slice": slice(1, 1),
    "pair": (np.array([], dtype=int), ...),
}


@pytest.mark.parametrize("index", EMPTY.values(), ids=EMPTY)
def test_write_to_nothing_has_no_effect_on_gradients(index: Any) -> None:
    x, v = Tensor([1.0, 2.0], requires_grad=True), Tensor(5.0, requires_grad=True)
    y = x.clone()
    y[index] = v
    (y * np.array([3.0, 4.0])).sum().backward()
    assert x.grad is not None
    assert v.grad is not None
    assert (x.grad.numpy().tolist(), v.grad.item()) == ([3, 4], 0)


@pytest.mark.parametrize("index", [EMPTY["integers"], EMPTY["slice"]], ids=["integers", "slice"])
@pytest.mark.parametrize("count", [0, 2])
def test_write_to_nothing_under_vmap(index: Any, count: int) -> None:
    def written(x: Tensor, v: Tensor) -> Tensor:
        y = x * 1
        y[index] = v
        return y

    x, v = np.ones((count, 2)), np.ones(count)
    gx, gv = grad_of(lambda x, v: engine.vmap(written)(x, v).sum(), argnums=(0, 1))(x, v)
    assert np.array_equal(gx.numpy(), np.ones((count, 2)))
    assert np.array_equal(gv.numpy(), np.zeros(count))


def test_write_of_values_with_leading_axes_of_length_one() -> None:
    x, v = Tensor([1.0, 2.0], requires_grad=True), Tensor([[3.0, 4.0]], requires_grad=True)
    y = x * 1
    y[:] = v
    y.backward([5.0, 6.0])
    assert v.grad is not None
    assert v.grad.numpy().tolist() == [[5, 6]]
    with pytest.raises(ValueError, match="broadcast"):
        y[:] = Tensor([[3.0, 4.0], [3.0, 4.0]])


def test_diagonal_is_a_view_that_writes_pass_through() -> None:
    x = Tensor(np.arange(6.0).reshape(2, 3), requires_grad=True)
    y = x * 1
    engine.diagonal(y, 1).mul_(10)
    assert y.numpy().tolist() == [[0, 10, 2], [3, 4, 50]]
    (y * np.arange(1.0, 7.0).reshape(2, 3)).sum().backward()
    assert x.grad is not None
    assert x.grad.numpy().tolist() == [[1, 20, 3], [4, 5, 60]]
    with pytest.raises(RuntimeError, match="a view of a leaf"):
        engine.diagonal(x).mul_(2)


SHARED = {
    "as PyTorch": (
        "reshape",
        "transpose",
        "swapaxes",
        "moveaxis",
        "expand_dims",
        "squeeze",
        "broadcast_to",
        "diagonal",
    ),
    "copies, as PyTorch": ("flip", "fliplr", "flipud", "rot90"),
    "copies, unlike PyTorch": ("real", "conj", "view_as_complex", "view_as_real"),
}
"""What `docs/engine.md` says of views; `test_only_views_share_memory_with_their_input` is about all others."""


@pytest.mark.torch
@pytest.mark.parametrize("name", [name for names in SHARED.values() for name in names])
def test_views_share_memory_as_documented(torch: Any, name: str) -> None:
    from tests.engine.samples import COUNTERPARTS, SAMPLES

    sample = next(
        s
        for s in SAMPLES
        if s.name == name and s.inputs()[0].size > 1 and bool(s.of_complex) == (name == "view_as_real")
    )
    x = sample.inputs()[0]
    theirs = torch.tensor(x)
    shared = COUNTERPARTS[name](torch)(theirs, **sample.static).untyped_storage().data_ptr()
    assert np.shares_memory(sample.function()(x), x) == (name in SHARED["as PyTorch"])
    assert (shared == theirs.untyped_storage().data_ptr()) == (name not in SHARED["copies, as PyTorch"])


def test_reshape_of_elements_chosen_by_an_index_is_a_view() -> None:
    """NumPy lays out `x[:, index]` with the chosen axis first, and its `reshape` would copy; PyTorch's does not."""
    y = Tensor(np.arange(6.0).reshape(2, 3))[:, np.array([2, 0, 1])]
    y.reshape(-1)[1:].mul_(10)
    assert np.array_equal(y.numpy(), [[2, 0, 10], [50, 30, 40]])
