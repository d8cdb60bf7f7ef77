"""The documentation of the policy is complete and true."""

import re
from pathlib import Path
from typing import Final

from planmode.shell.policy import BY_DEFAULT, Permission

_PAGE: Final = Path(__file__).parents[3] / "docs/shell.md"


def test_each_permission_is_explained_with_its_default() -> None:
    rows = re.findall(r"^\| `(\w+)` \| (on|off) \|", _PAGE.read_text("utf-8"), re.MULTILINE)
    assert dict(rows) == {
        permission.value: "on" if permission in BY_DEFAULT else "off" for permission in Permission
    }
