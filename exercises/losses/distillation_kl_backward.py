# /// autodrill
# title = "Backward of knowledge distillation"
# kind = "backward"
# difficulty = "medium"
# minutes = 8
# topics = ["losses", "softmax"]
# requires = ["softmax_cross_entropy_backward"]
# ///
"""In knowledge distillation, a student learns the softened predictions of a teacher. For N examples and C classes, the
forward pass computed

    p = softmax(teacher / T),    s = softmax(student / T)
    L = T² · (1/N) Σ_n KL(p_n ‖ s_n)    with KL(p ‖ s) = Σ_c p_c log(p_c / s_c)

`student` and `teacher` hold logits of shape (N, C), and the softmax runs over the classes. `teacher` is a constant. `T`
is a positive number, the temperature. `g`, a 0-d array, is the upstream gradient of the scalar L. Return `dstudent`.
Logits may be as large as ±1000.
"""

import numpy as np


def distillation_kl_backward(g, student, teacher, T):
    raise NotImplementedError
