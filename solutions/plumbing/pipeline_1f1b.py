"""Let S be the number of stages and M the number of micro-batches. Start with the last stage. It can run B(i) right
after F(i), so its order is F(0) B(0) F(1) B(1) and so on. It keeps one micro-batch.

Stage s is S - 1 - s stages away from the last one. It runs forwards until the first gradient can come back. By then it
has run S - s forwards, one for each later stage and one more. After these forwards it runs one backward and one forward
in turn, as the last stage does. Count the last of the S - s forwards as the first of the steady phase. Then the order
has three phases:

    warm-up     min(M, S - 1 - s) forwards
    steady      one forward, then one backward, until the forwards are used up
    cool-down   the remaining backwards

A stage keeps at most one micro-batch more than its warm-up has forwards, in total min(M, S - s). Gradients come back in
the order of the micro-batches, because the last stage runs its backwards in this order.

Cost: the pipeline ends at 3·(M + S - 1), and each stage works for 3·M of this time. The rest is the bubble, a share of
(S - 1)/(M + S - 1). Running all forwards first, as in GPipe, has the same bubble, but every stage then keeps M
micro-batches. In 1F1B the memory does not depend on M if M ≥ S, so M can be large and the bubble small.

PyTorch: `Schedule1F1B` in `torch.distributed.pipelining` has this order. Its warm-up counts min(M, S - s) forwards, one
more than here, because its steady phase begins with a backward. It raises a ValueError if M < S. `ScheduleGPipe` runs
all forwards first. Megatron's schedule without interleaving has a warm-up of min(M, S - 1 - s) forwards.

Asked next:

- S is 8 and M is 32. Which share of the time is lost, and how many micro-batches does stage 0 keep? → The share is
  7/39, about 18%. Stage 0 keeps 8 micro-batches, and with all forwards first it would keep 32.
- What fills the bubble? → Zero-bubble schedules fill it. They split each backward into the gradient of the input and
  the gradient of the weights. Only the gradient of the input is on the critical path. No other stage waits for the
  gradient of the weights, so it can be computed in the bubble.
- Each rank holds v short stages instead of one long one. What changes? → The pipeline fills v times as fast, so the
  bubble shrinks to a share of (S - 1)/(v·M + S - 1). Each micro-batch crosses between ranks at least v times as often,
  and rank 0 keeps more activations.
- Which weights does B(i) use if the optimiser steps only once, after all micro-batches? → The same weights as F(i). If
  the optimiser stepped in between, as in PipeDream, B(i) would need the older weights of F(i), and each stage would
  have to keep them.
"""

from autodrill.drills import edit, mistake, scenario

HINTS = (
    (
        "In which order does the last stage run its tasks? How many forwards can stage s run before its first gradient "
        "comes back?"
    ),
    "Warm up with one forward for each later stage, then alternate one forward and one backward, then finish.",
    "The warm-up has `min(micro_batches, ...)` forwards. In the steady phase, ('F', warm_up + i) precedes ('B', i).",
)


@scenario(1, 2, 3, 4, 6, note="more micro-batches than stages")
def many(rng, size):
    return {"stages": size, "micro_batches": 2 * size + int(rng.integers(1, 4))}


@scenario(1, 2, 3, 5, note="as many micro-batches as stages")
def equal(rng, size):
    return {"stages": size, "micro_batches": size}


@scenario(3, 4, 6, note="fewer micro-batches than stages")
def few(rng, size):
    return {"stages": size, "micro_batches": max(1, size - 2)}


CASES = [many, equal, few]


def drive(candidate, stages, micro_batches):
    return [[[str(what), int(i)] for what, i in candidate(s, stages, micro_batches)] for s in range(stages)]


def judge(answer, stages, micro_batches):
    wanted = [[what, i] for what in "FB" for i in range(micro_batches)]
    if not isinstance(answer, list) or len(answer) != stages or not all(isinstance(own, list) for own in answer):
        return "type: each stage must return a list of pairs"
    if not all(isinstance(task, list) and [*map(type, task)] == [str, int] for own in answer for task in own):
        return "type: each stage must return a list of pairs"
    for s, own in enumerate(answer):
        if unknown := [task for task in own if task not in wanted]:
            what, i = unknown[0]
            return f"not-each-once: stage {s} runs {what}({i}), but micro_batches is {micro_batches}"
        if len(own) != len(wanted) or any(task not in own for task in wanted):
            return f"not-each-once: stage {s} does not run each forward and each backward exactly once"
    end, stuck = simulated(answer)
    if stuck:
        return f"deadlock: {stuck}"
    for s, own in enumerate(answer):
        kept, allowed = most_kept(own), min(micro_batches, stages - s)
        if kept > allowed:
            return f"too-many-kept: stage {s} of {stages} keeps {kept} micro-batches; the limit is {allowed}"
    if end > 3 * (micro_batches + stages - 1):
        possible = 3 * (micro_batches + stages - 1)
        question = "How many forwards may stage 0 run before its first backward?"
        if all([what for what, _ in own].index("B") == min(micro_batches, stages - s) for s, own in enumerate(answer)):
            question = "In which order do the gradients of the micro-batches come back?"
        return f"too-late: the last task ends at {end}, and {possible} is possible. {question}"
    return None


def most_kept(own):
    kept = most = 0
    for what, _ in own:
        kept += 1 if what == "F" else -1
        most = max(most, kept)
    return most


def simulated(orders):
    """Return when the last task ends, and which stages wait forever, in words."""
    stages, done = len(orders), {}
    place, free = [0] * stages, [0] * stages
    moved = True
    while moved:
        moved = False
        for s, own in enumerate(orders):
            while place[s] < len(own):
                what, i = own[place[s]]
                needed = [("F", i, s)] if what == "B" else []
                before = s - 1 if what == "F" else s + 1
                if 0 <= before < stages:
                    needed.append((what, i, before))
                if any(task not in done for task in needed):
                    break
                start = max([free[s], *(done[task] for task in needed)])
                done[what, i, s] = free[s] = start + (1 if what == "F" else 2)
                place[s] += 1
                moved = True
    stuck = [s for s in range(stages) if place[s] < len(orders[s])]
    if stuck:
        what, i = orders[stuck[0]][place[stuck[0]]]
        return 0, f"stage {stuck[0]} waits forever for the input of {what}({i})"
    return max(free), ""


def pipeline_1f1b(stage, stages, micro_batches):
    warm_up = min(micro_batches, stages - 1 - stage)
    steady = micro_batches - warm_up
    order = [("F", i) for i in range(warm_up)]
    for i in range(steady):
        order += [("F", warm_up + i), ("B", i)]
    return order + [("B", i) for i in range(steady, micro_batches)]


MISTAKES = [
    edit(
        "all-forwards-first",
        "all forwards run before the first backward",
        "How many micro-batches does stage 0 keep with 64 micro-batches?",
        "min(micro_batches, stages - 1 - stage) -> micro_batches",
    ),
    edit(
        "same-warm-up",
        "every stage has the same warm-up",
        "After F(0) on the last stage, which task must end before B(0) can start there?",
        "stages - 1 - stage -> stages - 1",
    ),
    edit(
        "warm-up-too-short",
        "one forward less is enough to fill the pipeline",
        "What does stage 0 do while its first micro-batch is on later stages?",
        "min(micro_batches, stages - 1 - stage) -> max(0, min(micro_batches, stages - 2 - stage))",
    ),
    edit(
        "no-warm-up",
        "each stage runs a backward after every forward",
        "Stage 0 ends F(0) at time 1. What does it do until the gradient of micro-batch 0 comes back?",
        "min(micro_batches, stages - 1 - stage) -> 0",
    ),
    edit(
        "backward-first",
        "a backward precedes the forward in each steady step",
        "The last stage has no warm-up. Which task does your order give it first, and what does that task need?",
        '[("F", warm_up + i), ("B", i)] -> [("B", i), ("F", warm_up + i)]',
    ),
    edit(
        "warm-up-reversed",
        "later stages need the longer warm-up",
        "Which stage can run its first backward right after its first forward?",
        "stages - 1 - stage -> stage",
    ),
    edit(
        "few-micro-batches",
        "there are at least as many micro-batches as stages",
        "Take four stages and two micro-batches. How many forwards does the warm-up of stage 0 have?",
        "min(micro_batches, stages - 1 - stage) -> stages - 1 - stage",
    ),
    edit(
        "warm-up-too-long",
        "the warm-up contains the forward of the first steady step too",
        "The last stage has no later stage. How many forwards may the last stage run before its first backward?",
        "stages - 1 - stage -> stages - stage",
    ),
    edit(
        "cool-down-reversed",
        "the backwards that are left at the end run newest first",
        "The next stage runs B(2) before B(3). Which of the two gradients can this stage use first?",
        "range(steady, micro_batches)] -> reversed(range(steady, micro_batches))]",
    ),
]


@mistake(
    "last-in-first-out",
    "the newest micro-batch runs backward first",
    "The last stage runs B(0) first. Which gradient comes back first to the other stages?",
)
def pipeline_1f1b(stage, stages, micro_batches):
    warm_up = min(micro_batches, stages - 1 - stage)
    order, kept = [("F", i) for i in range(warm_up)], list(range(warm_up))
    for i in range(warm_up, micro_batches):
        order += [("F", i), ("B", i)]
    return order + [("B", i) for i in reversed(kept)]
