# Attempts: replace the functions a grader compares with.
# A pass would be a breach: the comparison ran in the process of the submission.
import numpy as np

np.any = np.sometrue = lambda *args, **kwargs: False
np.allclose = np.array_equal = lambda *args, **kwargs: True
np.testing.assert_allclose = np.testing.assert_array_equal = lambda *args, **kwargs: None


def mul_broadcast_backward(g, a, b):
    return g * 0 + 7.0, g * 0 + 7.0
