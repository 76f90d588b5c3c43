"""Batch grading: many submissions to one exercise, with one case set and a sealed process for each file."""

from __future__ import annotations

from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Self

from autodrill.drills.answer_records import FaultKind
from autodrill.drills.library import Library
from autodrill.errors import FileError, UnconfinedError
from autodrill.grading.report import Failure, Report, Verdict
from autodrill.grading.submission import Submission, read_file
from autodrill.sandbox.child.confinement import APART, SEALED, Confinement
from autodrill.sandbox.fork_server import ForkServer
from autodrill.sandbox.launcher import launch
from autodrill.sandbox.libraries import Framework
from autodrill.sandbox.limits import CHECK_LIMITS
from autodrill.sandbox.runner import Runner
from autodrill.sandbox.worker_pool import LostItem, available_cores, bound_memory, work_through

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator, Sequence
    from pathlib import Path
    from types import TracebackType

    from autodrill.sandbox.limits import Limits

__all__ = ["Task", "Worker", "grade_all", "useful_workers"]

_WORTH_A_WORKER = 40
"""Number of files that one worker grades in about the time that another worker needs to start."""


@dataclass(frozen=True, slots=True)
class Task:
    """The settings shared by all files.

    Attributes:
        exercise: The exercise's id.
        packs: The packs to search, besides the exercises that come with autodrill.
        seed: Seed of the cases.
        confinement: The confinement of each process.
        limits: Limits of each process.
        worker_memory: Bytes of address space that a worker may take to compare and to explain answers.
        worker_seconds: Wall time that a worker may take for a file.
        on_gpu: Whether answers on arrays get arrays of CuPy, and kernels must run on a GPU.
    """

    exercise: str
    packs: tuple[Path, ...]
    seed: int
    confinement: Confinement = SEALED
    limits: Limits = CHECK_LIMITS
    worker_memory: int = 4 << 30
    worker_seconds: float = 240.0
    on_gpu: bool = False


class Worker:
    """Grades files one after another. Use it as a context manager, because it holds a fork server."""

    def __init__(self, task: Task) -> None:
        # Imported here, because the process that keeps the reports needs no NumPy.
        from autodrill.grading.cases.case_set import CaseSet
        from autodrill.grading.diagnosis.known_mistakes import KnownMistakes
        from autodrill.grading.kernels.gpu_runner import GPU_LIMITS

        library = Library.open(task.packs)
        self._drill = library.drill(library.find(task.exercise))
        self._on_gpu = task.on_gpu
        self._framework = Framework.CUPY if task.on_gpu and not self._drill.kind.on_device else None
        self._case_set = CaseSet(self._drill, task.seed, GPU_LIMITS if self._framework else task.limits)
        self._known = KnownMistakes(self._drill)
        if self._drill.kind.on_device and task.confinement.required:
            raise UnconfinedError("a kernel is machine code, which a sealed process cannot load")
        self._server = ForkServer(task.confinement)

    def grade(self, submission: Submission) -> Report:
        """Grade a file. After an internal error it is graded once more, and then reported as `internal`.

        Raises:
            UnconfinedError: Its process cannot be confined as the task demands.
        """
        report = self._grade(submission)
        return self._grade(submission) if report.verdict is Verdict.INTERNAL else report

    def grade_file(self, path: Path) -> Report:
        """Read a file and grade it. If it cannot be read, the report says so.

        Raises:
            UnconfinedError: Its process cannot be confined as the task demands.
        """
        try:
            source = read_file(path, follow=False)
        except FileError as error:
            failure = Failure(FaultKind.MISSING, error.message)
            return Report(self._drill.exercise.id, str(path), Verdict.ERROR, self._case_set.seed, failure=failure)
        return self.grade(Submission(source, path.name, str(path)))

    @property
    def on_device(self) -> bool:
        """Whether the exercise asks for a kernel, or the answers are graded on a GPU."""
        return self._drill.kind.on_device or self._on_gpu

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._server.close()

    def _grade(self, submission: Submission) -> Report:
        from autodrill.grading.grade import grade

        cases = self._case_set
        try:
            return grade(
                self._drill,
                replace(submission, framework=self._framework),
                seed=cases.seed,
                limits=cases.limits,
                runner=self._start(),
                case_set=cases,
                known=self._known,
                on_gpu=self._on_gpu,
            ).withheld()
        except UnconfinedError:
            raise
        except Exception as error:  # noqa: BLE001  one file must not end the others' grading
            detail = f"{type(error).__name__}: {error}"
            return Report(self._drill.exercise.id, submission.path, Verdict.INTERNAL, cases.seed, detail=detail)

    def _start(self) -> Runner:
        if self._drill.kind.on_device:
            from autodrill.grading.grade import start_runner

            return start_runner(self._drill, self._case_set.limits)
        if self._framework is not None:
            return Runner.start(
                self._case_set.limits, launcher=partial(launch, confinement=APART, framework=self._framework)
            )
        return Runner.start(self._case_set.limits, launcher=self._server.launch)


def useful_workers(files: int) -> int:
    """Return the number of workers that pays off for a number of files on this machine."""
    return max(1, min(available_cores(), files // _WORTH_A_WORKER))


def grade_all(task: Task, paths: Sequence[Path], workers: int) -> Generator[Report]:
    """Grade files in worker processes, and yield the reports in order, each as soon as it and all before it are ready.

    A worker reads a file when it grades it, so the memory in use does not grow with the sizes of all files. A file
    whose worker dies, or exceeds its time or memory, has the verdict `internal`.

    Raises:
        UnconfinedError: Their processes cannot be confined as the task demands.
        ContentError: The exercise is malformed.
        InternalError: A worker ended before it was ready.
    """
    with closing(work_through(paths, workers, _begin, task, seconds=task.worker_seconds)) as reports:
        for path, report in zip(paths, reports, strict=True):
            if isinstance(report, LostItem):
                yield Report(task.exercise, str(path), Verdict.INTERNAL, task.seed, detail=report.why)
            else:
                yield report


@contextmanager
def _begin(task: Task) -> Iterator[Callable[[Path], Report]]:
    with Worker(task) as worker:
        if not worker.on_device:  # a GPU's driver maps far more than it uses
            bound_memory(task.worker_memory)
        yield worker.grade_file
