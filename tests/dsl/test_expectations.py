"""Where an expectation comes from stands beside the mistake, in every rendering."""

import pytest

from isocost.dsl.check import check_file
from isocost.dsl.render import Form, render
from isocost.dsl.schema import KINDS
from isocost.engine.choices import OPTIONS
from isocost.engine.quantities import table

FORMS: tuple[Form, ...] = ("text", "json", "github", "sarif")

RESTATED = """edition 2026
chip base {{
  power = 500 W @assumed "a"
  let extra = 3 W @assumed "a"
  let total := power + extra in W
}}
chip mine extends base {{
  let extra = {extra} @assumed "b"
{more}}}
"""


@pytest.mark.parametrize(
    ("extra", "more", "codes"),
    [
        ("5 W", "", []),
        ("30 $", "", ["U004"]),
        # Nothing that is inherited rests on it any more.
        ("30 $", "  let total := power in W\n", []),
    ],
)
def test_a_let_that_inherited_formulas_rest_on_keeps_its_dimension(
    extra: str, more: str, codes: list[str]
) -> None:
    text = RESTATED.format(extra=extra, more=more)
    found = check_file("f.scn", table(), text).diagnostics
    errors = [d for d in found if d.severity == "error"]
    assert [d.code for d in errors] == codes
    for one in errors:
        beside = one.labels[1]
        assert text[beside.span.start : beside.span.end] == "extra"
        assert beside.text == "power in `base`"


OVERRIDDEN = """edition 2026
chip a {{
  power = 500 W @assumed "a"
}}
system s {{
  chip = a
  chips = 16 chip @assumed "a"
  power = 12 kW @assumed "a"
}}
site home {{
  pue = 1.1 @assumed "a"
}}
scenario one {{
  system = s
  site = home
  {line} @assumed "b"
}}
"""


@pytest.mark.parametrize(
    ("line", "code", "named", "words"),
    [
        ("site.pue = 0.9", "V001", "site.pue", "`site.pue`: "),
        ("home.pue = 3 W", "U004", "home.pue", "`site.pue`: "),
        ("chip.power = 1 $", "U004", "chip.power", "`chip.power`, in W: "),
        ("power.average = 3 $", "U004", "power.average", "`power.average`, in kW: "),
        ("size = 3 s", "U004", "size", "`scenario.size`, in chip: "),
        ("systems = 1.5 system", "V003", "systems", "`scenario.systems`, in system: "),
        ("date = 12 W", "V003", "date", "`scenario.date`: "),
        ("workload = 12 W", "V003", "workload", "`scenario.workload`: "),
    ],
)
def test_the_schema_s_words_stand_at_the_name(
    line: str, code: str, named: str, words: str
) -> None:
    text = OVERRIDDEN.format(line=line)
    found = check_file("f.scn", table(), text).diagnostics
    (one,) = [d for d in found if d.severity == "error"]
    assert one.code == code
    beside = one.labels[1]
    assert text[beside.span.start : beside.span.end] == named
    assert beside.text.startswith(words)
    assert len(beside.text) > len(words)
    shapes = {form: render([one], {"f.scn": text}, form) for form in FORMS}
    for form, shown in shapes.items():
        assert words.strip() in shown.replace('\\"', '"'), form


@pytest.mark.parametrize("value", ["auto", "2 * auto", "{1.1, auto}"])
def test_auto_stands_only_where_the_tool_can_choose(value: str) -> None:
    equals = ":=" if "*" in value else "="
    text = f"edition 2026\nsite a {{\n  pue {equals} {value}\n}}\n"
    found = check_file("f.scn", table(), text).diagnostics
    assert [d.code for d in found if d.severity == "error"] == ["V003"]


def test_what_may_be_auto_is_what_the_engine_can_choose() -> None:
    chosen = {
        f"{kind.name}.{a.path}"
        for kind in KINDS.values()
        for a in kind.attributes.values()
        if a.chosen and not a.path.startswith(("prefill.", "decode."))
    }
    assert chosen == set(OPTIONS)


@pytest.mark.parametrize(
    ("line", "role"),
    [
        ("software.collective.efficiency = 30%", "software"),
        ("finance.cost_of_capital = 8%", "finance"),
        ("finance.availability = 90%", "finance"),
        ("workload.batch.micro = 4", "workload"),
        ("model.params.total = 70e9", "model"),
        ("supply.cap[cowos, 2025] = 3 /month", "supply"),
    ],
)
def test_an_override_of_a_role_that_is_not_bound_is_an_error(
    line: str, role: str
) -> None:
    text = OVERRIDDEN.format(line=line)
    found = check_file("f.scn", table(), text).diagnostics
    errors = [(d.code, d.args["name"]) for d in found if d.severity == "error"]
    assert errors == [("R009", role)]


def test_a_network_s_figures_need_no_fabric() -> None:
    text = OVERRIDDEN.format(line="fabric.power = 3 W/chip")
    found = check_file("f.scn", table(), text).diagnostics
    assert [d for d in found if d.severity == "error"] == []


def test_what_a_figure_lacks_is_offered_in_the_attribute_s_own_unit() -> None:
    text = OVERRIDDEN.format(line="let x = 1").replace(
        "  pue = 1.1", '  electricity = 3 $ @assumed "a"\n  pue = 1.1'
    )
    (one,) = [d for d in check_file("f.scn", table(), text).diagnostics if d.help]
    assert one.help == "it is per `kWh`: write `3 $/kWh`"


@pytest.mark.parametrize(
    ("value", "right"),
    [
        ("triangular(1 W, 2 W, 3 W)", True),
        ("triangular(1 W, 1 W, 3 W)", True),
        ("uniform(1 W, 3 W)", True),
        ("one_of(3 W, 1 W, 2 W)", True),
        ("lognormal(1 W, 2 W)", True),
        ("normal(2 W, 1 W)", True),
        ("triangular(3 W, 2 W, 1 W)", False),
        ("triangular(1 W, 5 W, 3 W)", False),
        ("uniform(3 W, 1 W)", False),
        ("uniform(1 W, 1 W)", False),
        ("lognormal(-1 W, 2 W)", False),
        ("lognormal(2 W, 1 W)", False),
        ("normal(2 W, -1 W)", False),
        ("triangular(1 W, other, 3 W)", False),
    ],
)
def test_a_distribution_s_values_are_numbers_that_rise(value: str, right: bool) -> None:
    text = f"edition 2026\nlet other = 2 W\nlet a = {value}\n"
    found = check_file("f.scn", table(), text).diagnostics
    codes = [d.code for d in found if d.severity == "error"]
    assert codes == ([] if right else ["V004"])


def test_a_shorthand_stands_for_its_full_path() -> None:
    for line in ("chip = a", "system.chip = a"):
        text = OVERRIDDEN.format(line=line)
        found = check_file("f.scn", table(), text).diagnostics
        assert [d for d in found if d.severity == "error"] == []
    twice = OVERRIDDEN.format(line="chip = a\n  system.chip = a")
    found = check_file("f.scn", table(), twice).diagnostics
    assert [d.code for d in found if d.severity == "error"] == ["N006"]
