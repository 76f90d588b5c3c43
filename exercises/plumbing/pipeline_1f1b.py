# /// autodrill
# title = "The 1F1B schedule of a pipeline"
# kind = "program"
# difficulty = "hard"
# minutes = 15
# topics = ["distributed", "memory"]
# requires = ["ddp_bucket_allreduce"]
# ///
"""A network is cut into a pipeline of `stages` stages, one on each rank. A step runs `micro_batches` micro-batches
through the pipeline. Stage s runs a forward F(i) and a backward B(i) for each micro-batch i:

- F(i) on stage s needs F(i) on stage s - 1. On stage 0 it needs no earlier task.
- B(i) on stage s needs F(i) on stage s and B(i) on stage s + 1. On the last stage it needs only its own F(i).

A forward takes 1 unit of time and a backward takes 2. Sending takes no time. A stage runs one task at a time, in the
order that you return. It starts a task when the previous one has ended and the task's inputs are there. From F(i) to
B(i) a stage keeps the activations of micro-batch i.

Return the order of tasks on stage `stage`, a list of pairs `("F", i)` and `("B", i)`. Stages and micro-batches count
from 0. `micro_batches` may be smaller than `stages`. Your function runs on every rank. The orders of all stages
together must meet three conditions:

- No stage waits forever.
- Stage s keeps the activations of at most min(micro_batches, stages - s) micro-batches at any time.
- All tasks end by the time 3·(micro_batches + stages - 1).
"""


def pipeline_1f1b(stage, stages, micro_batches):
    raise NotImplementedError
