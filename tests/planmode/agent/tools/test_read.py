"""Read: numbered lines, bounded."""

from tests.planmode.agent.tools.conftest import Ground


def test_lines_are_numbered(ground: Ground) -> None:
    (ground.work / "a.py").write_bytes(b"one\r\n\ttwo\n\nfour")
    text = ground.text("Read", path="a.py")
    assert text == "     1\tone\n     2\t\ttwo\n     3\t\n     4\tfour"


def test_only_line_feeds_end_a_line(ground: Ground) -> None:
    (ground.work / "a.txt").write_text("a\x0cb\u2028c\n")
    assert ground.text("Read", path="a.txt") == "     1\ta\x0cb\u2028c"


def test_a_part_says_where_it_stands(ground: Ground) -> None:
    (ground.work / "a.txt").write_text("".join(f"line {n}\n" for n in range(1, 11)))
    text = ground.text("Read", path="a.txt", offset=4, limit=2)
    assert text == "     4\tline 4\n     5\tline 5\n(lines 4 to 5 of 10)"
    assert ground.text("Read", path="a.txt", offset=10) == "    10\tline 10"
    assert "no line 11" in ground.error("Read", path="a.txt", offset=11)


def test_a_long_file_is_given_in_parts(ground: Ground) -> None:
    (ground.work / "a.txt").write_text("x\n" * 2500)
    lines = ground.text("Read", path="a.txt").splitlines()
    assert len(lines) == 2001
    assert lines[-1] == "(lines 1 to 2000 of 2500)"


def test_long_lines_do_not_fill_the_view(ground: Ground) -> None:
    (ground.work / "a.txt").write_text(f"{'x' * 3000}\n" * 300)
    lines = ground.text("Read", path="a.txt").splitlines()
    assert lines[0].endswith("x (line cut)")
    assert lines[-1] == "(lines 1 to 99 of 300)"
    assert sum(map(len, lines)) < 210_000


def test_an_empty_file_says_so(ground: Ground) -> None:
    (ground.work / "a.txt").write_text("")
    assert ground.text("Read", path="a.txt") == "a.txt is empty."


def test_what_is_no_text_is_refused(ground: Ground) -> None:
    (ground.work / "a.bin").write_bytes(b"\x7fELF\0\0")
    (ground.work / "big.txt").write_bytes(b"x" * (1024 * 1024 + 1))
    assert "binary" in ground.error("Read", path="a.bin")
    assert "larger than 1048576 bytes" in ground.error("Read", path="big.txt")
    assert "does not exist" in ground.error("Read", path="none.txt")
    assert "folder" in ground.error("Read", path=".")


def test_another_encoding_can_be_read(ground: Ground) -> None:
    (ground.work / "a.txt").write_bytes("naïve".encode("latin-1"))
    assert ground.text("Read", path="a.txt") == "     1\tna\ufffdve"


def test_plans_of_the_session_can_be_read_and_nothing_else(ground: Ground) -> None:
    ground.plan.parent.mkdir(parents=True)
    ground.plan.write_text("# Plan")
    (ground.plan.parent / "old.md").write_text("# Old")
    (ground.work / "link").symlink_to("/etc/passwd")
    assert ground.text("Read", path=str(ground.plan)) == "     1\t# Plan"
    assert ground.text("Read", path=str(ground.plan.parent / "old.md")) == "     1\t# Old"
    for path in ("link", "/etc/passwd", "/proc/self/environ", "../s1/agents", "a/.."):
        assert "root:" not in ground.error("Read", path=path)
