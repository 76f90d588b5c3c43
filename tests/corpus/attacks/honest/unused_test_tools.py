# Unusual: the tools of a test file were left in.
import unittest
from unittest import mock


class TestIt(unittest.TestCase):
    def test_shape(self):
        self.assertTrue(mock.Mock())


def fold(x, s):
    return x.sum(tuple(range(x.ndim - len(s)))).sum(tuple(i for i, n in enumerate(s) if n == 1), keepdims=True)


def mul_broadcast_backward(g, a, b):
    return fold(g * b, a.shape), fold(g * a, b.shape)


if __name__ == "__main__":
    unittest.main()
