"""Every layout of a review: terminal, comment, data, pages."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from isocost.dsl.check import Checked, check
from isocost.dsl.grades import GRADES
from isocost.dsl.load import load
from isocost.dsl.resolve import resolve
from isocost.engine.policies import rulings
from isocost.engine.quantities import table
from isocost.engine.review import empty_like, review
from isocost.reports import study
from isocost.reports.review import Brief, Subject, brief
from isocost.reports.review.data import as_data
from isocost.reports.review.markdown import MOST_BYTES, code, escape, markdown, tag
from isocost.reports.review.page import date_of, page
from isocost.reports.review.terminal import Screen, cells

Golden = Callable[[str, str | bytes], None]
FOLDER = Path(__file__).parent.parent / "golden" / "review"
TEXT = (FOLDER / "base.scn").read_text(encoding="utf-8")

#: The edits behind each layout, by the name of its golden.
CASES: dict[str, tuple[tuple[str, str], ...]] = {
    "dearer": (
        ("200_000 $ to 240_000 $", "230_000 $ to 280_000 $"),
        ("pue = 1.2 @letter", "pue = 1.25 @rumour"),
        ('"a lease of this year"', '"a lease of last year"'),
    ),
    "cheaper": (("0.08 $/kWh to 0.10", "0.04 $/kWh to 0.05"),),
    "swapped": (("  system = crate\n", "  system = box\n"),),
    "wider": (("power = 6 kW ± 5%", "power = 6 kW ± 20%"),),
    "words": (
        ("power = 500 W", "power = 0.5 kW"),
        ("/// What is bought.", "/// What we buy."),
    ),
    "sources": (('price = 20_000 $ @letter "page 3"', "price = 20_000 $ @rumour"),),
    "added": (
        (
            "policy spending",
            "scenario huge extends large {\n  size = 8192 chip\n}\n\npolicy spending",
        ),
    ),
    "gone": (("scenario large extends small {\n  system = crate\n}\n", ""),
             ('claim large.cost.capex < 26M $ "cheap to enter"\n', "")),
    "lost": (
        ('  price = 380_000 $ to 450_000 $ @letter "page 7"\n', ""),
        ('  price = 200_000 $ to 240_000 $ @letter "page 5"\n', ""),
        ('  price = 20_000 $ @letter "page 3"\n', ""),
    ),
    "renamed": (
        ("system box {", "system shelf {"),
        ("extends box", "extends shelf"),
        ("system = box", "system = shelf"),
    ),
}  # fmt: skip


def checked(text: str) -> Checked:
    return check(resolve(load("base.scn", text)), table())


def made(old: str, new: str, note: str = "") -> Brief:
    found = review(checked(old), checked(new))
    return brief(Subject("base.scn", found, tuple(rulings(found)), note))


def of_case(name: str) -> Brief:
    text = TEXT
    for old, new in CASES[name]:
        assert old in text
        text = text.replace(old, new)
    return made(TEXT, text)


@pytest.mark.parametrize("name", CASES)
def test_comments(golden: Golden, name: str) -> None:
    golden(f"review/{name}.comment", markdown([of_case(name)]))


@pytest.mark.parametrize("name", CASES)
def test_terminals(golden: Golden, name: str) -> None:
    screen = Screen(color=False, width=80)
    golden(f"review/{name}.text", screen.show([of_case(name)]) + "\n")


def test_everything_on_a_terminal(golden: Golden) -> None:
    screen = Screen(color=True, width=60, everything=True, context=1)
    text = screen.show([of_case("dearer"), of_case("words")])
    golden("review/everything.text", text.replace("\x1b", "␛") + "\n")


def test_data(golden: Golden) -> None:
    data = as_data([of_case("dearer")])
    golden("review/dearer.json", json.dumps(data, indent=2, ensure_ascii=False) + "\n")


def test_an_added_and_a_deleted_document(golden: Golden) -> None:
    new = checked(TEXT)
    metrics = ("cost.per_chip_hour", "cost.capex")
    found = review(empty_like(new), new, metrics=metrics)
    one = brief(Subject("base.scn", found, (), "a new document"))
    back = review(new, empty_like(new), metrics=metrics)
    other = brief(Subject("base.scn", back, (), "this document is deleted"))
    golden("review/documents.comment", markdown([one, other]))


def test_nothing_at_all_where_nothing_changed() -> None:
    same = made(TEXT, TEXT)
    assert not same
    assert markdown([same]) == ""
    assert Screen(color=False, width=80).show([same]) == "nothing changed"
    assert as_data([same])["changes"] == []


@pytest.mark.parametrize("name", CASES)
def test_the_first_line_is_about_money(name: str) -> None:
    first = markdown([of_case(name)]).splitlines()
    assert first[0] == "<!-- isocost:review -->"
    words = "Cost|Capital|No result|No point|scenario|not comparable"
    assert re.search(words, first[1])


@pytest.mark.parametrize("width", [40, 60, 80, 120])
@pytest.mark.parametrize("name", CASES)
def test_no_line_is_wider_than_the_terminal(name: str, width: int) -> None:
    text = Screen(color=False, width=width, everything=True).show([of_case(name)])
    longest = max((cells(line), line) for line in text.splitlines())
    assert longest[0] <= width or " " not in longest[1].strip()


def test_what_is_left_out_is_counted() -> None:
    text = Screen(color=False, width=200).show([of_case("words")])
    assert "2 changes of words, order or spelling (--all" in text.replace(
        ", 4 unchanged results", ""
    )


HOSTILE = "a|b `x` ``y`` <script>@everyone</script> [l](http://e) ![i](x) #1 </details>"


def test_no_text_of_a_file_becomes_markup() -> None:
    new = TEXT.replace("a lease of this year", HOSTILE).replace(
        "/// What is", f"/// {HOSTILE}"
    )
    new = new.replace("the plan needs this", HOSTILE).replace(
        "< 1 $/chip-h", "< 0.1 $/chip-h"
    )
    text = markdown([made(TEXT, new)])
    spans = re.sub(r"(`+)(?!`).*?(?<!`)\1(?!`)", "", text)
    assert "<script>" not in spans
    assert "@everyone" not in spans
    assert "](http" not in spans.replace("\\]", "")
    assert spans.count("<details>") == spans.count("</details>")
    for line in text.splitlines():
        if line.startswith("|"):
            assert len(re.findall(r"(?<!\\)\|", line)) in {6, 7, 8}


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("plain", "`plain`"),
        ("a`b", "``a`b``"),
        ("`a", "`` `a ``"),
        ("a|b", "`a\\|b`"),
        ("", ""),
        ("a\n b", "`a b`"),
    ],
)
def test_code_spans(text: str, wanted: str) -> None:
    assert code(text) == wanted


def test_escapes() -> None:
    assert escape("*a* <b> [c]") == "\\*a\\* \\<b\\> \\[c\\]"
    assert "@me" not in escape("@me")
    assert "http://" not in escape("see http://x")
    assert tag("a b/../c") == "<!-- isocost:a-b-..-c -->"


def many(count: int) -> tuple[str, str]:
    """A large document and one in which every line changed."""
    head = "edition 2026\n"
    texts = ["", ""]
    for side, number in ((0, 1), (1, 2)):
        chips = "".join(
            f'chip c{i} {{\n  power = {i + number} W @assumed "{"why " * 40}"\n'
            f'  price = {i + number} $ @assumed "{"x" * 200}"\n}}\n'
            for i in range(count)
        )
        texts[side] = head + chips
    return texts[0], texts[1]


def test_a_comment_is_never_too_long() -> None:
    """Whatever the change, and also where there are many documents."""
    one = made(*many(1500))
    assert len(one.changes) == 3000
    text = markdown([one])
    assert 5_000 < len(text.encode()) <= MOST_BYTES
    assert "2960 more changed statements are not shown" in text
    text = markdown([one] * 60)
    assert len(text.encode()) <= MOST_BYTES
    assert text.count("<details>") == text.count("</details>")


def test_every_number_of_the_data_is_finite() -> None:
    for name in CASES:
        json.dumps(as_data([of_case(name)]), allow_nan=False)


def test_pages_fit_into_four(tmp_path: Path) -> None:
    pytest.importorskip("weasyprint")
    from isocost.reports.pdf import render_pdf

    for name in ("dearer", "added"):
        one = of_case(name)
        made_ = page([one], title="main → branch")
        pdf = render_pdf(made_, date=date_of([one]))
        again = render_pdf(page([one], title="main → branch"), date=date_of([one]))
        assert pdf == again
        pages = len(re.findall(rb"/Type /Page\b", pdf))
        assert pages == 0 or 2 <= pages <= 4
        assert (tmp_path / "x").write_bytes(pdf) > 10_000


def test_several_documents_share_the_pages() -> None:
    briefs = [of_case(name) for name in ("dearer", "cheaper", "swapped", "sources")]
    made_ = page(briefs, title="main → branch")
    titles = [section.title for section in made_.sections]
    assert "What moved: base.scn" in titles
    assert len([t for t in titles if t.startswith("What moved")]) == 3
    data = json.loads(made_.attachments[0].data)
    assert len(data["documents"]) == 4


def test_the_page_in_a_browser() -> None:
    from isocost.reports.html.page import render_html

    one = of_case("dearer")
    text = render_html(page([one], title="main → branch"), date=date_of([one]))
    assert text.lower().startswith("<!doctype html>")
    assert "Cost per chip-hour" in text
    assert "<script>alert" not in text


def test_grades_are_the_reports_own() -> None:
    assert dict(GRADES) == study.GRADES


def test_the_date_is_that_of_the_newest_source() -> None:
    assert date_of([of_case("dearer")]).isoformat() == "2025-06-01"
