"""What a script means, and what is wrong with a broken one."""

import json
import os
import re
import time
from collections import Counter
from pathlib import Path
from typing import Final

import pytest

from planmode.agent.contracts import ModelFailureError, ModelReply, ModelRequest
from planmode.agent.scripted import MAX_SCRIPT_BYTES, ScriptedModel, open_script
from planmode.core.calls import ToolCall
from planmode.core.events import Origin
from planmode.core.outcomes import Outcome
from planmode.core.profiles import MAIN
from planmode.core.view import AssistantMessage, ToolMessage, UserMessage

DOC: Final = Path(__file__).parents[3] / "docs" / "scripted-model.md"
PLAN_FILE: Final = "/data/plans/quiet-red-fox.md"


def script(folder: Path, text: str) -> ScriptedModel:
    path = folder / "demo.yaml"
    path.write_text(text, encoding="utf-8")
    return open_script(path)


def ask(
    model: ScriptedModel,
    *used: str,
    outcome: Outcome | None = None,
    failures: int = 0,
    profile: str = MAIN,
) -> ModelReply:
    return model.ask(
        ModelRequest(
            system="",
            messages=(),
            tools=(),
            marks=Counter(used),
            failures=failures,
            last_outcome=outcome,
            plan_file=PLAN_FILE,
            profile=profile,
        )
    )


def test_agents_of_a_profile_have_replies_of_their_own(tmp_path: Path) -> None:
    text = "replies: [{text: main}]\nagents: {explore: [{text: one}, {text: two}]}"
    model = script(tmp_path, text)
    assert ask(model).text == "main"
    assert ask(model, profile="explore").text == "one"
    assert ask(model, "0", profile="explore").text == "two"
    with pytest.raises(ModelFailureError, match="for an agent of the profile plan "):
        ask(model, profile="plan")


def failure(model: ScriptedModel, *used: str, failures: int = 0) -> ModelFailureError:
    with pytest.raises(ModelFailureError) as caught:
        ask(model, *used, failures=failures)
    return caught.value


BRANCHES: Final = """
replies:
  - text: first
  - {text: revised, after: revise, repeat: 2}
  - {text: over, after: [rejected, dismissed]}
  - text: last
"""


@pytest.mark.parametrize(
    ("used", "outcome", "text", "mark"),
    [
        pytest.param((), None, "first", "0", id="the first"),
        pytest.param((), Outcome.REVISE, "first", "0", id="no after, so any outcome"),
        pytest.param(("0",), None, "last", "3", id="after without a review is passed over"),
        pytest.param(("0",), Outcome.REVISE, "revised", "1", id="the outcome is there"),
        pytest.param(("0", "1"), Outcome.REVISE, "revised", "1", id="repeated"),
        pytest.param(("0", "1", "1"), Outcome.REVISE, "last", "3", id="used up"),
        pytest.param(("0", "1"), Outcome.DISMISSED, "over", "2", id="one of a list"),
        pytest.param(("0", "1"), Outcome.APPROVED, "last", "3", id="none of a list"),
    ],
)
def test_the_first_unused_reply_that_fits_is_given(
    tmp_path: Path, used: tuple[str, ...], outcome: Outcome | None, text: str, mark: str
) -> None:
    reply = ask(script(tmp_path, BRANCHES), *used, outcome=outcome)
    assert (reply.text, reply.mark, reply.model) == (text, mark, "scripted:demo.yaml")


@pytest.mark.parametrize("outcome", Outcome)
def test_every_outcome_can_be_waited_for(tmp_path: Path, outcome: Outcome) -> None:
    model = script(tmp_path, f"replies: [{{after: {outcome}, text: seen}}, {{text: other}}]")
    assert ask(model, outcome=outcome).text == "seen"
    assert ask(model).text == "other"


def test_a_script_that_is_used_up_says_so(tmp_path: Path) -> None:
    error = failure(script(tmp_path, "replies: [{text: only}]"), "0")
    assert error.kind == "script_exhausted"
    assert not error.worth_retrying
    assert "scripted:demo.yaml" in str(error)


def test_plan_file_is_put_into_every_string_of_the_arguments(tmp_path: Path) -> None:
    model = script(
        tmp_path,
        """
        replies:
          - tool_calls:
              - name: Edit
                args:
                  path: ${plan_file}
                  deep: [{text: "see ${plan_file}, ${plan_file}"}, 1, 2.5, true, null]
                  other: ${HOME} ${plan_files}
              - name: ExitPlanMode
        """,
    )
    write, leave = ask(model).calls
    assert json.loads(write.args) == {
        "path": PLAN_FILE,
        "deep": [{"text": f"see {PLAN_FILE}, {PLAN_FILE}"}, 1, 2.5, True, None],
        "other": "${HOME} ${plan_files}",
    }
    assert leave == ToolCall("call-0-0-1", "ExitPlanMode", "{}")


def test_call_ids_are_unique_in_the_session(tmp_path: Path) -> None:
    reply = "{repeat: 2, tool_calls: [{name: A}, {name: B}]}"
    model = script(tmp_path, f"replies: [{reply}, {reply}]")
    uses = [(), ("0",), ("0", "0"), ("0", "0", "1")]
    ids = [call.id for used in uses for call in ask(model, *used).calls]
    assert len(ids) == len(set(ids)) == 8
    assert ids[2] == "call-0-1-0"


def test_the_first_attempts_fail_as_written(tmp_path: Path) -> None:
    model = script(tmp_path, "replies: [{text: ok, fail: {kind: timeout, times: 2}}]")
    assert [failure(model, failures=count).kind for count in (0, 1)] == ["timeout", "timeout"]
    assert ask(model, failures=2).text == "ok"


def test_a_slow_reply_takes_its_time(tmp_path: Path) -> None:
    model = script(tmp_path, "replies: [{text: slow, latency_ms: 30}]")
    begun = time.monotonic()
    ask(model)
    assert time.monotonic() - begun >= 0.03


def test_tokens_are_a_quarter_of_the_characters(tmp_path: Path) -> None:
    model = script(tmp_path, "replies: [{text: '12345', tool_calls: [{name: A, args: {b: 1}}]}]")
    reply = model.ask(
        ModelRequest(
            system="1234",
            messages=(
                UserMessage("12345678", Origin.USER, 1),
                AssistantMessage("1234", (ToolCall("a", "Read", '{"a": 1}'),), 2),
                ToolMessage("a", "Read", "1", is_error=False, seq=3),
            ),
            tools=(),
        )
    )
    assert reply.input_tokens == 7  # 4 + 8 + 4 + 8 + 1 characters
    assert reply.output_tokens == 4  # 5 + 8


def test_text_that_no_database_holds_is_replaced(tmp_path: Path) -> None:
    said = r'text: "a\0b", tool_calls: [{name: A, args: {b: "c\ud800"}}]'
    reply = ask(script(tmp_path, f"replies: [{{{said}}}]"))
    assert reply.text == "a\ufffdb"
    assert json.loads(reply.calls[0].args)["b"].startswith("c\ufffd")


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        pytest.param("", "top level: expected keys with values", id="empty"),
        pytest.param("- text: a", "top level: expected keys with values", id="a list"),
        pytest.param("replies: []", "replies: ", id="no reply"),
        pytest.param("agents: {}", "replies: missing", id="replies missing"),
        pytest.param("replies: [{text: a}]\nname: x", "name: unknown key", id="top-level key"),
        pytest.param("replies: [{}, {txt: a}]", "reply 1, txt: unknown key", id="unknown key"),
        pytest.param("replies: [{text: 5}]", "reply 0, text: ", id="not a string"),
        pytest.param("replies: [{repeat: true}]", "reply 0, repeat: ", id="strict"),
        pytest.param("replies: [{repeat: 0}]", "reply 0, repeat: ", id="repeat 0"),
        pytest.param("replies: [{after: never}]", "reply 0, after: not among", id="outcome"),
        pytest.param("replies: [{after: []}]", "reply 0, after: give one", id="no outcome"),
        pytest.param("replies: [{latency_ms: 60001}]", "reply 0, latency_ms: ", id="slow"),
        pytest.param("replies: [{fail: {kind: odd}}]", "reply 0, fail.kind: ", id="kind"),
        pytest.param(
            "replies: [{tool_calls: [{name: A, args: {day: 2024-01-01}}]}]",
            "reply 0, tool_calls.0.args: JSON has no such value",
            id="a date",
        ),
        pytest.param(
            "replies: [{tool_calls: [{name: A, args: {day: .nan}}]}]",
            "reply 0, tool_calls.0.args: JSON has no such value",
            id="not a number",
        ),
        pytest.param(
            "replies: [{}]\nagents: {explore: [{}, {txt: a}]}",
            "agent explore, reply 1, txt: unknown key",
            id="a child agent's",
        ),
        pytest.param(
            "replies: [{}]\nagents: {coder: [{}]}",
            "agents: name profiles: explore, plan",
            id="coder",
        ),
        pytest.param("replies:\n  - text: [", "line 2: ", id="not YAML"),
        pytest.param("a: &a [1]\nreplies: *a", "line 2: aliases are not allowed", id="alias"),
        pytest.param("replies: [{text: 2024-13-01}]", "a date or number that is none", id="odd"),
        pytest.param("replies: " + 3000 * "[", "nested too deeply", id="deep"),
        pytest.param("replies: \a", "characters that YAML does not allow", id="bell"),
        pytest.param("replies: [" + 9 * "{a: b}, " + "]", "and 4 more", id="many mistakes"),
        pytest.param("#" * (MAX_SCRIPT_BYTES + 1), "larger than 1048576 bytes", id="large"),
    ],
)
def test_a_broken_script_says_what_is_wrong_and_where(
    tmp_path: Path, text: str, complaint: str
) -> None:
    with pytest.raises(ModelFailureError, match=re.escape(complaint)) as caught:
        script(tmp_path, text)
    assert caught.value.kind == "script_invalid"
    assert "demo.yaml" in str(caught.value)


def test_a_path_without_a_readable_file_is_an_invalid_script(tmp_path: Path) -> None:
    (tmp_path / "latin").write_bytes(b"\xff\xfe")
    os.mkfifo(tmp_path / "pipe")
    for name, complaint in {
        "none": "No such file",
        ".": "not a file",
        "pipe": "not a file",
        "latin": "not UTF-8",
    }.items():
        with pytest.raises(ModelFailureError, match=complaint) as caught:
            open_script(tmp_path / name)
        assert caught.value.kind == "script_invalid"


def test_a_complaint_does_not_quote_the_files_values(tmp_path: Path) -> None:
    for text in ("password: hunter2", "hunter2", "replies: [{text: [hunter2]}]", "a: 'hunter2"):
        with pytest.raises(ModelFailureError) as caught:
            script(tmp_path, text)
        assert "hunter2" not in str(caught.value)


def test_a_changed_script_counts_at_once(tmp_path: Path) -> None:
    assert ask(script(tmp_path, "replies: [{text: old}]")).text == "old"
    assert ask(script(tmp_path, "replies: [{text: newer}]")).text == "newer"


def test_the_documented_example_plays(tmp_path: Path) -> None:
    example = re.search(r"```yaml\n(.*?)```", DOC.read_text(encoding="utf-8"), re.DOTALL)
    assert example is not None
    model = script(tmp_path, example[1])
    assert [call.name for call in ask(model, "0").calls] == ["Write", "ExitPlanMode"]
    assert ask(model, "0", "1", outcome=Outcome.REVISE).mark == "2"
    assert ask(model, "0", "1", "2", outcome=Outcome.APPROVED, failures=2).text == "Done."
    assert ask(model, "0", "1", outcome=Outcome.DISMISSED).text == "I stop here."
