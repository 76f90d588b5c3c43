"""Cards as JSON values. The field names are part of the document's schema."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from autodrill.bank.questions import BugKey, ChoiceKey, DeriveKey, NumericKey, PredictKey

if TYPE_CHECKING:
    from autodrill.bank.questions import Question
    from autodrill.drills.exercise import Heading
    from autodrill.practice.schedule import CardState

__all__ = ["as_json", "exercise_as_json"]


def as_json(question: Question, state: CardState | None) -> dict[str, Any]:
    """Return a question as JSON values, with its answer, its key and its due date (null for a new card)."""
    key: dict[str, Any] | None
    match question.key:
        case ChoiceKey(options):
            key = {"options": [{"text": o.text, "right": o.right, "explanation": o.explanation} for o in options]}
        case NumericKey(answers, values, tolerance):
            key = {"answers": dict(answers), "values": dict(values), "tolerance": tolerance}
        case PredictKey(program, output):
            key = {"program": program.code, "output": output}
        case BugKey(program, line, fix):
            key = {"program": program.code, "line": line, "fix": fix}
        case DeriveKey(variables, answers):
            key = {"variables": list(variables), "answers": dict(answers)}
        case None:
            key = None
    return {
        "id": question.id,
        "kind": str(question.kind),
        "difficulty": str(question.difficulty),
        "minutes": question.minutes,
        "answering": question.answering,
        "topics": list(question.topics),
        "title": question.title,
        "body": question.body,
        "key": key,
        "answer": question.answer,
        "key_points": list(question.key_points),
        "wrong_answers": list(question.wrong_answers),
        "commonly_read": [{"claim": r.claim, "fact": r.fact} for r in question.commonly_read],
        "follow_ups": [{"question": f.question, "answer": f.answer} for f in question.follow_ups],
        "exercises": list(question.exercises),
        "due": state.due.isoformat() if state else None,
        "reviews": state.reviews if state else 0,
    }


def exercise_as_json(exercise: Heading) -> dict[str, Any]:
    """Return an exercise on a learning path as JSON values; `command` grades it."""
    return {
        "id": exercise.id,
        "kind": "exercise",
        "difficulty": str(exercise.difficulty),
        "minutes": exercise.minutes,
        "topics": list(exercise.topics),
        "title": exercise.title,
        "command": f"autodrill check {exercise.id}",
    }
