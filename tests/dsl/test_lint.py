"""Lints: where they fire and where not, how a line silences them, their fixes."""

from pathlib import Path

import pytest

from isocost.__main__ import main
from isocost.dsl.check import Checked, check_file
from isocost.dsl.fixes import apply, safe_fixes
from isocost.dsl.migrate import migrate
from isocost.dsl.places import Text
from isocost.engine.quantities import table

HEAD = "edition 2026\n"


def checked(text: str) -> Checked:
    return check_file("f.scn", table(), HEAD + text)


def found(text: str) -> list[tuple[str, int]]:
    places = Text(HEAD + text)
    return [(d.code, places.place(d.span).line - 1) for d in checked(text).diagnostics]


def fixed(text: str) -> str:
    whole = HEAD + text
    fixes = safe_fixes(checked(text).diagnostics, "f.scn", whole)
    return apply(whole, fixes).removeprefix(HEAD)


USED = "scenario z {\n  site = s\n}\n"
SITE = 'site s {\n  pue = 1.1 @assumed "a"\n}\n'


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ('let a = 5 W @assumed "x"\n', []),
        ('let a = 5 W @assumed "x"\ncheck 1 < 2\n', [("L002", 1)]),
        ('let a = 5 W @assumed "x"\nlet b := 2 * a\ncheck 1 < 2\n', []),
        (SITE, []),
        (SITE + USED, []),
        (SITE + SITE.replace(" s ", " t ") + USED, [("L004", 4)]),
        (SITE.replace(" s ", " t ") + "site s extends t {\n}\n" + USED, []),
        (SITE + "site t extends s {\n  pue = 1.1\n}\n", [("L001", 5), ("L005", 5)]),
        (SITE + 'site t extends s {\n  pue = 1.1 @assumed "a"\n}\n', [("L005", 5)]),
        (SITE + 'site t extends s {\n  pue = 1.1 @assumed "b"\n}\n', []),
        (SITE + USED[:-2] + "  site.pue = 1.1\n}\n", [("L005", 6)]),
        ('site s {\n  pue = 1.1 to 1.1 @assumed "a"\n}\n', [("L006", 2)]),
        ('site s {\n  pue = 1.1 ± 0 @assumed "a"\n}\n', [("L006", 2)]),
        ("let a := 10% + 1\n", [("L007", 1)]),
        ("let a := 10% + 5%\n", []),
        ('chip c {\n  memory.capacity = 128 GB @assumed "a"\n}\n', [("L008", 2)]),
        ('chip c {\n  memory.capacity = 80 GB @assumed "a"\n}\n', []),
        ('chip c {\n  memory.capacity = 128 GiB @assumed "a"\n}\n', []),
    ],
)
def test_lints(text: str, codes: list[tuple[str, int]]) -> None:
    assert found(text) == codes


def test_a_restated_interval_is_another_draw() -> None:
    text = SITE.replace("1.1", "1.1 to 1.2")
    assert found(text + text.replace("site s", "site t extends s")) == []


def test_nothing_is_linted_beside_an_error() -> None:
    assert found("let a := 10% + 1\nlet b := 1 W + 1 s\n") == [("U005", 2)]


PLAIN = "let a := 10% + 1{}\nlet b := a{}\n"


@pytest.mark.parametrize(
    ("comment", "codes"),
    [
        ('  # allow L007 "ten points on top"', []),
        ('  # allow L001, L007 "ten points on top"', []),
        ("  # allow L007", [("L007", 1), ("L011", 1)]),
        ('  # allow L007 " "', [("L007", 1), ("L011", 1)]),
        ('  # allow L006 "why"', [("L007", 1), ("L012", 1)]),
        ("  # allowed by the board", [("L007", 1)]),
    ],
)
def test_a_line_silences_a_warning(comment: str, codes: list[tuple[str, int]]) -> None:
    assert found(PLAIN.format(comment, "")) == codes


def test_a_silence_holds_for_its_line_only() -> None:
    text = PLAIN.format("", '  # allow L007 "x"')
    assert found(text) == [("L007", 1), ("L012", 2)]


def test_errors_cannot_be_silenced() -> None:
    assert found('let a := 1 W + 1 s  # allow U005 "x"\n')[0] == ("U005", 1)


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("let a = 1.1 to 1.1\n", "let a = 1.1\n"),
        ("let a = 1 to 2 us\n", "let a = 1 us to 2 us\n"),
        ("let a = 2 * 3 W\n", "let a := 2 * 3 W\n"),
        (
            SITE + 'site t extends s {\n  pue = 1.1 @assumed "a"\n}\n',
            SITE + "site t extends s {\n}\n",
        ),
        (
            SITE + 'site t extends s {\n  pue = 1.1 @assumed "a"  # why\n}\n',
            SITE + 'site t extends s {\n  pue = 1.1 @assumed "a"  # why\n}\n',
        ),
        (
            'chip c {\n  memory.capacity = 128 GB @assumed "a"\n}\n',
            'chip c {\n  memory.capacity = 128 GB @assumed "a"\n}\n',
        ),
    ],
)
def test_safe_fixes(text: str, after: str) -> None:
    assert fixed(text) == after
    assert fixed(after) == after


def test_fixes_of_the_command(tmp_path: Path) -> None:
    path = tmp_path / "a.scn"
    text = "edition 2026\r\n\r\nlet a = 2 * 3 W\r\nlet b = 1 W to 1 W  # why\r\n"
    path.write_bytes(text.encode())
    assert main(["check", "--fix", str(path)]) == 0
    mended = text.replace("a =", "a :=").replace(" to 1 W", "")
    assert path.read_bytes() == mended.encode()


def test_pins_of_the_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "a.scn"
    path.write_text('edition 2026\nimport "isocost:chips/aws"\n')
    toml = tmp_path / "isocost.toml"
    assert main(["check", "--pin", str(path)]) == 0
    pins = toml.read_text()
    assert '"chips/aws" = "' in pins
    assert "edition = 2026" in pins
    assert main(["check", "--pin", str(path)]) == 0
    assert toml.read_text() == pins
    toml.write_text(pins.replace('"chips/aws" = "', '"chips/aws" = "0') + "# kept\n")
    capsys.readouterr()
    assert main(["check", str(path)]) == 0
    assert "R012" in capsys.readouterr().out


def test_editions(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    late = "edition 2030\nchp x {\n  y 1\n"
    assert [d.code for d in check_file("f.scn", table(), late).diagnostics] == ["R006"]
    path = tmp_path / "a.scn"
    path.write_text("let a = 1\n")
    assert main(["migrate", "--check", str(path)]) == 1
    assert main(["migrate", str(path)]) == 0
    assert path.read_text() == "edition 2026\nlet a = 1\n"
    assert main(["migrate", str(path)]) == 0
    path.write_text(late)
    assert main(["migrate", str(path)]) == 1
    assert "needs edition 2030" in capsys.readouterr().err


def test_steps_between_editions() -> None:
    steps = {2026: lambda text: text.replace("old", "new")}
    out = migrate("edition 2026\nlet old = 1\n", steps=steps, first=2026, last=2027)
    assert out == "edition 2027\nlet new = 1\n"
    again = migrate(out, steps=steps, first=2026, last=2027)
    assert again == out
