"""docs/guard.md, made from the guard itself."""

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Final

from planmode.core.guard import Ground
from planmode.core.permission import PermissionMode
from planmode.core.situations import Row, table

USUAL: Final = Ground(auto_exit=True, sandbox=True)
BARE: Final = Ground(auto_exit=True, sandbox=False)
HEAD: Final = """\
# What the guard answers

This page is made by `manage.py guard_table` from the guard itself; `make test` compares the two. \
Each tool call is judged right before it runs, on the state as it then is. This is the table \
without [permission rules](permission-rules.md), on a host with a sandbox, in a project that \
allows `auto`. `manage.py judge` answers for one call, with the reason.

- **run**: it runs. **sandbox**: it runs where it can change nothing.
- **ask**: a person has to allow it, as a card in the queue; while planning the yes does not lift \
the sandbox.
- **deny**: the agent is told why, and what to do instead.
- **review**: the plan goes to its reviewers. **auto-approve**: it is approved, and marked as \
reviewed by no person.

Where auto is off (`AUTO_MODE`), or its breaker is open, it counts as `manual`; with \
`AUTO_WHILE_PLANNING=pause` it does so while planning. A child agent (`explore`, `plan`) may read, \
and run commands that are surely read-only where its profile has Bash; whatever else it calls is \
refused, in every mode.

`manage.py judge` reads one call a line and answers each with decision, reason and layer; nothing \
runs. Beside `tool` a line may have `args`, `preset` (`kimi`), `permission_mode` (`manual`), \
`plan` (whether plan mode is on: true), `profile` (`agent`), `rules` (a session's own, none), \
`workspace` (the folder that it is called in) and `plan_file` (none). `--project NAME` adds that \
project's rules.

It opens no file and asks no outside server: a path that no tool reaches is refused by its text \
(layer `paths`), and an outside tool is taken as there, and as trusted with nothing.

```sh
echo '{"tool": "Bash", "args": {"command": "git push"}}' | .venv/bin/python manage.py judge
```
"""


def page() -> str:
    """Return the page as Markdown."""
    parts = [HEAD, *_presets(table(USUAL)), _without_sandbox()]
    return "\n".join(parts)


def _presets(rows: Iterable[Row]) -> Iterator[str]:
    """Yield one table for each preset and phase; presets with the same answers share it."""
    answers: dict[tuple[Row, ...], list[str]] = {}
    for (preset, planning), group in groupby(rows, key=lambda row: (row.preset, row.planning)):
        bare = tuple(Row("", planning, row.what, row.answers) for row in group)
        answers.setdefault(bare, []).append(preset)
    for planning in (True, False):
        for shared, presets in answers.items():
            if shared[0].planning is planning:
                names = ", ".join(f"`{name}`" for name in presets)
                phase = "While planning" if planning else "Otherwise"
                yield f"## {phase}: {names}\n\n{_grid(shared)}"


def _without_sandbox() -> str:
    rows = [row for row in table(BARE) if row.what.startswith("Bash")]
    hard = [row for row in rows if row.preset == "kimi"]
    parts = [
        f"{'While planning' if planning else 'Otherwise'}, for the presets whose plan mode is "
        f"enforced:\n\n{_grid([row for row in hard if row.planning is planning])}"
        for planning in (True, False)
    ]
    return "\n".join(["## Bash on a host without a sandbox\n", *parts])


def _grid(rows: Iterable[Row]) -> str:
    modes = " | ".join(f"`{mode}`" for mode in PermissionMode)
    lines = [f"| call | {modes} |", "|" + "---|" * (len(PermissionMode) + 1)]
    lines += [f"| {row.what} | {' | '.join(row.answers)} |" for row in rows]
    return "\n".join(lines) + "\n"
