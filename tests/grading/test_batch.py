"""Batch grading: verdicts in order, sealed processes, and no text of the candidate in a report."""

from __future__ import annotations

import errno
import inspect
import os
import signal
import subprocess
import sys
import time
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from autodrill.drills.answer_records import FaultKind
from autodrill.errors import ContentError, FileError, InternalError, UnconfinedError
from autodrill.grading.batch import Task, Worker, grade_all, useful_workers
from autodrill.grading.diagnosis import explain
from autodrill.grading.report import Verdict
from autodrill.grading.submission import LARGEST_FILE, Submission, handed_in_files, read_file
from autodrill.sandbox.child.confinement import SEALED, Layer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from autodrill.sandbox.runner import Runner
    from tests.conftest import Pack

linux = pytest.mark.skipif(sys.platform != "linux", reason="sealed processes are Linux's")

RIGHT = "def cube_backward(g, x):\n    return 3 * x * x * g\n"
QUOTING = "def cube_backward(g, x):\n    print(x)\n    raise ValueError(str(x))\n"


def submission(source: str, name: str = "a.py") -> Submission:
    return Submission(source.encode(), name, name)


def handed_in(folder: Path, sources: list[str]) -> list[Path]:
    folder.mkdir()
    paths = [folder / f"{index}.py" for index in range(len(sources))]
    for path, source in zip(paths, sources, strict=True):
        path.write_text(source, encoding="utf-8")
    return paths


@pytest.fixture
def task(pack: Pack) -> Task:
    pack.add()
    return Task("cube_backward", (pack.root,), seed=3)


@pytest.mark.slow
@linux
@pytest.mark.parametrize("workers", [1, 2])
def test_grade_all_yields_reports_in_order(task: Task, tmp_path: Path, workers: int) -> None:
    files = handed_in(tmp_path / "in", [RIGHT, RIGHT.replace("3", "2"), "x = (", "while True: pass", RIGHT])
    files.insert(1, tmp_path / "missing.py")
    reports = list(grade_all(task, files, workers))
    assert [report.path for report in reports] == [*map(str, files)]
    assert [str(report.verdict) for report in reports] == ["pass", "error", "fail", "error", "timeout", "pass"]
    assert all(set(report.layers) == set(map(str, Layer)) for report in (reports[0], *reports[2:]))


@linux
def test_grade_all_reads_a_file_when_it_grades_it(task: Task, tmp_path: Path) -> None:
    first, second, third = handed_in(tmp_path / "in", [RIGHT, RIGHT, "x = ("])
    with closing(grade_all(task, [first, second, third], 1)) as reports:
        verdicts = [next(reports).verdict]
        third.write_text(RIGHT, encoding="utf-8")
        verdicts += [report.verdict for report in reports]
    assert verdicts == [Verdict.PASS] * 3


@linux
def test_worker_gives_the_same_report_after_other_files(task: Task) -> None:
    with Worker(task) as worker:
        first, again = (worker.grade(submission(RIGHT.replace("3", "2"))) for _ in range(2))
    assert replace(first, seconds=0) == replace(again, seconds=0)


@linux
def test_worker_withholds_text_of_the_candidates_code(task: Task) -> None:
    with Worker(task) as worker:
        report = worker.grade(submission(QUOTING))
    assert report.output == ""
    assert report.failure is not None
    assert (report.failure.kind, report.failure.line) == (FaultKind.RAISED, 3)
    assert "ValueError" not in report.failure.summary
    assert "[" not in report.failure.summary


@linux
@pytest.mark.parametrize("encoding", ["cp1251", "koi8-r", "latin-1", "iso8859-2", "mac-roman", "utf-8", "utf-8-sig"])
def test_worker_reads_a_file_in_its_declared_encoding(task: Task, encoding: str) -> None:
    word = "мера" if encoding in {"cp1251", "koi8-r"} else "größe" if encoding != "utf-8-sig" else "größe_мера"
    source = f"# coding: {encoding}\ndef cube_backward(g, x):\n    {word} = x * x\n    return 3 * {word} * g\n"
    with Worker(task) as worker:
        assert worker.grade(Submission(source.encode(encoding), "a.py", "a.py")).verdict is Verdict.PASS


FORGED_LINE = """import sys

reports = next(m for n, m in list(sys.modules.items()) if n.endswith(".tracebacks") and hasattr(m, "raised"))


def cube_backward(g, x):
    reports._frames = lambda *_: iter([({line}, "f")])
    raise ValueError
"""


@linux
@pytest.mark.parametrize(("line", "shown"), [(3, 3), (9, 9), (10, None), (2_000_000_000, None), (0, None)])
def test_worker_shows_no_line_outside_the_file(task: Task, line: int, shown: int | None) -> None:
    with Worker(task) as worker:
        report = worker.grade(submission(FORGED_LINE.replace("{line}", str(line))))
    assert report.failure is not None
    assert (report.failure.kind, report.failure.line) == (FaultKind.RAISED, shown)


HOSTILE_NAME = """import os
import pathlib

pathlib.Path("it_was_run").write_text(str(os.getpid()))


def cube_backward(g, x):
    return 3 * x * x * g
"""


@linux
@pytest.mark.parametrize("name", ["multiprocessing.py", "runpy.py", "numpy.py", "concurrent.py"])
def test_grade_all_never_imports_a_file_of_the_working_folder(
    task: Task, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / name).write_text(HOSTILE_NAME, encoding="utf-8")
    (tmp_path / "a.py").write_text(RIGHT, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    reports = list(grade_all(task, [Path(name), Path("a.py")], 2))
    assert [report.verdict for report in reports] == [Verdict.ERROR, Verdict.PASS]
    assert not (tmp_path / "it_was_run").exists()


@linux
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_workers_end_with_the_grading_process(pack: Pack, how: signal.Signals) -> None:
    pack.add()
    program = (
        "import sys, pathlib\n"
        "from autodrill.grading.batch import Task, grade_all\n"
        "if __name__ == '__main__':\n"
        "    root = pathlib.Path(sys.argv[1])\n"
        "    files = [root / 'quick.py'] * 8 + [root / 'slow.py'] * 8\n"
        "    for _ in grade_all(Task('cube_backward', (root,), 3), files, 2):\n"
        "        print('one', flush=True)\n"
    )
    (pack.root / "quick.py").write_text("x = (", encoding="utf-8")
    slow = "import time\ndef cube_backward(g, x):\n    time.sleep(1)\n    return g\n"
    (pack.root / "slow.py").write_text(slow, encoding="utf-8")
    script = pack.root / "grades.py"
    script.write_text(program, encoding="utf-8")
    with subprocess.Popen(
        [sys.executable, str(script), str(pack.root)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as grades:
        assert grades.stdout is not None
        assert grades.stdout.readline() == b"one\n"
        # two workers with a fork server each; on a busy machine the second one may start after the first report
        while len(below := _descendants(grades.pid)) < 4 and grades.poll() is None:
            time.sleep(0.01)
        began = time.monotonic()
        grades.send_signal(how)
    assert time.monotonic() - began < 5
    assert len(below) >= 4
    until = time.monotonic() + 10
    while time.monotonic() < until and any(map(_runs, below)):
        time.sleep(0.05)
    assert not any(map(_runs, below))


def _descendants(pid: int) -> list[int]:
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()
    return [each for child in map(int, children) for each in (child, *_descendants(child))]


def _runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@linux
def test_worker_limits_the_total_time_of_a_file(task: Task) -> None:
    slow = "import time\ndef cube_backward(g, x):\n    time.sleep(0.2)\n    return 3 * x * x * g\n"
    with Worker(replace(task, limits=replace(task.limits, total=1.0))) as worker:
        began = time.monotonic()
        report = worker.grade(submission(slow))
    assert time.monotonic() - began < 10
    assert report.verdict is Verdict.TIMEOUT
    assert report.failure is not None
    assert "all its calls together take more than 1 s" in report.failure.summary


@linux
def test_worker_retries_an_internal_error_once(task: Task, monkeypatch: pytest.MonkeyPatch) -> None:
    tried = []

    def broken(*_: object, runner: Runner, **__: object) -> None:
        runner.close()
        tried.append(1)
        raise RuntimeError("a bug")

    monkeypatch.setattr("autodrill.grading.grade.grade", broken)
    with Worker(task) as worker:
        report = worker.grade(submission(RIGHT))
    assert (report.verdict, report.detail, len(tried)) == (Verdict.INTERNAL, "RuntimeError: a bug", 2)


@linux
def test_grade_all_refuses_a_missing_required_layer(task: Task, tmp_path: Path) -> None:
    short = replace(task, confinement=replace(SEALED, layers=SEALED.layers - {Layer.SECCOMP}))
    with pytest.raises(UnconfinedError, match="seccomp"):
        next(grade_all(short, handed_in(tmp_path / "in", [RIGHT]), 1))


JUDGE = """def judge(dx, x):
    import os
    import time

    match int(dx.flat[0]) if dx.size else 0:
        case 101:
            os._exit(0)
        case 102:
            time.sleep(600)
        case 103:
            return str(len([np.empty(1 << 28, "u1") for _ in range(64)]))
    return None


def slope"""


@linux
@pytest.mark.parametrize("workers", [1, 2])
def test_judge_that_breaks_down_costs_one_file(pack: Pack, tmp_path: Path, workers: int) -> None:
    pack.add(solution=("def slope", JUDGE))
    answers = [f"def cube_backward(g, x):\n    return 0 * x + {value}\n" for value in (1, 101, 2, 102, 103, 3)]
    files = handed_in(tmp_path / "in", answers)
    task = Task("cube_backward", (pack.root,), seed=3, worker_seconds=6)
    reports = list(grade_all(task, files, workers))
    assert [report.path for report in reports] == [*map(str, files)]
    details = [report.detail.partition(": Unable")[0] for report in reports]
    assert details == [
        "",
        "the process that compares and explains the answers ended (exit code 0)",
        "",
        "the process that compares and explains the answers took too long",
        "the exercise's `judge` raises MemoryError",
        "",
    ]
    assert [str(report.verdict) for report in reports] == ["pass", "internal", "pass", "internal", "internal", "pass"]


@pytest.mark.parametrize("workers", [1, 2])
def test_grade_all_reports_a_malformed_exercise(pack: Pack, tmp_path: Path, workers: int) -> None:
    pack.add(solution=("HINTS = (", "HINTS = (1, "))
    with pytest.raises(ContentError, match="must be a tuple of three texts") as caught:
        list(grade_all(Task("cube_backward", (pack.root,), seed=3), [tmp_path / "a.py"] * 3, workers))
    assert [problem.line for problem in caught.value.problems] == [7]


@pytest.mark.parametrize("workers", [1, 2])
def test_grade_all_stops_if_the_exercise_ends_its_process(pack: Pack, tmp_path: Path, workers: int) -> None:
    pack.add(solution=("HINTS =", "__import__('os')._exit(0)\nHINTS ="))
    with pytest.raises(InternalError, match=r"ended \(exit code 0\) before it was ready"):
        list(grade_all(Task("cube_backward", (pack.root,), seed=3), [tmp_path / "a.py"] * 3, workers))


STARTS = """import subprocess
from pathlib import Path

PROCESS = subprocess.Popen(["sleep", "1000"])
Path({path!r}).write_text(str(PROCESS.pid), encoding="ascii")
HINTS ="""


@linux
def test_process_that_an_exercise_starts_ends_with_its_worker(pack: Pack, tmp_path: Path) -> None:
    started = tmp_path / "pid"
    pack.add(solution=("HINTS =", STARTS.format(path=str(started))))
    (report,) = grade_all(Task("cube_backward", (pack.root,), seed=3), handed_in(tmp_path / "in", [RIGHT]), 1)
    assert report.verdict is Verdict.PASS
    assert not Path(f"/proc/{started.read_text(encoding='ascii')}").exists()


def test_useful_workers_is_one_for_few_files() -> None:
    assert useful_workers(3) == 1
    assert 1 <= useful_workers(10_000) <= (os.cpu_count() or 1)


class TestFolders:
    def test_folder_that_cannot_be_read_is_returned_itself(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        for name in ("ada", "bob", "eve"):
            (tmp_path / name).mkdir()
            (tmp_path / name / "a.py").write_text(RIGHT, encoding="utf-8")

        def scandir(path: str) -> Iterator[os.DirEntry[str]]:
            if Path(path).name == "bob":
                raise PermissionError(errno.EACCES, "Permission denied", str(path))
            return real(path)

        real = os.scandir
        monkeypatch.setattr(os, "scandir", scandir)  # root may read every folder
        found = handed_in_files([tmp_path])
        assert found == [tmp_path / "ada" / "a.py", tmp_path / "bob", tmp_path / "eve" / "a.py"]
        assert handed_in_files([tmp_path / "bob"]) == [tmp_path / "bob"]

    def test_folders_are_walked_without_recursion(self, tmp_path: Path) -> None:
        deep = tmp_path.joinpath(*["a"] * 300)
        deep.mkdir(parents=True)
        (deep / "a.py").write_text(RIGHT, encoding="utf-8")
        (tmp_path / "loop").symlink_to("loop")
        before = sys.getrecursionlimit()
        sys.setrecursionlimit(len(inspect.stack(0)) + 200)
        try:
            found = handed_in_files([tmp_path])
        finally:
            sys.setrecursionlimit(before)
        assert found == [deep / "a.py"]

    @pytest.mark.parametrize(("module", "broken"), [(Path, "is_symlink"), (os, "open")])
    def test_read_file_reports_a_file_without_permission(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, module: object, broken: str
    ) -> None:
        def refuse(path: Path, *_: object, **__: object) -> None:
            raise PermissionError(errno.EACCES, "Permission denied", str(path))

        monkeypatch.setattr(module, broken, refuse)
        with pytest.raises(FileError, match="cannot be read: Permission denied"):
            read_file(tmp_path / "a.py", follow=False)


class TestReading:
    def test_read_file_returns_the_bytes(self, tmp_path: Path) -> None:
        (tmp_path / "a.py").write_bytes(b"\xef\xbb\xbfx = 1\r\n")
        assert read_file(tmp_path / "a.py", follow=False) == b"\xef\xbb\xbfx = 1\r\n"

    def test_read_file_follows_a_link_only_if_allowed(self, tmp_path: Path) -> None:
        (tmp_path / "a.py").write_text("x = 1", encoding="utf-8")
        (tmp_path / "link.py").symlink_to(tmp_path / "a.py")
        assert read_file(tmp_path / "link.py", follow=True) == b"x = 1"
        with pytest.raises(FileError, match="symbolic link"):
            read_file(tmp_path / "link.py", follow=False)

    @pytest.mark.parametrize("kind", ["folder", "pipe", "device", "nothing"])
    def test_read_file_refuses_anything_but_a_regular_file(self, kind: str, tmp_path: Path) -> None:
        path = tmp_path / "a.py"
        match kind:
            case "folder":
                path.mkdir()
            case "pipe":
                os.mkfifo(path)
            case "device":
                path.symlink_to("/dev/zero")
        with pytest.raises(FileError):
            read_file(path, follow=True)

    def test_read_file_refuses_a_file_that_is_too_large(self, tmp_path: Path) -> None:
        path = tmp_path / "a.py"
        path.write_bytes(b"#" * LARGEST_FILE)
        assert len(read_file(path, follow=False)) == LARGEST_FILE
        path.write_bytes(b"#" * (LARGEST_FILE + 1))
        with pytest.raises(FileError, match="larger than 256 KiB"):
            read_file(path, follow=False)


@linux
def test_worker_limits_the_time_that_an_explanation_takes(task: Task, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(explain, "_SHRINK_SECONDS", 60.0)
    wrong = "import time\nn = 0\ndef cube_backward(g, x):\n    global n\n    n += 1\n    time.sleep(0.6 * (n > 3))\n"
    with Worker(replace(task, limits=replace(task.limits, total=2.0))) as worker:
        began = time.monotonic()
        report = worker.grade(submission(wrong + "    return x * g * (1 if n < 4 else n)\n"))
    assert time.monotonic() - began < 10  # the calls of a smaller case take 3 s: without the limit, 26 s pass
    assert report.verdict is Verdict.FAIL
    assert report.failure is not None
    assert report.failure.kind is FaultKind.VALUE
