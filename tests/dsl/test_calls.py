"""A topology is checked where it is called: its name, its parameters, their bounds."""

import pytest

from isocost.dsl.check import check_file
from isocost.dsl.table import topologies_of
from isocost.engine.quantities import table
from isocost.engine.topology.registry import bounds, parameters

TEXT = """edition 2026
system base {{
  chips = 16 chip @assumed "a"
}}
system mine extends base {{
  topology = {call} @assumed "a"
}}
scenario one {{
  system = base
  system.topology = {call} @assumed "a"
}}
"""


@pytest.mark.parametrize(
    ("call", "code", "marked", "help_"),
    [
        ("tourus(x = 4)", "N013", "tourus", "did you mean"),
        ("moebius", "N013", "moebius", ""),
        ("torus(x = 4, q = 4)", "N014", "q", ""),
        ("torus(x = 4, yy = 4)", "N014", "yy", "did you mean"),
        ("torus(x = 0, y = 4)", "V001", "0", ""),
        ("torus(x = -4)", "V001", "-4", ""),
        ("torus(x = {4, 2})", "V003", "{4, 2}", ""),
        ("torus(x = 2 to 4)", "V003", "2 to 4", ""),
        ('torus(x = "4")', "V003", '"4"', ""),
        ("torus(x = auto)", "V003", "auto", ""),
        ("torus(x = no.such)", "V003", "no.such", ""),
        ("torus(x = 4, wrap_x = true)", "V003", "true", ""),
        ("torus(x = 4 chip)", "V003", "4 chip", ""),
        ("torus(x = 400 %)", "V003", "400 %", ""),
        ("torus(4)", "V003", "4", ""),
        ("torus(x = 4, x = 8)", "V003", "8", ""),
        ("torus(x = 7 / 2)", "V003", "7 / 2", ""),
        ("torus(x = 2 - 2)", "V001", "2 - 2", ""),
        ("torus(x = 2 / 0)", "V003", "2 / 0", ""),
        ("torus(x = 4.0000000000001)", "V003", "4.0000000000001", ""),
        ("torus(x = 4, wrap_x = 2)", "V001", "2", ""),
        ("fat_tree(radix = 64, oversubscription = 1e5)", "V001", "1e5", ""),
        ("fat_tree(radix = 64.5)", "V003", "64.5", ""),
    ],
)
def test_what_is_wrong_is_marked_in_blocks_and_in_overrides(
    call: str, code: str, marked: str, help_: str
) -> None:
    text = TEXT.format(call=call)
    found = [
        d
        for d in check_file("f.scn", table(), text).diagnostics
        if d.severity == "error"
    ]
    assert [(d.code, text[d.span.start : d.span.end]) for d in found] == [
        (code, marked)
    ] * 2
    if help_:
        assert all(d.args["near"] for d in found)
    name = call.partition("(")[0]
    for one in found:
        beside = [text[la.span.start : la.span.end] for la in one.labels[1:]]
        assert beside == ([] if code == "N013" else [name])


@pytest.mark.parametrize("kind", sorted(topologies_of(table())))
def test_the_checker_knows_the_bounds_of_the_engine(kind: str) -> None:
    known = {one.name: one for one in topologies_of(table())[kind]}
    assert list(known) == list(parameters(kind))
    for name, limits in bounds(kind).items():
        one = known[name]
        assert (one.least, one.most, one.whole) == (
            limits.least,
            limits.most,
            limits.whole,
        )
        for value in (limits.least, limits.most):
            text = TEXT.format(call=f"{kind}({name} = {value:g})")
            found = check_file("f.scn", table(), text).diagnostics
            assert [d for d in found if d.severity == "error"] == []


@pytest.mark.parametrize(
    "call", ["torus(x = 2 * (1 + 1), y = 2 ^ 2)", "fat_tree(oversubscription = 300 %)"]
)
def test_arithmetic_of_numbers_is_an_argument(call: str) -> None:
    found = check_file("f.scn", table(), TEXT.format(call=call)).diagnostics
    assert [d for d in found if d.severity == "error"] == []
