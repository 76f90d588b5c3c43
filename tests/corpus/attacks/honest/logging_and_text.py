# Unusual: it logs, with text tools nobody needs here.
import logging
import re
import textwrap

log = logging.getLogger(__name__)
log.addHandler(logging.NullHandler())
NOTE = textwrap.dedent("""
    da: sum of g*b
    db: sum of g*a
""")
assert re.findall(r"^d(\w):", NOTE, re.MULTILINE) == ["a", "b"]


def fold(x, s):
    log.debug("from %s to %s", x.shape, s)
    return x.sum(tuple(range(x.ndim - len(s)))).sum(tuple(i for i, n in enumerate(s) if n == 1), keepdims=True)


def mul_broadcast_backward(g, a, b):
    return fold(g * b, a.shape), fold(g * a, b.shape)
