# /// autodrill
# title = "Backward of the CTC loss"
# kind = "backward"
# difficulty = "expert"
# minutes = 30
# topics = ["losses", "softmax", "recurrent"]
# requires = ["softmax_cross_entropy_backward", "logsumexp_backward"]
# ///
"""Connectionist temporal classification trains a speech recogniser without an alignment. `logits` has
shape (T, V). Class 0 is the blank, and the V - 1 other classes are the labels. `y`, an integer array
of shape (L,), holds the label sequence without blanks. L may be 0.

A path chooses one class at each of the T steps. Its probability is the product of the chosen entries
of p = softmax(logits), one softmax per step. To read a path, merge neighbours that are equal, and then
remove the blanks. With the blank written as -, the paths `aab-`, `-a-b` and `abbb` all read `ab`.
The path `a-a` reads `aa`, and the path `aaa` reads `a`. The loss is

    loss = -log( sum of the probabilities of all paths that read y )

`g`, a 0-d array, is the upstream gradient of the scalar loss. Return `dlogits`. T is at least 1, and at
least one path reads y. Logits may be 1000 apart, and the result must stay finite. There may be far too
many paths to list.
"""

import numpy as np


def ctc_loss_backward(g, logits, y):
    raise NotImplementedError
