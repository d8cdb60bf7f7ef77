"""manage.py judge: what the guard would answer, line by line."""

import io
import json
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

import pytest
from django.core.management import CommandError, call_command

from planmode.access.models import Project

ROOT: Final = Path(__file__).parents[3]


def judge(*questions: object, project: str | None = None) -> list[dict[str, str]]:
    out = io.StringIO()
    lines = "".join(f"{json.dumps(question)}\n" for question in questions)
    call_command("judge", stdin=io.StringIO(lines), stdout=out, project=project)
    return [json.loads(line) for line in out.getvalue().splitlines()]


def one(tool: str, **question: Any) -> dict[str, str]:  # noqa: ANN401 - JSON values
    return judge({"tool": tool, **question})[0]


def test_a_write_is_judged_by_where_it_leads(tmp_path: Path) -> None:
    """Also complaints:K-42: the reason says what to do instead."""
    plan = tmp_path / "plans" / "bold-otter.md"
    asked = {"workspace": str(tmp_path), "plan_file": str(plan)}
    other = one("Write", args={"path": "a.py", "content": "x"}, **asked)
    assert (other["decision"], other["layer"]) == ("deny", "plan_mode")
    assert str(plan) in other["reason"]
    assert "ExitPlanMode" in other["reason"]
    own = one("Write", args={"path": str(plan), "content": "x"}, **asked)
    assert own == {"decision": "allow", "reason": "it runs", "layer": "plan_mode"}


@pytest.mark.parametrize(
    ("question", "decision", "layer"),
    [
        ({"tool": "Read", "args": {"path": "a"}}, "allow", "plan_mode"),
        ({"tool": "Read"}, "deny", "arguments"),
        ({"tool": "Read", "args": {"path": "../../x"}}, "deny", "paths"),
        ({"tool": "Grep", "args": {"path": "/etc", "pattern": "x"}}, "deny", "paths"),
        ({"tool": "Glob", "args": {"pattern": "*"}}, "allow", "plan_mode"),
        ({"tool": "Read", "args": {"path": "/etc/passwd"}, "rules": ["deny Read"]},
         "deny", "rules"),
        ({"tool": "Read", "workspace": "docs", "args": {"path": "api.md"}}, "allow", "plan_mode"),
        ({"tool": "Teleport"}, "deny", "arguments"),
        ({"tool": "mcp__db__drop"}, "deny", "plan_mode"),
        ({"tool": "mcp__db__drop", "plan": "off"}, "ask", "permission_mode"),
        ({"tool": "ExitPlanMode"}, "review", "plan_mode"),
        ({"tool": "ExitPlanMode", "preset": "dsh"}, "deny", "arguments"),
        ({"tool": "ExitPlanMode", "preset": "dsh", "args": {"plan": "# A"}}, "review", "plan_mode"),
        ({"tool": "ExitPlanMode", "plan": False}, "deny", "plan_mode"),
        ({"tool": "TodoList", "args": {"items": []}, "plan": "active"}, "allow", "plan_mode"),
        ({"tool": "Write", "profile": "explore", "args": {"path": "a", "content": ""}},
         "deny", "profile"),
        ({"tool": "Write", "plan": "off", "permission_mode": "yolo", "rules": ["deny Write"],
          "args": {"path": "a", "content": ""}}, "deny", "rules"),
        ({"tool": "Bash", "plan": "off", "permission_mode": "yolo", "rules": ["ask Bash"],
          "args": {"command": "make"}}, "ask", "rules"),
    ],
)  # fmt: skip
def test_each_layer_can_be_the_one_that_decides(
    question: dict[str, Any], decision: str, layer: str
) -> None:
    answer = judge(question)[0]
    assert (answer["decision"], answer["layer"]) == (decision, layer)
    assert answer["reason"]


def test_a_path_that_the_tool_would_refuse_is_not_allowed(tmp_path: Path) -> None:
    """The reason is the tool's own; other plans of the session stay within reach."""
    folder = tmp_path / "session" / "agents" / "main" / "plans"
    asked = {"workspace": str(tmp_path / "work"), "plan_file": str(folder / "bold-otter.md")}
    answer = one("Read", args={"path": "/etc/passwd"}, **asked)
    assert answer["decision"] == "deny"
    assert "'/etc/passwd' lies outside" in answer["reason"]
    assert one("Read", args={"path": str(folder / "old-fox.md")}, **asked)["decision"] == "allow"
    assert one("Read", args={"path": str(tmp_path / "session/log")}, **asked)["layer"] == "paths"
    assert one("Write", args={"path": asked["plan_file"], "content": ""}, **asked) == {
        "decision": "allow", "reason": "it runs", "layer": "plan_mode",
    }  # fmt: skip


@pytest.mark.parametrize("plan", ["PLAN.md", "plans/PLAN.md"])
def test_beside_a_plan_file_in_the_workspace_everything_can_be_read(
    plan: str, tmp_path: Path
) -> None:
    asked = {"workspace": str(tmp_path), "plan_file": plan}
    for path in (plan, "a.py", "plans/b.md"):
        assert one("Read", args={"path": path}, **asked)["decision"] == "allow"
    assert one("Write", args={"path": plan, "content": "x"}, **asked)["decision"] == "allow"
    assert one("Write", args={"path": "a.py", "content": "x"}, **asked)["decision"] == "deny"


@pytest.mark.parametrize("plan", ["on", "off"])
def test_of_an_outside_tool_the_reason_says_that_nobody_asked_its_server(plan: str) -> None:
    assert "asks no outside server" in one("mcp__db__drop", plan=plan)["reason"]


def test_a_rule_s_refusal_names_no_level_that_it_may_not_come_from() -> None:
    answer = one("Read", args={"path": "a"}, rules=["deny Read"])
    assert answer["reason"].startswith("A permission rule refuses this call of Read.")


@pytest.mark.django_db
def test_the_rules_of_a_project_count_where_it_is_named(project: Project) -> None:
    Project.objects.filter(pk=project.pk).update(rules="deny Read(secrets/**)")
    question = {"tool": "Read", "args": {"path": "secrets/key"}}
    assert judge(question)[0]["decision"] == "allow"
    assert judge(question, project=project.name)[0]["layer"] == "rules"
    with pytest.raises(CommandError, match="no project 'nope'"):
        judge(question, project="nope")


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("x", "the line: Invalid JSON"),
        ("{}", "tool: Field required"),
        ('{"tool": "Read", "color": 1}', "color: Extra inputs"),
        ('{"tool": "Read", "plan": "perhaps"}', "plan"),
        ('{"tool": "Read", "preset": "nope"}', "there is no preset or profile 'nope'"),
        (
            '{"tool": "TodoList", "args": {"items": []}, "profile": "nope"}',
            "there is no preset or profile 'nope'",
        ),
        ('{"tool": "mcp__a__b", "rules": ["perhaps Read"]}', "permission rules: line 1"),
    ],
)
def test_a_line_that_is_no_question_has_an_error_and_the_next_ones_answers(
    line: str, reason: str
) -> None:
    out = io.StringIO()
    good = json.dumps({"tool": "Glob", "args": {"pattern": "*"}})
    with pytest.raises(CommandError):
        call_command("judge", stdin=io.StringIO(f"{line}\n\n{good}\n"), stdout=out)
    first, second = map(json.loads, out.getvalue().splitlines())
    assert first["error"].startswith(reason)
    assert second["decision"] == "allow"


@pytest.mark.process
def test_each_line_is_answered_before_the_next_one_is_asked() -> None:
    command = [sys.executable, "manage.py", "judge"]
    with subprocess.Popen(  # noqa: S603 - our own program
        command, cwd=ROOT, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as running:
        assert running.stdin is not None
        assert running.stdout is not None
        for mode, decision in (("manual", "ask"), ("yolo", "allow")):
            question = {"tool": "Bash", "args": {"command": "make"}, "plan": "off"}
            print(json.dumps({**question, "permission_mode": mode}), file=running.stdin, flush=True)
            assert json.loads(running.stdout.readline())["decision"] == decision
        running.stdin.close()
        assert running.wait(timeout=30) == 0
