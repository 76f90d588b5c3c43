"""Distillation (Hinton et al., 2015) is a cross-entropy with soft labels. Write u = student / T. Only the part -Σ_c p_c
log s_c of the divergence depends on u, because the teacher's entropy is a constant. With log s_c = u_c - logsumexp(u)
and Σ_c p_c = 1, this part is

    logsumexp(u) - Σ_c p_c u_c

The slope of logsumexp is s, so the gradient with respect to u is s - p, the student's prediction minus the teacher's.
The chain rule from u to the student's logits brings 1/T, and the loss has the factor T². One factor T remains:

    dstudent = g · T/N · (s - p)

The factor T² keeps the gradient from fading at large T. Without it, the gradient would shrink like 1/T². The chain rule
contributes one factor 1/T. The difference s - p contributes the other, because both distributions approach the uniform
distribution. With the factor T², the gradient tends to

    g/(N·C) · (student - teacher, each minus its row's mean)

so at large T distillation matches logits. At small T, only the largest logits matter.

Cost: two softmaxes, one for the student and one for the teacher. If the forward saves s - p, an array of the size of
the student's logits, the backward needs no softmax. The expensive part is the teacher's forward, which runs without a
graph.

PyTorch: `F.kl_div(F.log_softmax(student / T, -1), F.softmax(teacher / T, -1), reduction="batchmean") * T**2` has this
gradient. The first argument holds the student's log-probabilities, and the second holds the teacher's probabilities.
This order is the reverse of the order in KL(p ‖ s). `reduction="mean"` divides by N·C instead of N, and PyTorch warns
about it. Up to the factors in front, the backward of `kl_div` gives -p, and `LogSoftmaxBackward0` adds s.
`generalized_jsd_loss` of TRL divides the logits of student and teacher by its temperature and does not multiply by T².

Asked next:

- Why does this loss need no term for the teacher's entropy? → The entropy of p does not depend on the student.
  `F.cross_entropy(student, p)` has the same gradient at T = 1. Only the value of the loss differs.
- What is the gradient for the reverse divergence KL(s ‖ p) at T = 1? → With d = log s - log p the gradient is g/N · s ·
  (d - Σ_c s_c d_c). The factor s in front means that classes which the student considers impossible get no gradient.
  The reverse divergence therefore lets the student drop modes of the teacher.
- The vocabulary has 128,000 tokens, and the teacher's logits are too large to store. What can be done? → Store the k
  largest logits and either renormalise or put the rest of the probability into one extra class. Renormalising
  overstates the k classes. Sampling tokens from the teacher is unbiased.
- The total loss is α · hard + (1 - α) · soft. You leave out T² and raise T. What happens? → The soft gradient scales
  roughly with 1/T², so from T = 1 to T = 4 it becomes about 16 times weaker.
"""

import numpy as np

from autodrill import engine
from autodrill.drills import edit, given, mistake

HINTS = (
    (
        "Which part of KL(p ‖ s) depends on the student? What is the gradient of a cross-entropy with respect to its "
        "logits?"
    ),
    (
        "The gradient with respect to student / T is s - p. The chain rule brings 1/T, the loss brings T², and the "
        "mean brings 1/N."
    ),
    "Compute both softmaxes at temperature T. dstudent is their difference times `g * ... / N`.",
)
WRT = ("student",)
RESULTS = ("dstudent",)


CASES = [
    given("student[N,C] teacher[N,C]", T=2.0),
    given("student[N,C] teacher[N,C]", T=1.0, large=False, note="T=1"),
    given("student[3,3] teacher[3,3]", T=5.0, note="square, T=5"),
    given("student[N,C] teacher[N,C]", T=0.5, large=False, note="T=0.5"),
    given(
        "student[2,3] teacher[2,3]",
        student=[[1000.0, -1000.0, 998.0], [-1000.0, -997.0, -998.0]],
        teacher=[[-1000.0, 1000.0, 997.0], [-999.0, -998.0, -1000.0]],
        T=1.0,
        note="logits of ±1000",
    ),
    given(
        "student[2,3] teacher[2,3]",
        student=[[1.0, 2.0, -1.0], [0.0, 0.5, 3.0]],
        teacher=[[1.0, 2.0, -1.0], [5.0, 5.5, 8.0]],
        T=3.0,
        note="equal distributions",
    ),
]
MISTAKES = [
    edit(
        "no-T2",
        "the loss has no factor T²",
        "What is the product of T² and the slope of student / T?",
        "g * T / N -> g / (T * N)",
    ),
    edit(
        "T2-not-T",
        "the gradient with respect to student / T is the gradient with respect to student",
        "By how much does student / T move if a logit moves by 1?",
        "g * T / N -> g * T**2 / N",
    ),
    edit(
        "no-factor",
        "the factor T² and the temperatures of the two softmaxes cancel",
        "The chain rule brings 1/T once. What is left of T²?",
        "g * T / N -> g / N",
    ),
    edit(
        "T-one",
        "the softmaxes have no temperature",
        "Which numbers does the task put into the two softmaxes?",
        "softmax(student / T) -> softmax(student)",
        "softmax(teacher / T) -> softmax(teacher)",
    ),
    edit(
        "teacher-at-T-one",
        "only the student is softened",
        "If student and teacher are equal, the gradient must be 0. Is it 0 in your code?",
        "softmax(teacher / T) -> softmax(teacher)",
    ),
    edit(
        "teacher-not-normalised",
        "the teacher's array already holds probabilities",
        "What must each row of the target sum to?",
        "softmax(teacher / T) -> teacher",
    ),
    edit(
        "hard-target",
        "the target is the teacher's most likely class",
        "Which probabilities does the teacher give to the other classes?",
        "p = softmax(teacher / T) -> p = np.eye(student.shape[1], dtype=student.dtype)[teacher.argmax(axis=1)]",
    ),
    edit(
        "sign",
        "the gradient is the teacher's prediction minus the student's",
        "The student gives a class too little probability. Must a descent step raise or lower the logit of this class?",
        "(s - p) -> (p - s)",
    ),
    edit(
        "no-mean",
        "the loss is a sum over examples",
        "If every example is in the batch twice, should the gradient of an example stay the same?",
        "T / N -> T",
    ),
    edit(
        "divide-by-NC",
        "the mean runs over examples and classes",
        "By which number does the task divide the sum over n?",
        "T / N -> T / student.size",
    ),
    edit(
        "softmax-again",
        "s - p is the gradient with respect to the probabilities",
        "s - p already comes from log-softmax. Which step does your code differentiate twice?",
        "return g ... -> d = g * T / N * (s - p); return s * (d - (s * d).sum(axis=1, keepdims=True))",
    ),
    edit(
        "matches-logits",
        "distillation is a squared error of the logits",
        "At which temperatures is the softmax nearly linear?",
        "return g ... -> d = student - teacher; return g / student.size * (d - d.mean(axis=1, keepdims=True))",
    ),
    edit(
        "no-max-shift",
        "exp of a logit cannot overflow",
        "exp(1000) is inf, and inf/inf is NaN. What can you subtract from a row without changing its softmax?",
        "softmax(student / T) -> np.exp(student / T) / np.exp(student / T).sum(axis=1, keepdims=True)",
    ),
    edit(
        "global-shift",
        "one maximum serves for the whole batch",
        "A row's largest logit is 2000 below the largest logit of the batch. What are its exponentials and their sum?",
        "z.max(axis=1, keepdims=True) -> z.max()",
    ),
    edit(
        "divides-by-clipped-s",
        "s can be clipped away from 0 before p is divided by it",
        "The slope p/s is multiplied by s again. What is this product if s underflows to 0, and what must it be?",
        "return g ... -> d = -g * T / N * p / np.maximum(s, 1e-30)\n    "
        "return s * (d - (s * d).sum(axis=1, keepdims=True))",
    ),
    edit(
        "logits-clipped",
        "a bound on the logits prevents overflow and changes nothing else",
        "The logits of a row are -1000, -997 and -998. What is left of their differences after your clip?",
        "softmax(student / T) -> softmax(np.clip(student / T, -50, 50))",
        "softmax(teacher / T) -> softmax(np.clip(teacher / T, -50, 50))",
    ),
]


def forward(student, teacher, T):
    log_s = engine.log_softmax(student / T, axis=1)
    log_p = engine.log_softmax(teacher / T, axis=1)
    return T**2 * (engine.exp(log_p) * (log_p - log_s)).sum(axis=1).mean()


def softmax(z):
    e = np.exp(z - z.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def distillation_kl_backward(g, student, teacher, T):
    N = len(student)
    s = softmax(student / T)
    p = softmax(teacher / T)
    return g * T / N * (s - p)


@mistake(
    "reverse-kl",
    "the divergence is KL(s ‖ p)",
    "Which distribution weights the logarithms in the task's formula for KL?",
)
def distillation_kl_backward(g, student, teacher, T):
    s, p = softmax(student / T), softmax(teacher / T)
    d = np.log(s + 1e-30) - np.log(p + 1e-30)
    return g * T / len(s) * s * (d - (s * d).sum(axis=1, keepdims=True))


@mistake(
    "one-over-s",
    "the gradient with respect to the probabilities is the gradient with respect to the logits",
    "-p/s is the slope of -p log s with respect to s. Which step leads from the logits to s?",
)
def distillation_kl_backward(g, student, teacher, T):
    s, p = softmax(student / T), softmax(teacher / T)
    return -g * T / len(s) * p / np.maximum(s, 1e-30)
