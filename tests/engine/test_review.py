"""Effects of changes: intervals over shared draws, causes that add up, verdicts."""

import math
import re
from pathlib import Path

import pytest

from isocost.dsl.check import Checked, check
from isocost.dsl.load import load
from isocost.dsl.resolve import resolve
from isocost.engine.effects import Effect
from isocost.engine.policies import given, rulings, verdict_lines
from isocost.engine.quantities import table
from isocost.engine.review import Review, empty_like, review
from isocost.engine.sourcing import sourcing

GOLDEN = Path(__file__).parent.parent / "golden" / "review"
TEXT = (GOLDEN / "base.scn").read_text(encoding="utf-8")
HOUR, CAPEX = "cost.per_chip_hour[installed]", "cost.capex"


TOGETHER = """\
correlation market {
  between = [box.price, hall.colocation]
  rank = 0.9 @assumed "dear years are dear all round"
}

"""


def checked(text: str) -> Checked:
    return check(resolve(load("/nowhere/base.scn", text)), table())


def edited(*edits: tuple[str, str]) -> str:
    text = TEXT
    for old, new in edits:
        assert old in text
        text = text.replace(old, new)
    return text


def compare(*edits: tuple[str, str]) -> Review:
    return review(checked(TEXT), checked(edited(*edits)))


def effect(found: Review, scenario: str, metric: str) -> Effect:
    (one,) = (e for e in found.effects if (e.scenario, e.metric) == (scenario, metric))
    return one


def test_nothing_moves_between_a_document_and_itself() -> None:
    found = review(checked(TEXT), checked(TEXT))
    assert not found
    assert {e.verdict for e in found.effects} == {"same"}
    assert (found.turns, found.bounds, found.moved) == ((), (), ())


def test_the_metrics_are_those_that_policies_and_reports_name() -> None:
    found = review(checked(TEXT), checked(TEXT))
    assert {e.metric for e in found.effects} == {HOUR, CAPEX}
    found = review(checked(TEXT), checked(TEXT), metrics=["power.provisioned"])
    assert {e.metric for e in found.effects} == {"power.provisioned"}
    found = review(checked(TEXT), checked(TEXT), scenarios=["large"])
    assert {e.scenario for e in found.effects} == {"large"}


def test_a_dearer_site_moves_what_runs_there_and_nothing_else() -> None:
    found = compare(("0.08 $/kWh to 0.10", "0.12 $/kWh to 0.14"))
    one = effect(found, "small", HOUR)
    assert one.verdict == "changed"
    assert one.delta is not None
    assert 0 < one.delta.low <= one.delta.value <= one.delta.high
    assert effect(found, "small", CAPEX).verdict == "same"


def test_the_interval_of_the_change_is_over_shared_draws() -> None:
    """Far narrower than the difference of two independent intervals would be."""
    one = effect(compare(("pue = 1.2 ", "pue = 1.3 ")), "small", HOUR)
    assert one.old is not None
    assert one.delta is not None
    width = one.delta.high - one.delta.low
    assert width < 0.2 * (one.old.high - one.old.low)


def test_the_shares_add_up_to_the_change() -> None:
    found = compare(
        ("0.08 $/kWh to 0.10", "0.12 $/kWh to 0.14"),
        ("pue = 1.2 ", "pue = 1.4 "),
        ("200_000 $ to 240_000 $", "210_000 $ to 260_000 $"),
        ("  system = crate\n", "  system = box\n"),
    )
    assert any(len(one.shares) > 1 for one in found.effects)
    for one in found.effects:
        if one.delta is not None:
            total = math.fsum(share.effect for share in one.shares)
            assert total == pytest.approx(one.delta.value, rel=1e-12, abs=1e-18)


def test_each_share_names_the_statement_behind_it() -> None:
    found = compare(
        ("pue = 1.2 ", "pue = 1.4 "), ("  system = crate\n", "  system = box\n")
    )
    small, large = effect(found, "small", HOUR), effect(found, "large", HOUR)
    assert [s.path for s in small.shares] == ["hall.pue"]
    assert {s.path for s in large.shares} == {"hall.pue", "large.system"}
    assert all(s.change is not None for s in (*small.shares, *large.shares))


def test_what_differs_by_rounding_alone_is_no_change() -> None:
    """A formula that gives the same number but for its last bit moves nothing."""
    assert 0.4 * 3 != 1.2
    found = compare(("pue = 1.2 ", "pue := 0.4 * 3 "))
    (change,) = found.diff.changes
    assert change.aspect == "formula"
    one = effect(found, "small", HOUR)
    assert (one.verdict, one.shares) == ("same", ())
    assert one.delta is not None
    assert (one.delta.low, one.delta.value, one.delta.high) == (0, 0, 0)
    more = effect(compare(("pue = 1.2 ", "pue := 0.4 * 3.0001 ")), "small", HOUR)
    assert more.verdict == "changed"


def test_a_wider_interval_moves_no_point_but_is_a_change() -> None:
    found = compare(("power = 6 kW ± 5%", "power = 6 kW ± 20%"))
    one = effect(found, "small", HOUR)
    assert one.verdict == "changed"
    assert one.delta is not None
    assert one.delta.value == 0
    assert one.delta.low < 0 < one.delta.high
    assert one.shares == ()


def test_what_goes_together_now_moves_intervals_and_no_draw_of_its_own() -> None:
    """The rank reaches what rests on both inputs: the small hour, not what it costs."""
    text = edited(("policy spending {", f"{TOGETHER}policy spending {{"))
    found = review(checked(TEXT), checked(text))
    hour = effect(found, "small", HOUR)
    assert hour.verdict == "changed"
    assert hour.old is not None
    assert hour.new is not None
    assert hour.new.value == hour.old.value
    assert hour.new.high - hour.new.low > 1.02 * (hour.old.high - hour.old.low)
    assert hour.delta is not None
    assert (hour.delta.low, hour.delta.high, hour.shares) == (0, 0, ())
    assert {effect(found, "small", CAPEX).verdict} == {"same"}
    assert {e.verdict for e in found.effects if e.scenario == "large"} == {"same"}
    (change,) = found.diff.changes
    assert change.reaches == ("small",)
    ranks = review(checked(text), checked(text.replace("0.9", "0.1")))
    assert effect(ranks, "small", HOUR).verdict == "changed"
    (change,) = ranks.diff.changes
    assert (change.path, change.reaches) == ("market.rank", ("small",))


def test_a_rename_moves_nothing() -> None:
    """Draws follow a renamed block, so that not even an interval moves."""
    found = compare(
        ("system box {", "system shelf {"),
        ("extends box", "extends shelf"),
        ("system = box", "system = shelf"),
    )
    assert found.diff
    assert {e.verdict for e in found.effects} == {"same"}


def test_a_new_scenario_has_values_and_nothing_to_compare() -> None:
    more = TEXT + "\nscenario huge extends large {\n  size = 8192 chip\n}\n"
    found = review(checked(TEXT), checked(more))
    one = effect(found, "huge", HOUR)
    assert (one.verdict, one.old, one.delta, one.shares) == ("added", None, None, ())
    back = effect(review(checked(more), checked(TEXT)), "huge", HOUR)
    assert (back.verdict, back.new) == ("removed", None)


def test_no_value_on_one_side_is_not_comparable() -> None:
    found = compare(('  price = 200_000 $ to 240_000 $ @letter "page 5"\n', ""),
                    ('  price = 20_000 $ @letter "page 3"\n', ""))  # fmt: skip
    one = effect(found, "small", CAPEX)
    assert one.verdict == "not comparable"
    assert one.new is None
    assert one.note.startswith("no value after")
    assert one.delta is None


def test_a_document_with_errors_before_is_not_compared() -> None:
    broken = checked(TEXT.replace("tenure = own", "tenur = own"))
    found = review(broken, checked(TEXT))
    assert {e.verdict for e in found.effects} == {"not comparable"}
    assert found.diff


def test_an_added_document_is_compared_with_an_empty_one() -> None:
    new = checked(TEXT)
    found = review(empty_like(new), new)
    assert {e.verdict for e in found.effects} == {"added"}


def test_a_check_that_turns_and_a_claim_that_turns() -> None:
    found = compare(("200_000 $ to 240_000 $", "230_000 $ to 280_000 $"),
                    ("380_000 $ to 450_000 $", "340_000 $ to 400_000 $"))  # fmt: skip
    turns = {turn.condition.name: turn for turn in found.turns}
    assert set(turns) == {"check 1", "claim 1"}
    assert turns["check 1"].old is not None
    assert turns["check 1"].old.holds
    assert turns["check 1"].new is not None
    assert not turns["check 1"].new.holds
    assert [v.condition.name for v in found.failed] == ["check 1"]


def test_sources_that_got_weaker_or_are_missing() -> None:
    found = sourcing(compare(('@letter "page 5"', "@rumour")))
    assert [(w.change.path, w.old, w.new) for w in found.weaker] == [
        ("box.price", "A", "C")
    ]
    found = sourcing(compare(("pue = 1.2 @letter", "pue = 1.3")))
    assert [change.path for change in found.missing] == ["hall.pue"]
    assert [w.new for w in found.weaker] == ["D"]
    found = sourcing(compare(("pue = 1.2 @letter", "pue = 1.3 @letter")))
    assert (found.weaker, found.missing) == ((), ())


def test_prices_out_of_date() -> None:
    late = edited(("date = 2025-06-01", "date = 2027-06-01"))
    found = sourcing(review(checked(TEXT), checked(late)))
    assert "box.price" in found.stale
    assert sourcing(review(checked(TEXT), checked(TEXT))).stale == ()


def test_what_a_policy_turns_on_is_written_without_an_exponent() -> None:
    dear = compare(("200_000 $ to 240_000 $", "230_000 $ to 280_000 $"))
    conditions, _ = given(["change(cost.capex) > 5 $"], dear)
    line = list(verdict_lines(rulings(dear, conditions)))[-1]
    assert re.search(r"small \+[1-9][0-9]{0,2}(,[0-9]{3})+ \$", line), line


def test_policies_of_the_document() -> None:
    dear = compare(("200_000 $ to 240_000 $", "230_000 $ to 280_000 $"))
    first, second = verdict_lines(rulings(dear))
    assert first.startswith(
        'refused: deny change(cost.per_chip_hour) > 5% "ask finance'
    )
    assert "small +" in first
    assert "large" not in first
    assert second.startswith("kept: deny weaker_sources > 0")


@pytest.mark.parametrize(
    ("text", "verdicts"),
    [
        ("5%", ["refused", "refused"]),
        ("+5%", ["refused", "refused"]),
        ("-5%", ["kept", "kept"]),
        ("0.05 $/chip-h", ["refused"]),
        ("+1 $/chip-h", ["kept"]),
        ("1M $", ["refused"]),
        ("change(cost.capex) > 10%", ["refused"]),
        ("change(cost.capex) > 1 $", ["refused"]),
        ("abs(change(cost.capex)) > 50%", ["kept"]),
        ("new(small.cost.per_chip_hour) > 1 $/chip-h", ["refused"]),
        ("old(cost.per_chip_hour) > new(cost.per_chip_hour)", ["kept"]),
        ("new(large.cost.capex) > 1 $ and failed_checks > 0", ["refused"]),
        ("assumed_share(cost.per_chip_hour) > 1%", ["refused"]),
        ("assumed_share(cost.per_chip_hour) > 99%", ["kept"]),
        ("width(cost.capex) > 90%", ["kept"]),
        ("failed_checks", ["refused"]),
        ("weaker_sources", ["kept"]),
        ("missing_sources", ["kept"]),
        ("stale_prices", ["kept"]),
        ("widened", ["kept"]),
        ("new(cost.train) > 1 $", ["open"]),
    ],
)
def test_conditions_of_a_command_line(text: str, verdicts: list[str]) -> None:
    found = compare(("200_000 $ to 240_000 $", "230_000 $ to 280_000 $"))
    conditions, unread = given([text], found)
    assert unread == []
    decided = rulings(found, conditions)[2:]
    assert [ruling.verdict for ruling in decided] == verdicts


@pytest.mark.parametrize(
    "text",
    ["", "(", "change(cost.capx) > 5%", "new(cost.capex) > 5 W", "cheaper", "5 $ 6"],
)
def test_what_says_nothing_is_refused(text: str) -> None:
    found = review(checked(TEXT), checked(TEXT))
    conditions, unread = given([text], found)
    assert conditions == []
    assert [one.text for one in unread] == [text]


def test_widened_intervals_are_counted() -> None:
    found = compare(("200_000 $ to 240_000 $", "150_000 $ to 320_000 $"))
    conditions, _ = given(["widened"], found)
    assert rulings(found, conditions)[-1].verdict == "refused"
