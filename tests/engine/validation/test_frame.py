"""Errors, intervals and their score; what counts and what is only shown."""

import math

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isocost.engine.validation.frame import (
    Prediction,
    groups,
    reasons,
    summary,
    worst,
)


def row(
    name: str,
    ratio: float,
    half: float = 0.2,
    *,
    series: str = "s",
    counts: bool = True,
) -> Prediction:
    """A row of which `ratio` times what was measured is predicted."""
    low, high = ratio * math.exp(-half), ratio * math.exp(half)
    measured = 3.0
    return Prediction(
        name,
        series,
        "source",
        "chip",
        "m",
        "s",
        measured,
        measured * ratio,
        measured * low,
        measured * high,
        counts=counts,
    )


def refused(name: str, why: str) -> Prediction:
    return Prediction(name, "s", "source", "chip", "m", "s", 3.0, refused=why)


def test_error_width_and_score_are_in_logarithms() -> None:
    one = row("a", 1.1)
    assert one.error == pytest.approx(math.log(1.1))
    assert one.width == pytest.approx(0.4)
    assert one.inside
    assert one.score == pytest.approx(0.4)
    far = row("b", 1.5)
    assert not far.inside
    assert far.score == pytest.approx(0.4 + 20 * (math.log(1.5) - 0.2))
    assert row("c", 1 / 1.5).score == pytest.approx(far.score)


def test_a_refused_row_has_no_error() -> None:
    one = refused("a", "no chip")
    assert one.error is None
    assert one.width is None
    assert one.score is None
    assert not one.inside


def test_the_median_is_over_series() -> None:
    long = [row(f"a{i}", 1.5, series="long") for i in range(9)]
    short = [row("b", 1.1, series="short"), row("c", 1.2, series="other")]
    found = summary([*long, *short])
    assert found.median_abs_log_error == pytest.approx(math.log(1.2))
    assert found.median_of_rows == pytest.approx(math.log(1.5))


def test_what_does_not_count_is_counted_apart() -> None:
    found = summary([row("a", 1.1), row("b", 9.0, counts=False), refused("c", "x")])
    assert (found.rows, found.predicted, found.refused, found.counted) == (3, 2, 1, 1)
    assert found.mean_abs_log_error == pytest.approx(math.log(1.1))
    assert found.coverage_90 == 1.0


def test_nothing_to_judge_is_not_a_number() -> None:
    found = summary([refused("c", "x")])
    assert math.isnan(found.mean_abs_log_error)
    assert math.isnan(found.coverage_90)
    assert found.refused == 1


def test_the_worst_and_the_reasons() -> None:
    rows = [row("a", 1.1), row("b", 0.5), refused("c", "y"), refused("d", "x")]
    rows.append(refused("e", "x"))
    assert [one.row_id for one in worst(rows, 2)] == ["b", "a"]
    assert reasons(rows) == {"x": ["d", "e"], "y": ["c"]}
    assert list(groups(rows, lambda one: one.refused)) == ["", "y", "x"]


@given(
    st.lists(
        st.tuples(st.floats(0.1, 10), st.floats(0.01, 2), st.sampled_from("abc")),
        min_size=1,
    )
)
def test_a_summary_does_not_depend_on_order_or_unit(
    drawn: list[tuple[float, float, str]],
) -> None:
    rows = [row(str(i), r, h, series=s) for i, (r, h, s) in enumerate(drawn)]
    one, other = summary(rows), summary(rows[::-1])
    assert one.mean_abs_log_error == pytest.approx(other.mean_abs_log_error)
    assert one.median_abs_log_error == other.median_abs_log_error
    assert one.interval_score >= one.median_width * 0 - 1e-12
    scaled = [
        attrs.evolve(
            r,
            measured=r.measured * 1e3,
            predicted=(r.predicted or 0) * 1e3,
            low=(r.low or 0) * 1e3,
            high=(r.high or 0) * 1e3,
        )
        for r in rows
    ]
    assert summary(scaled).mean_abs_log_error == pytest.approx(one.mean_abs_log_error)
