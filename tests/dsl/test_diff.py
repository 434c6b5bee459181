"""What counts as a change, of which aspect, and which scenarios it reaches."""

from pathlib import Path

import pytest

from isocost.dsl.changes import Change
from isocost.dsl.diff import diff
from isocost.dsl.document import Document
from isocost.dsl.ledger import content
from isocost.dsl.load import load
from isocost.dsl.patch import apply, patched
from isocost.dsl.resolve import resolve

BASE = Path(__file__).parent.parent / "golden" / "review" / "base.scn"
TEXT = BASE.read_text(encoding="utf-8")


def document(text: str) -> Document:
    return resolve(load("/nowhere/base.scn", text))


def changes(*edits: tuple[str, str]) -> tuple[Change, ...]:
    """The changes that some edits of the base file make, applied to be sure."""
    text = TEXT
    for old, new in edits:
        assert old in text
        text = text.replace(old, new)
    a, b = document(TEXT), document(text)
    found = diff(a, b)
    assert content(apply(found, a)) == content(b)
    return found.changes


def aspects(*edits: tuple[str, str]) -> list[tuple[str, str]]:
    return [(change.path, change.aspect) for change in changes(*edits)]


@pytest.mark.parametrize(
    ("old", "new", "aspect"),
    [
        ("power = 500 W", "power = 600 W", "input"),
        ("power = 500 W", "power = 0.5 kW", "format"),
        ("power = 500 W", "power = 500.0 W", "format"),
        ("power = 500 W", "power = 500 W/chip", "format"),
        ("power = 500 W", "power = 500 W ± 10%", "uncertainty"),
        ("power = 500 W", "power := 500 W", "formula"),
        ('power = 500 W @letter "page 2"', 'power = 500 W @letter "p. 2"', "source"),
        ('power = 500 W @letter "page 2"', "power = 500 W", "source"),
        ("power = 6 kW ± 5%", "power = 6 kW ± 300 W", "format"),
        ("power = 6 kW ± 5%", "power = 6 kW ± 7%", "uncertainty"),
        ("power = 6 kW ± 5%", "power = 6 kW", "uncertainty"),
        ("power = 6 kW ± 5%", "power = 7 kW ± 5%", "input"),
        ("pue = 1.2", "pue = 1.20", "format"),
        ("sold = 60% to 80%", "sold = 0.60 to 0.80", "format"),
        ("price = 20_000 $", "price = 20k $", "format"),
        ("price = 20_000 $", "/// What it sells for.\n  price = 20_000 $", "doc"),
        ("torus(x = 2, y = 2, z = 2)", "torus(x = 4, y = 2)", "structure"),
        ("system = crate", "system = box", "structure"),
        ("chips = 8 chip", "chips = 8 GPU", "format"),
        ("0.08 $/kWh to 0.10 $/kWh", "8e-5 $/Wh to 1e-4 $/Wh", "format"),
    ],
)  # fmt: skip
def test_aspects_of_one_line(old: str, new: str, aspect: str) -> None:
    assert [found for _, found in aspects((old, new))] == [aspect]


def test_a_value_its_doubt_and_its_source_are_told_apart() -> None:
    edit = ('price = 20_000 $ @letter "page 3"', "price = 15_000 $ ± 20% @rumour")
    assert aspects(edit) == [
        ("part.price", "input"),
        ("part.price", "uncertainty"),
        ("part.price", "source"),
    ]


def test_a_change_carries_texts_and_unit() -> None:
    (change,) = changes(("pue = 1.2 ", "pue = 1.3 "))
    assert (change.path, change.old, change.new) == ("hall.pue", "1.2", "1.3")
    (change,) = changes(("power = 500 W", "power = 0.6 kW"))
    assert (change.old, change.new, change.unit) == ("500 W", "0.6 kW", "kW")


def test_comments_and_layout_are_no_change() -> None:
    assert changes(("chip part {", "# a comment\n\nchip part {   # here\n")) == ()


def test_order_is_a_change_of_its_own() -> None:
    facts = [line for line in TEXT.splitlines() if line.startswith("  pue")]
    moved = TEXT.replace(facts[0] + "\n", "").replace(
        "site hall {\n", f"site hall {{\n{facts[0]}\n"
    )
    a, b = document(TEXT), document(moved)
    found = diff(a, b)
    assert [(c.path, c.aspect) for c in found.changes] == [("hall", "order")]
    assert content(apply(found, a)) == content(b)


def test_a_removed_fact_has_no_new_text() -> None:
    (change,) = changes(('  power = 500 W @letter "page 2"\n', ""))
    assert (change.aspect, change.old, change.new) == ("input", "500 W", None)


def test_a_renamed_block_is_one_change_and_its_users_mere_spelling() -> None:
    edits = (("system box {", "system shelf {"), ("extends box", "extends shelf"),
             ("system = box", "system = shelf"))  # fmt: skip
    found = changes(*edits)
    assert [(c.path, c.aspect) for c in found] == [
        ("shelf", "structure"),
        ("crate", "format"),
        ("small.system", "format"),
    ]
    assert (found[0].old, found[0].new) == ("system box", "system shelf")


def test_a_renamed_block_may_change_a_little() -> None:
    edits = (
        ("system box {", "system shelf {"),
        ("extends box", "extends shelf"),
        ("system = box", "system = shelf"),
        ("6 kW ± 5%", "7 kW ± 5%"),
    )
    assert ("shelf.power", "input") in aspects(*edits)
    assert ("shelf", "structure") in aspects(*edits)


def test_unlike_blocks_are_not_renamed() -> None:
    start = TEXT.index("site hall {")
    end = TEXT.index("finance own {")
    other = (
        "site yard {\n  electricity = 0.05 $/kWh @letter\n  pue = 1.1 @letter\n}\n\n"
    )
    a, b = document(TEXT), document(TEXT[:start] + other + TEXT[end:])
    found = diff(a, b)
    assert not found.renamed
    assert {c.path for c in found.changes} == {"hall", "yard"}
    assert content(apply(found, a)) == content(b)


def test_a_change_reaches_through_bases_and_roles() -> None:
    (change,) = changes(("pue = 1.2 ", "pue = 1.3 "))
    assert change.reaches == ("small", "large")
    (change,) = changes(("power = 11 kW", "power = 12 kW"))
    assert change.reaches == ("large",)
    (change,) = changes(("torus(x = 2, y = 2, z = 2)", "torus(x = 8)"))
    assert change.reaches == ("small", "large")
    (change,) = changes(("power = 6 kW ± 5%", "power = 7 kW ± 5%"))
    assert change.reaches == ("small",)


def test_what_a_scenario_overrides_does_not_reach_it() -> None:
    own = '  system = crate\n  site.pue = 1.1 @assumed "outside air"\n'
    text = TEXT.replace("  system = crate\n", own)
    a = document(text)
    b = document(text.replace("pue = 1.2 ", "pue = 1.3 "))
    (change,) = diff(a, b).changes
    assert change.reaches == ("small",)


def test_a_line_of_an_import_reaches_each_scenario(tmp_path: Path) -> None:
    (tmp_path / "isocost.toml").touch()
    lib = tmp_path / "lib.scn"
    lib.write_text("edition 2026\n\nsite hall {\n  pue = 1.2 @assumed\n}\n")
    main = tmp_path / "main.scn"
    main.write_text(
        'edition 2026\nimport "lib.scn"\n'
        "scenario a {\n  site = hall\n}\n\nscenario b extends a {\n}\n"
    )
    old = resolve(load(str(main)))
    lib.write_text("edition 2026\n\nsite hall {\n  pue = 1.3 @assumed\n}\n")
    (change,) = diff(old, resolve(load(str(main)))).changes
    assert (change.path, change.aspect) == ("hall.pue", "input")
    assert change.reaches == ("a", "b")


def test_lists_of_roles_are_compared_as_they_are_written() -> None:
    listed = TEXT.replace("  finance = own\n", "  finance = [own, rent]\n")
    found = diff(document(TEXT), document(listed)).changes
    assert [(c.path, c.aspect) for c in found] == [("small.finance", "structure")]
    assert found[0].new == "[own, rent]"


def test_checks_are_matched_by_what_they_are_for() -> None:
    first = 'check large.cost.capex < 90M $ "new"\ncheck small.cost'
    found = changes(("check small.cost", first))
    assert [(c.path, c.aspect) for c in found] == [("check 1", "structure")]
    found = changes(("< 1 $/chip-h", "< 2 $/chip-h"))
    assert [(c.path, c.aspect) for c in found] == [("check 1", "formula")]
    found = changes(('"the plan needs this"', '"the plan wants this"'))
    assert [(c.path, c.aspect) for c in found] == [("check 1", "doc")]


def test_part_of_a_diff_may_be_applied() -> None:
    text = TEXT.replace("pue = 1.2 ", "pue = 1.3 ").replace("= 500 W", "= 600 W")
    a = document(TEXT)
    found = diff(a, document(text)).changes
    half = patched([c for c in found if c.path == "hall.pue"], a)
    left = diff(half, document(text)).changes
    assert [c.path for c in left] == ["part.power"]


def test_what_the_catalogue_states_is_compared_as_well() -> None:
    old = document('edition 2026\nimport "isocost:sites/us"\n')
    new = document("edition 2026\n")
    found = diff(old, new).changes
    assert ('import "isocost:sites/us"', "structure") in [
        (c.path, c.aspect) for c in found
    ]  # fmt: skip


def test_long_documents_are_compared_in_linear_time() -> None:
    """Ten thousand renamed blocks: no pair is looked at twice."""
    blocks = "".join(
        f"chip a{i} {{\n  power = {i} W @assumed\n  sram = {i} MB @assumed\n}}\n"
        for i in range(3000)
    )
    old, new = document(blocks), document(blocks.replace("chip a", "chip b"))
    assert len(diff(old, new).renamed) == 3000
