"""What permission rules see of a call, and hide from searches."""

from typing import Any

import pytest

from planmode.agent.catalog import TOOLS, parse
from planmode.core.rules import Level, Rules, parse_rules
from planmode.core.wire import canonical
from tests.planmode.agent.tools.conftest import Ground


@pytest.mark.parametrize(
    ("name", "args", "targets"),
    [
        ("Read", {"path": "./src//a.py"}, ("src/a.py",)),
        ("Write", {"path": "src/a.py", "content": ""}, ("src/a.py",)),
        ("Edit", {"path": "a.py", "old_string": "a", "new_string": "b"}, ("a.py",)),
        ("Grep", {"pattern": "x"}, (".",)),
        ("Glob", {"pattern": "*", "path": "src"}, ("src",)),
        ("Read", {"path": "/etc/passwd"}, ("/etc/passwd",)),
    ],
)
def test_a_rule_sees_paths_as_they_lead(
    ground: Ground, name: str, args: dict[str, Any], targets: tuple[str, ...]
) -> None:
    tool = TOOLS[name]
    facts = tool.facts(parse(tool, canonical(args).decode()), ground.context)
    assert facts.targets == targets
    assert facts.understood


def test_the_plan_file_is_named_by_its_whole_path(ground: Ground) -> None:
    tool = TOOLS["Write"]
    args = {"path": str(ground.plan), "content": "# Plan"}
    facts = tool.facts(parse(tool, canonical(args).decode()), ground.context)
    assert facts.targets == (str(ground.plan),)


def test_a_rule_sees_each_command_of_a_line(ground: Ground) -> None:
    tool = TOOLS["Bash"]
    line = {"command": "cd src && timeout 5 git push origin main; ls"}
    facts = tool.facts(parse(tool, canonical(line).decode()), ground.context)
    assert {"cd src", "git push origin main", "ls"} <= set(facts.targets)


def test_what_may_not_be_read_no_search_shows(ground: Ground) -> None:
    """A rule that keeps files from Read would be worth little if Grep printed them."""
    for path in ("secrets/key.txt", "notes.txt"):
        (ground.work / path).parent.mkdir(exist_ok=True)
        (ground.work / path).write_text("token\n")
    assert "secrets/key.txt" in ground.text("Grep", pattern="token")
    assert "secrets/key.txt" in ground.text("Glob", pattern="**/*.txt")
    rules = Rules(parse_rules(["deny Read(secrets/**)"], Level.INSTALLATION))
    hidden = ground.changed(rules=rules)
    assert hidden.text("Grep", pattern="token") == "notes.txt:1:token"
    assert hidden.text("Glob", pattern="**/*.txt") == "notes.txt"
