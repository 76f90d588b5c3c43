"""`autodrill grade` and `autodrill doctor` as a shell sees them."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pytest

from autodrill.sandbox.child.confinement import Layer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.conftest import Run

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="sealed processes are Linux's")

RIGHT = """def mul_backward(self, other, out):
    self.grad += other.data * out.grad
    other.grad += self.data * out.grad
"""


@pytest.fixture(autouse=True)
def hang_up_as_usual() -> Iterator[None]:
    """Let SIGHUP end the programs that a test starts, also if the tests themselves run under `nohup`."""
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGHUP, before)


@pytest.fixture
def files(here: Path) -> list[str]:
    """A right answer, a wrong one and one that does not compile, in the folder commands run in."""
    for name, text in {"right.py": RIGHT, "wrong.py": RIGHT.replace("+=", "="), "broken.py": "x = ("}.items():
        (here / name).write_text(text, encoding="utf-8")
    return ["right.py", "wrong.py", "broken.py"]


def test_grade_prints_a_line_for_each_file_and_the_seed(run: Run, files: list[str]) -> None:
    done = run("grade", "mul_backward", *files, "--seed", "7")
    assert done.returncode == 1
    lines = done.stdout.splitlines()
    assert [line.split()[1:3] for line in lines] == [["PASS", "right.py"], ["FAIL", "wrong.py"], ["ERROR", "broken.py"]]
    assert "assign" in lines[1]
    assert "3 graded: 1 pass, 1 fail, 1 error; seed 7; sandbox: environment" in done.stderr


def test_grade_exits_with_0_if_all_files_pass(run: Run, files: list[str]) -> None:
    assert run("grade", "mul_backward", "right.py").returncode == 0


def test_grade_of_a_folder_takes_all_python_files_below_it(run: Run, here: Path) -> None:
    for name in ("class/bob/mul_backward.py", "class/alice/mul_backward.py"):
        (here / name).parent.mkdir(parents=True)
        (here / name).write_text(RIGHT, encoding="utf-8")
    (here / "class" / "notes.txt").write_text("not one of them", encoding="utf-8")
    done = run("grade", "mul_backward", "class")
    assert [line.split()[2] for line in done.stdout.splitlines()] == [
        "class/alice/mul_backward.py",
        "class/bob/mul_backward.py",
    ]


def test_grade_of_an_empty_folder_is_an_error(run: Run, here: Path) -> None:
    (here / "empty").mkdir()
    done = run("grade", "mul_backward", "empty")
    assert (done.returncode, "no .py file in `empty`" in done.stderr) == (2, True)


def test_grade_json_is_one_document(run: Run, files: list[str]) -> None:
    done = run("grade", "mul_backward", *files, "--output-format", "json", "--workers", "2")
    document = json.loads(done.stdout)
    assert (document["schema"], document["command"]) == (1, "grade")
    assert [report["verdict"] for report in document["reports"]] == ["pass", "fail", "error"]
    assert set(document["reports"][0]["layers"]) == set(map(str, Layer))
    assert {report["seed"] for report in document["reports"]} == {document["seed"]}


def test_grade_junit_counts_failures_and_errors(run: Run, files: list[str]) -> None:
    root = ET.fromstring(run("grade", "mul_backward", *files, "--output-format", "junit").stdout)
    assert [root.get(name) for name in ("tests", "failures", "errors")] == ["3", "1", "1"]
    assert [[child.tag for child in case] for case in root.iter("testcase")] == [[], ["failure"], ["error"]]


def test_grade_github_annotates_files_that_do_not_pass(run: Run, files: list[str]) -> None:
    lines = run("grade", "mul_backward", *files, "--output-format", "github").stdout.splitlines()
    assert [line.partition(",")[0] for line in lines] == ["::error file=wrong.py", "::error file=broken.py"]


def test_grade_jsonl_is_a_document_per_file(run: Run, files: list[str]) -> None:
    done = run("grade", "mul_backward", *files, "--output-format", "jsonl")
    documents = [json.loads(line) for line in done.stdout.splitlines()]
    assert [(each["schema"], each["command"]) for each in documents] == [(1, "grade")] * 3
    assert [each["report"]["verdict"] for each in documents] == ["pass", "fail", "error"]


def test_grade_jsonl_covers_failures(run: Run, files: list[str]) -> None:
    done = run("grade", "mul_bakward", *files, "--output-format", "jsonl")
    assert json.loads(done.stdout)["error"]["kind"] == "UnknownNameError"
    assert done.stdout.count("\n") == 1


def descendants(pid: int) -> list[int]:
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()
    return [each for child in map(int, children) for each in (child, *descendants(child))]


def state(pid: int) -> str:
    """Return the state of a process, "" if there is none."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[0]
    except OSError:
        return ""


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_interrupt_of_grade_leaves_no_process_and_no_traceback(
    here: Path, files: list[str], how: signal.Signals
) -> None:
    (here / "slow.py").write_text("import time\nwhile True:\n    time.sleep(0.1)\n", encoding="utf-8")
    command = ["grade", "mul_backward", "right.py", *["slow.py"] * 8, "--workers", "2"]
    with subprocess.Popen(
        [sys.executable, "-m", "autodrill", *command],
        cwd=here,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as running:
        assert running.stdout is not None
        assert "PASS" in running.stdout.readline()
        below = descendants(running.pid)
        os.killpg(running.pid, how)
        _, err = running.communicate(timeout=60)
    assert running.returncode == 130
    assert err.startswith("interrupted: ")
    assert "Traceback" not in err
    assert len(below) >= 3  # two workers, and a fork server
    # An ended process may still wait to be collected by the first process of the system, which can be busy.
    assert [(pid, found) for pid in below if (found := state(pid)) not in {"", "Z"}] == []


INTERRUPT = """import autodrill.grading.batch as batch

grade_all = batch.grade_all


def interrupted(task, paths, workers):
    yield from grade_all(task, paths[:1], 1)
    raise KeyboardInterrupt


batch.grade_all = interrupted
from autodrill.__main__ import main

main()
"""


HANGUP = """import os
import signal

import autodrill.cli.grade_command as grade_command

write = grade_command._write


def hang_up(report, output_format):
    write(report, output_format)
    os.kill(os.getpid(), signal.SIGHUP)


def hang_up_again(*arguments, **named):
    os.kill(os.getpid(), signal.SIGHUP)
    conclude(*arguments, **named)


conclude, grade_command._conclude = grade_command._conclude, hang_up_again
grade_command._write = hang_up
from autodrill.__main__ import main

main()
"""


@pytest.mark.parametrize("output_format", ["text", "json", "jsonl", "junit"])
def test_interrupted_grade_keeps_its_verdicts(here: Path, files: list[str], output_format: str) -> None:
    command = ["grade", "mul_backward", *files, "--output-format", output_format]
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPT, *command], cwd=here, capture_output=True, text=True, check=False
    )
    assert done.returncode == 130
    assert "Traceback" not in done.stderr
    match output_format:
        case "text":
            assert "PASS" in done.stdout
            assert "interrupted: 1 graded: 1 pass" in done.stderr
            assert f"; {len(files) - 1} not graded" in done.stderr
        case "json":
            document = json.loads(done.stdout)
            assert document["complete"] is False
            assert [report["verdict"] for report in document["reports"]] == ["pass"]
        case "jsonl":
            assert json.loads(done.stdout)["report"]["verdict"] == "pass"
        case "junit":
            assert ET.fromstring(done.stdout).get("tests") == "1"


@pytest.mark.parametrize("ignored", [False, True])
def test_grade_keeps_its_verdicts_when_its_terminal_closes(here: Path, files: list[str], ignored: bool) -> None:
    """The second signal comes while the document is written. `nohup` ignores SIGHUP, and grading then goes on."""
    (here / "slow.py").write_text("import time\ntime.sleep(1)\n" + RIGHT, encoding="utf-8")
    (here / "hang_up.py").write_text(HANGUP, encoding="utf-8")
    slow = " slow.py" * (1 if ignored else 60)
    command = f"exec {sys.executable} hang_up.py grade mul_backward right.py {slow} --output-format json"
    first = "trap '' HUP; " if ignored else ""
    done = subprocess.run(["bash", "-c", first + command], cwd=here, capture_output=True, text=True, check=False)
    document = json.loads(done.stdout)
    assert document["reports"][0]["verdict"] == "pass"
    assert (document["complete"], done.returncode) == ((True, 0) if ignored else (False, 130))


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-16"])
def test_grade_names_each_file_whatever_the_encoding_is(here: Path, run: Run, encoding: str) -> None:
    names = ["Omegalambda.py", "\xe9.py", "\u03a9\u03bb.py"]
    for name in names:
        (here / name).write_text(RIGHT.replace("other.data", "self.data"), encoding="utf-8")
    command = ("grade", "mul_backward", *names, "--output-format")
    root = ET.fromstring(run(*command, "junit", PYTHONIOENCODING=encoding).stdout)
    assert [case.get("name") for case in root.iter("testcase")] == names
    annotations = run(*command, "github", PYTHONIOENCODING=encoding).stdout.splitlines()
    assert [line.partition(",")[0] for line in annotations] == [f"::error file={name}" for name in names]
    if encoding != "utf-16":
        lines = run(*command, "text", PYTHONIOENCODING=encoding).stdout.splitlines()
        assert [line.split()[2] for line in lines] == ["Omegalambda.py", "\\xe9.py", "\\u03a9\\u03bb.py"]


ENDS = "import os\n\n\ndef mul_backward(self, other, out):\n    os._exit(3)\n"


def test_grade_runs_where_ends_of_processes_are_ignored(here: Path, files: list[str]) -> None:
    (here / "ends.py").write_text(ENDS, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "autodrill", "grade", "mul_backward", "ends.py", "right.py"],
        cwd=here,
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN),
    )
    assert "FAIL     ends.py  line 5: the call ended its process (exit code 3)" in done.stdout
    assert "PASS     right.py" in done.stdout
    assert done.returncode == 1
    assert "Traceback" not in done.stderr


def test_grade_runs_where_no_file_can_be_written(here: Path, files: list[str]) -> None:
    (here / "ends.py").write_text(ENDS, encoding="utf-8")
    command = f"ulimit -f 0; exec {sys.executable} -m autodrill grade mul_backward ends.py right.py"
    done = subprocess.run(["bash", "-c", command], cwd=here, capture_output=True, text=True, check=False)
    assert "FAIL     ends.py  the call ended its process (exit code 3)" in done.stdout
    assert "PASS     right.py" in done.stdout
    assert done.returncode == 1


@pytest.mark.parametrize("output_format", ["text", "jsonl", "github"])
def test_grade_writes_each_verdict_when_it_is_made(here: Path, files: list[str], output_format: str) -> None:
    (here / "slow.py").write_text("import time\nwhile True:\n    time.sleep(0.1)\n", encoding="utf-8")
    command = ["grade", "mul_backward", "wrong.py", *["slow.py"] * 8, "--output-format", output_format]
    with subprocess.Popen(
        [sys.executable, "-m", "autodrill", *command], cwd=here, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as running:
        assert running.stdout is not None
        assert b"wrong.py" in running.stdout.readline()
        assert running.poll() is None
        running.kill()


@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&-", ">&- 2>&- <&-"])
def test_grade_runs_with_closed_streams(here: Path, files: list[str], closed: str) -> None:
    command = f"{sys.executable} -m autodrill grade mul_backward wrong.py {closed}"
    done = subprocess.run(["bash", "-c", command], cwd=here, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "Traceback" not in done.stderr


def test_grade_reports_a_folder_that_is_a_link(run: Run, here: Path, files: list[str]) -> None:
    (here / "class" / "ada").mkdir(parents=True)
    (here / "class" / "ada" / "mul_backward.py").write_text(RIGHT, encoding="utf-8")
    (here / "class" / "bob").symlink_to("ada")
    done = run("grade", "mul_backward", "class")
    assert [line.split()[1:3] for line in done.stdout.splitlines()] == [
        ["PASS", "class/ada/mul_backward.py"],
        ["ERROR", "class/bob"],
    ]
    assert done.returncode == 1


def test_output_waits_for_the_reader_of_a_nonblocking_pipe() -> None:
    """Python would drop what does not fit into such a pipe, and the exit code would be 0."""
    ours, theirs = os.pipe()
    os.set_blocking(theirs, False)
    with subprocess.Popen([sys.executable, "-m", "autodrill", "list", "--output-format", "json"], stdout=theirs) as run:
        os.close(theirs)
        with suppress(subprocess.TimeoutExpired):
            run.wait(2)
        with os.fdopen(ours, encoding="utf-8") as pipe:
            text = pipe.read()
    assert len(text) > 1 << 16  # more than a pipe holds
    assert len(json.loads(text)["exercises"]) > 100
    assert run.returncode == 0


@pytest.mark.parametrize("output_format", ["text", "json", "jsonl", "junit", "github"])
def test_grade_reports_an_unwritable_output(here: Path, files: list[str], output_format: str) -> None:
    command = [sys.executable, "-m", "autodrill", "grade", "mul_backward", "wrong.py", "--output-format", output_format]
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False, cwd=here)
    assert done.returncode == 2
    assert "error: the output cannot be written: No space left on device" in done.stderr
    assert "Traceback" not in done.stderr


def test_grade_passes_where_standard_error_cannot_be_written(here: Path, files: list[str]) -> None:
    command = [sys.executable, "-m", "autodrill", "grade", "mul_backward", "right.py"]
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=full, text=True, check=False, cwd=here)
    assert "PASS" in done.stdout
    assert done.returncode == 0


def test_grade_continues_after_an_unreadable_file(run: Run, here: Path, files: list[str]) -> None:
    (here / "link.py").symlink_to("right.py")
    done = run("grade", "mul_backward", "link.py", "right.py")
    assert [line.split()[1] for line in done.stdout.splitlines()] == ["ERROR", "PASS"]
    assert "symbolic link" in done.stdout


def test_grade_of_a_missing_file_is_a_usage_error(run: Run, files: list[str]) -> None:
    done = run("grade", "mul_backward", "right.py", "absent.py")
    assert done.returncode == 2
    assert "there is no file `absent.py`" in done.stderr


def test_doctor_json_lists_every_layer(run: Run) -> None:
    done = run("doctor", "--output-format", "json")
    document = json.loads(done.stdout)
    assert set(document["layers"]) == set(map(str, Layer))
    assert document["sealed"] is (done.returncode == 0)
    required = [document["layers"][name]["holds"] for name in ("rlimits", "privileges", "seccomp")]
    assert document["sealed"] is all(required)


def test_doctor_names_libraries_editor_and_terminal(run: Run) -> None:
    said = run("doctor", EDITOR="nano -w", LC_ALL="C", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0").stdout
    assert re.search(r"^libraries PyTorch (\d\S+|not installed), JAX (\d\S+|not installed)$", said, re.MULTILINE)
    assert "editor    nano -w\n" in said
    assert "terminal  80 columns, only ASCII signs" in said
    assert "editor    none; to let `open`" in run("doctor").stdout
    assert json.loads(run("doctor", "--output-format", "json").stdout)["editor"] is None


def test_doctor_fits_80_columns_and_writes_no_file(run: Run, here: Path) -> None:
    done = run("doctor")
    assert all(str(layer) in done.stdout for layer in Layer)
    assert max(map(len, done.stdout.splitlines()[:9])) <= 80
    assert list(here.iterdir()) == []
