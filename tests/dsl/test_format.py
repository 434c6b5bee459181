"""The canonical form, and the command that writes it."""

import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from isocost.__main__ import main
from isocost.dsl.format import format_text, lay_out, same_meaning
from isocost.dsl.parser import parse

Golden = Callable[[str, str | bytes], None]
ROOT = Path(__file__).resolve().parents[2]
INPUTS = sorted((ROOT / "tests" / "golden" / "format").glob("*.scn"))
SHIPPED = sorted((ROOT / "scenarios").rglob("*.scn"))


def formatted(text: str) -> str:
    out = format_text(text, "f.scn")
    assert isinstance(out, str)
    return out


@pytest.mark.parametrize("path", INPUTS, ids=lambda path: path.stem)
def test_goldens(path: Path, golden: Golden) -> None:
    out = formatted(path.read_text(encoding="utf-8"))
    assert formatted(out) == out
    golden(f"format/{path.stem}.out", out)


def test_the_example_of_the_specification_is_canonical() -> None:
    text = (ROOT / "tests/golden/format/trainium2.scn").read_text(encoding="utf-8")
    assert formatted(text) == text


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_the_layout_keeps_what_shipped_files_say(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    out = lay_out(text)
    assert same_meaning(parse(text, "f"), parse(out, "f"))
    assert lay_out(out) == out


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("x=1", "x = 1"),
        ("x   :=  a+b", "x := a + b"),
        ("x := -a", "x := -a"),
        ("x := - a", "x := -a"),
        ("x := a - -b", "x := a - -b"),
        ("x := a--b", "x := a - -b"),
        ("x := + -a", "x := + -a"),
        ("x := (-a)", "x := (-a)"),
        ("x := f( - a,-b )", "x := f(-a, -b)"),
        ("x := a*-b", "x := a * -b"),
        ("x := 2^-1", "x := 2 ^ -1"),
        ("x := a<-b", "x := a < -b"),
        ("x := if(a<b)then -1 else(2)", "x := if (a < b) then -1 else (2)"),
        ("x := not(a)and not b", "x := not (a) and not b"),
        ("x = {1 , 2}", "x = {1, 2}"),
        ("x = [ 1,2, ]", "x = [1, 2,]"),
        ("x = torus( x=4 )", "x = torus(x = 4)"),
        ("x = 5 W±10%", "x = 5 W ± 10%"),
        ("x = 5 W +-10%", "x = 5 W +- 10%"),
        ('x = 5 W@a"b"@c', 'x = 5 W @a "b" @c'),
        ("x := a   in   GB/s", "x := a in GB/s"),
        ("x[ a ,b ] = 1", "x[a, b] = 1"),
        ("x = 5 W /chip", "x = 5 W / chip"),
        ("x = 5 W#note", "x = 5 W  #note"),
        ("x = 45%   to 65%", "x = 45% to 65%"),
        ("x = 2025-03-01", "x = 2025-03-01"),
        ('x = "a  b"', 'x = "a  b"'),
        ("let   x:=a", "let x := a"),
        ("///   words  ", "/// words"),
    ],
)
def test_spaces(before: str, after: str) -> None:
    if before.startswith("///"):
        before, after = f"{before}\nx = 1", f"{after}\n  x = 1"
    assert formatted(f"chip a {{\n{before}\n}}\n") == f"chip a {{\n  {after}\n}}\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", ""),
        ("\n\n", ""),
        ("# c", "# c\n"),
        ("\n\nedition 2026", "edition 2026\n"),
        (
            "edition 2026\n\n\n\n# c\n\n\nunit seat",
            "edition 2026\n\n# c\n\nunit seat\n",
        ),
        ("chip a{x=1}", "chip a {\n  x = 1\n}\n"),
        ("chip a{}", "chip a {\n}\n"),
        ("chip a {\n\n\n  x = 1\n\n\n}\n", "chip a {\n  x = 1\n}\n"),
        ("chip a { # c\n  x = 1 # d\n}  # e", "chip a {  # c\n  x = 1  # d\n}  # e\n"),
        ("chip a {\n x = 1\n# c\n\n# d\n}", "chip a {\n  x = 1\n  # c\n\n  # d\n}\n"),
        ("    edition 2026", "edition 2026\n"),
        ('check(a)<b at 90%"x"', 'check (a) < b at 90% "x"\n'),
        ('chip  b  "t"  extends  a{\n}', 'chip b "t" extends a {\n}\n'),
        ("let x := a +\n\n\n  # c\n b", "let x := a +\n  # c\n  b\n"),
        ("let x := f(\na,\n\nb)", "let x := f(\n  a,\n  b)\n"),
        ("let x := f(\na\n)", "let x := f(\n  a\n)\n"),
        ("/// a\n\n\n/// b\n\nunit c", "/// a\n/// b\nunit c\n"),
    ],
)
def test_lines(before: str, after: str) -> None:
    assert formatted(before) == after


def test_line_ends_stay_as_they_are() -> None:
    assert formatted("edition  2026\r\nunit  a\r\n") == "edition 2026\r\nunit a\r\n"


def test_a_text_that_cannot_be_read_gives_its_diagnostics() -> None:
    found = format_text("chip a {\n  x 1\n}\n", "f.scn")
    assert isinstance(found, list)
    assert [d.code for d in found] == ["S002"]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "a.scn"
    path.write_text("chip a{x=1}\n", encoding="utf-8")
    return path


def test_the_command_writes(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    os.chmod(file, 0o640)
    assert main(["fmt", str(file)]) == 0
    assert file.read_text(encoding="utf-8") == "chip a {\n  x = 1\n}\n"
    assert stat.S_IMODE(file.stat().st_mode) == 0o640
    assert [p.name for p in file.parent.iterdir()] == ["a.scn"]
    assert capsys.readouterr().err == "1 file formatted\n"
    assert main(["fmt", str(file)]) == 0
    assert capsys.readouterr().err == "1 file left unchanged\n"


def test_a_link_stays_a_link(file: Path) -> None:
    link = file.with_name("link.scn")
    link.symlink_to(file.name)
    assert main(["fmt", str(link)]) == 0
    assert link.is_symlink()
    assert file.read_text(encoding="utf-8").startswith("chip a {")


def test_check_changes_nothing(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fmt", "--check", str(file)]) == 1
    assert capsys.readouterr().out == f"{file} would change\n"
    assert file.read_text(encoding="utf-8") == "chip a{x=1}\n"
    main(["fmt", str(file)])
    capsys.readouterr()
    assert main(["fmt", "--check", str(file)]) == 0
    assert capsys.readouterr().out == ""


def test_diff_shows_the_change(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fmt", "--diff", str(file)]) == 1
    out = capsys.readouterr().out
    assert "-chip a{x=1}\n+chip a {\n+  x = 1\n+}\n" in out
    assert file.read_text(encoding="utf-8") == "chip a{x=1}\n"


def test_a_faulty_file_is_left_alone(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bad = file.with_name("bad.scn")
    bad.write_text("chip a {\n  x   1\n}\n", encoding="utf-8")
    assert main(["fmt", str(bad), str(file)]) == 1
    assert bad.read_text(encoding="utf-8") == "chip a {\n  x   1\n}\n"
    assert file.read_text(encoding="utf-8").startswith("chip a {")
    err = capsys.readouterr().err
    assert "error[S002]" in err
    assert f"{bad} is left as it is" in err


@pytest.mark.parametrize("content", [None, b"\xff\xfe"])
def test_what_cannot_be_opened(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], content: bytes | None
) -> None:
    path = tmp_path / "a.scn"
    if content is not None:
        path.write_bytes(content)
    assert main(["fmt", str(path), str(tmp_path)]) == 1
    err = capsys.readouterr().err
    assert str(path) in err
    assert "folder" in err
