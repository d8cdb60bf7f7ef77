"""manage.py, before Django can say anything itself."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def test_without_the_packages_it_says_which_python_has_them() -> None:
    # -I and -S: a Python of the system, which has nothing installed
    ended = subprocess.run(
        [sys.executable, "-I", "-S", "manage.py", "demo"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert ended.returncode == 2
    assert "no django: run .venv/bin/python manage.py" in ended.stderr
    assert "make demo" in ended.stderr
    assert "Traceback" not in ended.stderr
