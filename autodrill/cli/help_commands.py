"""`autodrill hint` and `autodrill solution`: help in stages, and its effect on the schedule."""

from typing import Annotated

import typer

from autodrill.cli.options import ExerciseName, Format, OutputFormat, Packs, again, now, open_store
from autodrill.errors import UsageError

__all__ = ["STAGES", "hint", "solution"]

STAGES = ("the idea", "the rule", "the line")
"""What each hint gives away."""


def hint(
    name: ExerciseName,
    stage: Annotated[
        int | None, typer.Option(min=1, max=3, help="Show the hint with this number instead of the next hint.")
    ] = None,
    pack: Packs = None,
    output_format: Format = OutputFormat.TEXT,
) -> None:
    """Show the next of three hints.

    The hints are the idea, the rule, and the line of code with a gap. A pass is rated Hard after the second hint, and
    Again after the third, so the exercise comes back sooner.

    Example:
      autodrill hint mul_backward
    """
    from autodrill.drills.library import Library
    from autodrill.practice.progress import hint_stage

    library = Library.open(pack or ())
    exercise = library.find(name)
    hints = library.drill(exercise).solution.hints
    with open_store() as store:
        given = stage or min(hint_stage(store, exercise.id) + 1, len(hints))
        store.add_hint(exercise.id, given, now())
    if output_format is OutputFormat.JSON:
        from autodrill.render.document import write_document

        write_document("hint", exercise=exercise.id, stage=given, stages=len(hints), hint=hints[given - 1])
        return
    from autodrill.render.console import stdout_console
    from autodrill.render.plain import say
    from autodrill.render.terminal_markdown import markdown

    console = stdout_console()
    console.print(f"hint {given} of {len(hints)}: {STAGES[given - 1]}", style="bold")
    console.print(markdown(hints[given - 1]))
    more = f"hint {exercise.id}" if given < len(hints) else f"solution {exercise.id} --give-up"
    say(f"more: autodrill {more}{again(pack)}", err=True)


def solution(
    name: ExerciseName,
    give_up: Annotated[bool, typer.Option("--give-up", help="Show the solution before you have passed.")] = False,
    pack: Packs = None,
    output_format: Format = OutputFormat.TEXT,
) -> None:
    """Show the worked solution beside yours after a pass.

    The next quiz then begins with one or two questions on the exercise.

    To see the solution before you have passed, or when the exercise is due again, add --give-up. The exercise then
    comes back soon.

    Example:
      autodrill solution mul_backward
    """
    from autodrill.cli.debrief import passed_code, queue_cards
    from autodrill.drills.library import Library
    from autodrill.practice.progress import log_giving_up, may_see_solution

    library = Library.open(pack or ())
    exercise = library.find(name)
    worked = library.drill(exercise).solution
    with open_store() as store:
        allowed = may_see_solution(store, exercise.id, now())
        if not allowed and not give_up:
            passed = exercise.id in store.passed()
            raise UsageError(
                f"`{exercise.id}` is due again" if passed else f"you have not passed `{exercise.id}` yet",
                hint=f"try `autodrill hint {exercise.id}{again(pack)}`, or add `--give-up` to see the solution",
            )
        if not allowed:
            log_giving_up(store, exercise.id, now())
        yours = passed_code(store, exercise.id)
        queued = queue_cards(store, exercise.id) if yours and output_format is OutputFormat.TEXT else ()
    if output_format is OutputFormat.JSON:
        from autodrill.render.document import write_document

        write_document("solution", exercise=exercise.id, explanation=worked.explanation, source=worked.source)
        return
    from autodrill.render.console import stdout_console

    if yours:
        from autodrill.render.debrief_screen import print_debrief

        print_debrief(stdout_console(), exercise, worked, yours, queued)
        return
    from autodrill.render.exercise_screen import print_solution

    print_solution(stdout_console(), exercise, worked)
