"""The command line as a shell sees it: help, names, exit codes, streams, and the modules that are not loaded."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from autodrill.cli.app import COMMANDS
from autodrill.cli.options import Exit

if TYPE_CHECKING:
    from tests.conftest import Pack, Run

RIGHT = """
def mul_backward(self, other, out):
    self.grad += other.data * out.grad
    other.grad += self.data * out.grad
"""
WRONG = RIGHT.replace("+=", "=")

LOADED = """
import json, sys
from autodrill.cli.app import main
try:
    main()
except SystemExit as end:
    code = end.code
heavy = {"numpy", "rich", "cupy", "torch", "fsrs", "pydantic", "markdown_it", "pygments", "sqlite3"}
print(json.dumps([int(code), sorted(name for name in heavy if sys.modules.get(name))]), file=sys.stderr)
"""


@pytest.fixture
def answer(here: Path) -> Path:
    """The folder commands run in, with a right answer in it."""
    (here / "mul_backward.py").write_text(RIGHT, encoding="utf-8")
    return here


@pytest.fixture
def history() -> Path:
    from autodrill.folders import history_file

    return history_file(os.environ)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_with_an_example(run: Run, command: str) -> None:
    done = run(command, "--help")
    assert (done.returncode, done.stderr) == (0, "")
    assert f"autodrill {command}" in done.stdout.split("Example", 1)[1]
    assert "--output-format" in done.stdout


def test_help_lists_all_commands_and_exit_codes(run: Run) -> None:
    done = run("--help")
    assert done.returncode == 0
    assert all(f"  {command} " in done.stdout for command in COMMANDS)
    codes = re.search(r"  Exit codes:\n((?:    .+\n)+)", done.stdout)
    assert codes is not None
    assert [int(line.split()[0]) for line in codes[1].splitlines()] == list(Exit)
    assert "..." not in done.stdout.split("Commands:")[1], "a summary is cut: make its first sentence shorter"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["chek"], "no command named `chek`\n\nhint: did you mean `check`?"),
        (["zzz"], "no command named `zzz`\n\nhint: `autodrill --help` lists the commands"),
        (["show", "mul_bakward"], "no exercise named `mul_bakward`\n\nhint: did you mean `mul_backward`"),
        (["show", "mul"], "hint: several exercises begin with `mul`: `mul_backward`, `mul_broadcast_backward`"),
        (["list", "--track", "scalr"], "no track named `scalr`\n\nhint: did you mean `scalar`?"),
        (["show"], "Missing argument 'NAME'.\n\nhint: `autodrill show --help` shows the arguments and options"),
        (["list", "--bogus"], "No such option: --bogus"),
        (["check", "mul_backward", "--seed", "x"], "'--seed': 'x' is not a valid int range."),
        (["list", "--output-format", "xml"], "'xml' is not one of 'text', 'json'"),
        (["check", "mul_backward"], "you have no file for `mul_backward` yet"),
        (["check", "mul_backward", "--file", "none.py"], "there is no file `none.py`"),
        (["check", "mul_backward", "--pdb", "--file", os.devnull], "there is no file"),
        (["reset", "mul_backward"], "hint: `autodrill open mul_backward` writes the stub"),
        (["solution", "mul_backward"], "you have not passed `mul_backward` yet"),
        (["verify", "--pack", "."], "`.` is not a pack: it has no folder `exercises`"),
    ],
)
def test_usage_errors_go_to_stderr_with_a_hint_and_code_2(run: Run, words: list[str], said: str) -> None:
    done = run(*words)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error: ")
    assert said in done.stderr


def test_check_pdb_needs_a_case(run: Run, answer: Path) -> None:
    done = run("check", "mul_backward", "--pdb")
    assert done.returncode == 2
    assert "`--pdb` needs the case to step through\n\nhint: copy the replay line of a report" in done.stderr


def test_check_draws_the_tape_of_a_wrong_answer(run: Run, here: Path) -> None:
    wrong = "def label_graph(x, y):\n    return {'x': x + y, 'y': x, 'a': x, 'b': 1.0}\n"
    (here / "label_graph.py").write_text(wrong, encoding="utf-8")
    done = run("check", "label_graph", "--draw", "--seed", "1")
    lines = [line.strip() for line in done.stdout.splitlines()]
    assert "v2 = v1 + a  gradient 3" in lines
    found = json.loads(run("check", "label_graph", "--draw", "--seed", "1", "--output-format", "json").stdout)
    assert [step["name"] for step in found["failure"]["tape"]] == ["b", "a", "x", "y", "v1", "v2", "v3", "v4"]
    assert run("check", "label_graph", "--seed", "1").stdout in done.stdout
    printing = "def topological_sort(root):\n    print('here')\n    return []\n"
    (here / "topological_sort.py").write_text(printing, encoding="utf-8")
    said = run("check", "topological_sort", "--draw").stderr
    assert "there is no tape to draw: the task has no formula" in said
    assert "your code printed" in said


def test_check_exit_codes_follow_the_verdict(run: Run, answer: Path, pack: Pack) -> None:
    assert run("check", "mul_backward").returncode == 0
    (answer / "mul_backward.py").write_text(WRONG, encoding="utf-8")
    assert run("check", "mul_backward").returncode == 1
    assert run("check", "mul_backward", "--case", "999").returncode == 2
    pack.add(solution=("return x * x * x", "return undefined"))
    (answer / "cube_backward.py").write_text("def cube_backward(g, x):\n    return g\n", encoding="utf-8")
    at_fault = run("check", "cube_backward", AUTODRILL_PACKS=str(pack.root))
    assert at_fault.returncode == 3
    assert "autodrill or the exercise is at fault, not you" in at_fault.stdout


def test_internal_error_is_code_3_with_a_traceback(run: Run) -> None:
    done = run("list", "--output-format", "json", COLUMNS="80", AUTODRILL_PACKS="\udcff/pack")
    assert done.returncode == 2  # a name no file system has is no fault of ours
    driver = "import autodrill.cli.list_command as b; b.list_.__globals__['_write_json'] = None\n" + LOADED
    broken = subprocess.run(
        [sys.executable, "-c", driver, "list", "--output-format", "json"], capture_output=True, text=True, check=False
    )
    assert json.loads(broken.stderr.splitlines()[-1])[0] == 3
    assert json.loads(broken.stdout)["error"]["kind"] == "InternalError"
    assert "Traceback" in broken.stderr
    assert "please report it" in broken.stderr


def test_exit_inside_a_command_is_code_3() -> None:
    driver = "import autodrill.cli.list_command as b; b.list_.__globals__['_write_json'] = lambda *_: exit(0)\n"
    done = subprocess.run(
        [sys.executable, "-c", driver + LOADED, "list", "--output-format", "json"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert json.loads(done.stderr.splitlines()[-1])[0] == 3
    assert json.loads(done.stdout)["error"]["message"] == "SystemExit: 0"


@pytest.mark.parametrize(
    "words",
    [
        ["list"],
        ["list", "--track", "scalar", "--todo"],
        ["show", "mul_backward"],
        ["open", "mul_backward", "--here"],
        ["check", "mul_backward"],
        ["hint", "mul_backward"],
        ["solution", "mul_backward", "--give-up"],
        ["next"],
        ["quiz", "--limit", "1"],
    ],
)
def test_json_output_is_one_document_of_schema_1(run: Run, answer: Path, words: list[str]) -> None:
    done = run(*words, "--output-format", "json")
    document = json.loads(done.stdout)
    assert (document["schema"], done.returncode) == (1, 0)
    assert document["command"] == words[0]
    assert run(*words, AUTODRILL_OUTPUT_FORMAT="json").stdout.startswith('{\n  "schema": 1,')


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        (["check", "zzz"], "UnknownNameError"),
        (["zzz"], "UnknownNameError"),
        (["check", "mul_backward"], "FileError"),
        (["check"], "FileError"),
        (["show"], "UsageError"),
        (["solution", "mul_backward"], "UsageError"),
    ],
)
def test_json_output_covers_failures(run: Run, words: list[str], kind: str) -> None:
    done = run(*words, "--output-format", "json")
    document = json.loads(done.stdout)
    assert (document["schema"], document["error"]["kind"], done.returncode) == (1, kind, 2)
    assert document["error"]["message"] in done.stderr


def test_json_output_lists_every_problem_of_a_pack(run: Run, pack: Pack) -> None:
    path = pack.add(exercise=("minutes = 3", "minutes = 0\n# hard = 1"))
    done = run("list", "--output-format", "json", AUTODRILL_PACKS=str(pack.root))
    problems = json.loads(done.stdout)["error"]["problems"]
    assert done.returncode == 2
    assert {p.split(": ")[0] for p in problems} == {f"{path}:5", f"{path}:6"}


def test_check_json_has_the_report_of_a_wrong_answer(run: Run, answer: Path) -> None:
    (answer / "mul_backward.py").write_text(f"print('on stdout')\n{WRONG}", encoding="utf-8")
    done = run("check", "mul_backward", "--seed", "3", "--output-format", "json")
    document = json.loads(done.stdout)
    assert done.returncode == 1
    assert (document["verdict"], document["seed"], document["failure"]["rule"]["key"]) == ("fail", 3, "assign")


@pytest.mark.parametrize(
    "words",
    [
        ["list"],
        ["list", "--output-format", "json"],
        ["--version"],
        ["chek"],
        ["list", "--help"],
        ["show", "mul_backward", "--output-format", "json"],
        ["open", "mul_backward", "--here"],
        ["stats"],
        ["stats", "--topic", "graph"],
    ],
)
def test_fast_commands_load_no_heavy_module(tmp_path: Path, words: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-c", LOADED, *words], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    _, loaded = json.loads(done.stderr.splitlines()[-1])
    assert loaded == []


def test_completion_loads_no_heavy_module(tmp_path: Path) -> None:
    environment = {
        **os.environ,
        "_AUTODRILL_COMPLETE": "complete_bash",
        "COMP_WORDS": "autodrill show mul_",
        "COMP_CWORD": "2",
    }
    done = subprocess.run(
        [sys.executable, "-c", LOADED], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert done.stdout.split() == ["mul_backward", "mul_broadcast_backward"]
    _, loaded = json.loads(done.stderr.splitlines()[-1])
    assert loaded == []


def test_package_import_loads_one_module() -> None:
    script = "import sys; import autodrill; print(len([m for m in sys.modules if m.startswith('autodrill')]))"
    assert subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout == "1\n"


def test_installed_script_equals_the_module(run: Run, tmp_path: Path) -> None:
    from pathlib import Path

    script = Path(sys.executable).with_name("autodrill")
    if not script.exists():
        pytest.skip("the package is not installed")
    for words in (["--version"], ["list"], ["zzz"], ["check", "--help"]):
        installed = subprocess.run([script, *words], capture_output=True, encoding="utf-8", cwd=tmp_path, check=False)
        module = run(*words)
        assert (installed.stdout, installed.stderr, installed.returncode) == (
            (module.stdout, module.stderr, module.returncode)
        )


def test_error_without_arguments_is_reported(run: Run, history: Path) -> None:
    history.mkdir(parents=True)
    done = run()
    assert done.returncode == 2
    assert done.stderr.startswith("error: the history ")
    assert "Traceback" not in done.stderr


def test_home_screen_shows_progress_and_the_next_command(run: Run, history: Path) -> None:
    done = run()
    assert done.returncode == 0
    assert re.search(r"exercises +0 of \d+ passed\n +questions +0 of \d+ seen\n\n +next +add_backward ", done.stdout)
    assert done.stderr == "next: autodrill watch add_backward\nall commands: autodrill --help\n"
    assert not history.exists()


def test_closed_pipe_is_not_an_error() -> None:
    command = f"{sys.executable} -m autodrill list 2>&1 | head -1; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=True)
    lines = done.stdout.splitlines()
    assert len(lines) == 2
    assert lines[1] == "0"
    assert done.stderr == ""


HOSTILE = "open('it_was_run', 'w').close()\nraise SystemExit(0)\n"
OF_THE_INTERPRETER = {"collections", "contextlib", "functools", "importlib", "keyword", "operator", "reprlib", "types"}
"""What `python -m` imports from the working folder before it looks for autodrill; also `warnings`."""


@pytest.mark.parametrize("words", [["list"], ["check", "mul_backward"], ["grade", "mul_backward", "mul_backward.py"]])
def test_module_imports_nothing_of_the_working_folder(answer: Path, words: list[str]) -> None:
    names = sys.stdlib_module_names - OF_THE_INTERPRETER - {"warnings"} | {"numpy", "typer", "rich", "fsrs", "click"}
    for name in names:
        (answer / f"{name}.py").write_text(HOSTILE, encoding="utf-8")
    command = [sys.executable, "-m", "autodrill", *words]
    done = subprocess.run(command, cwd=answer, capture_output=True, text=True, check=False)
    assert (done.returncode, "mul_backward" in done.stdout) == (0, True)
    assert not (answer / "it_was_run").exists()


def test_interrupt_is_code_130_without_a_traceback(answer: Path) -> None:
    slow = "import time\n" + RIGHT.replace(":\n", ":\n    time.sleep(0.6)\n", 1)  # in each of more than 30 cases
    (answer / "mul_backward.py").write_text(slow, encoding="utf-8")
    running = subprocess.Popen(
        [sys.executable, "-m", "autodrill", "check", "mul_backward"],
        cwd=answer,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    children = Path(f"/proc/{running.pid}/task/{running.pid}/children")
    while not children.read_text(encoding="ascii"):  # until the process of the answer is started
        assert running.poll() is None
        time.sleep(0.01)
    os.killpg(running.pid, signal.SIGINT)
    out, err = running.communicate(timeout=30)
    assert (running.returncode, out, err) == (130, "", "")
