"""Periods as files write them: a year, a quarter, a month or a day."""

import datetime as dt
import re

import attrs

_PERIOD = re.compile(
    r"(?P<year>[0-9]{4})"
    r"(?:-Q(?P<quarter>[1-4])|-(?P<month>[0-9]{2})(?:-(?P<day>[0-9]{2}))?)?"
)


@attrs.frozen(order=True)
class Period:
    """Days from `start` up to but without `end`, counted from year 1."""

    start: int
    end: int
    text: str = attrs.field(default="", eq=False, order=False)

    @property
    def middle(self) -> float:
        """Where a level of the whole period is taken to stand."""
        return (self.start + self.end - 1) / 2.0

    @property
    def last_day(self) -> dt.date:
        """Its last day as a date."""
        return dt.date.fromordinal(self.end - 1)

    @property
    def months(self) -> float:
        """How many months it has: 3 for a quarter, 12 for a year."""
        return in_months(self.end) - in_months(self.start)

    def shared(self, other: "Period") -> float:
        """Months that both have; all months count alike, as all quarters do."""
        start, end = max(self.start, other.start), min(self.end, other.end)
        return in_months(end) - in_months(start) if end > start else 0.0


def in_months(day: int) -> float:
    """A day's place on a scale of months, parts of a month by its own days."""
    date = dt.date.fromordinal(day)
    length = (_month_after(date.year, date.month, 1) - date.replace(day=1)).days
    return date.year * 12 + date.month - 1 + (date.day - 1) / length


def _month_after(year: int, month: int, count: int) -> dt.date:
    index = year * 12 + month - 1 + count
    return dt.date(index // 12, index % 12 + 1, 1)


def read_period(text: str) -> Period | None:
    """The period that a text names; None if it names none."""
    match = _PERIOD.fullmatch(text)
    if match is None:
        return None
    year, quarter, month, day = (
        int(match[name]) if match[name] else 0
        for name in ("year", "quarter", "month", "day")
    )
    try:
        if day:
            start = dt.date(year, month, day)
            return Period(start.toordinal(), start.toordinal() + 1, text)
        first = 3 * quarter - 2 if quarter else month or 1
        months = 3 if quarter else 1 if month else 12
        start = dt.date(year, first, 1)
        end = _month_after(year, first, months)
    except ValueError:
        return None
    return Period(start.toordinal(), end.toordinal(), text)


def quarters(first: Period, last: Period) -> list[Period]:
    """The quarters from that of one period's first day to that of another's last."""
    out: list[Period] = []
    day = dt.date.fromordinal(first.start)
    year, quarter = day.year, (day.month + 2) // 3
    while True:
        found = read_period(f"{year}-Q{quarter}")
        if found is None or found.start >= last.end:
            return out
        out.append(found)
        year, quarter = (year + 1, 1) if quarter == 4 else (year, quarter + 1)  # noqa: PLR2004 (quarters of a year)
