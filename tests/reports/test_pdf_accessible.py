"""The PDF for those who hear it read, and for archives: PDF/UA and PDF/A by structure.

Checked with a package from the registry as far as it goes (a seventh of the rules that
a machine can check), and here what that leaves out. What needs veraPDF, which is Java,
is not checked: glyph widths, character sets, transparency groups. The file claims
PDF/A-3a and no more, so the one finding that it claims no PDF/UA is left standing.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pdfua
import pikepdf
import pytest

CLAIM = "UA-28-004"


@pytest.fixture(scope="module")
def file(sample_pdf: Path) -> Iterator[Any]:
    with pikepdf.open(sample_pdf) as opened:
        yield opened


def elements(file: Any) -> Iterator[Any]:
    """The structure of the document in the order in which it is read."""

    def walk(one: Any) -> Iterator[Any]:
        if isinstance(one, pikepdf.Array):
            for kid in one:
                yield from walk(kid)
        elif isinstance(one, pikepdf.Dictionary) and "/S" in one:
            yield one
            if "/K" in one:
                yield from walk(one.K)

    yield from walk(file.Root.StructTreeRoot.K)


def tagged(file: Any, *names: str) -> list[Any]:
    return [one for one in elements(file) if str(one.S) in names]


def test_the_validator_finds_nothing_but_the_missing_claim(sample_pdf: Path) -> None:
    report = pdfua.validate(str(sample_pdf))
    assert {one.rule_id for one in report.findings} <= {CLAIM}


def test_headings_do_not_skip_levels_and_are_not_empty(file: Any) -> None:
    heads = tagged(file, "/H1", "/H2", "/H3", "/H4")
    levels = [int(str(one.S)[2:]) for one in heads]
    assert levels[0] == 1
    assert levels.count(1) == 1
    for before, after in zip(levels, levels[1:]):  # noqa: B905, RUF007 - neighbours
        assert after <= before + 1
    assert all(len(one.K) for one in heads)


def test_pictures_are_described_and_placed(file: Any) -> None:
    pictures = tagged(file, "/Figure")
    assert len(pictures) > 10
    for one in pictures:
        assert str(one.Alt).strip()
        assert len(one.A.BBox) == 4


def test_tables_have_heads_that_cells_name(file: Any) -> None:
    heads, cells = tagged(file, "/TH"), tagged(file, "/TD")
    assert heads
    assert {str(one.A.Scope) for one in heads} <= {"/Column", "/Row"}
    known = {str(one.ID) for one in heads}
    for one in cells:
        assert {str(key) for key in one.A.Headers} <= known
    for table in tagged(file, "/Table"):
        rows = [r for r in walk_rows(table) if len(r.K)]
        assert str(rows[0].K[0].S) == "/TH"


def walk_rows(table: Any) -> Iterator[Any]:
    for kid in table.K:
        if not isinstance(kid, pikepdf.Dictionary) or "/S" not in kid:
            continue
        if str(kid.S) == "/TR":
            yield kid
        else:
            yield from walk_rows(kid)


def test_lists_are_lists(file: Any) -> None:
    for one in tagged(file, "/L"):
        assert {str(kid.S) for kid in one.K} == {"/LI"}


def test_the_catalogue_says_language_title_and_marks(file: Any) -> None:
    root = file.Root
    assert str(root.Lang) == "en"
    assert bool(root.MarkInfo.Marked)
    assert bool(root.ViewerPreferences.DisplayDocTitle)
    assert file.docinfo["/Title"]
    assert "/JavaScript" not in root.get("/Names", {})
    assert "/AcroForm" not in root
    assert not file.is_encrypted


def test_the_archive_level_is_claimed_and_its_colours_are_given(file: Any) -> None:
    with file.open_metadata() as meta:
        assert meta["pdfaid:part"] == "3"
        assert meta["pdfaid:conformance"] == "A"
        assert meta["dc:title"] == str(file.docinfo["/Title"])
    (intent,) = file.Root.OutputIntents
    assert str(intent.S) == "/GTS_PDFA1"
    assert len(intent.DestOutputProfile.read_bytes()) > 100


def test_attachments_say_what_they_are(file: Any) -> None:
    specs = list(file.Root.AF)
    assert specs
    for one in specs:
        assert str(one.AFRelationship) in {"/Source", "/Data", "/Supplement"}
        assert str(one.Desc)
        assert "/Subtype" in one.EF.F


def test_every_face_is_embedded_and_can_be_read_back(file: Any) -> None:
    fonts = {}
    for page in file.pages:
        for one in page.Resources.get("/Font", {}).values():
            fonts[str(one.BaseFont)] = one
    assert len(fonts) >= 5
    for one in fonts.values():
        assert "/ToUnicode" in one
        (inner,) = one.DescendantFonts
        descriptor = inner.FontDescriptor
        assert {"/FontFile", "/FontFile2", "/FontFile3"} & set(descriptor.keys())


def test_links_are_said_and_pages_read_in_the_order_of_their_structure(
    file: Any,
) -> None:
    links = 0
    for page in file.pages:
        assert str(page.get("/Tabs", "/S")) == "/S"
        for one in page.get("/Annots", ()):
            links += 1
            assert str(one.Subtype) == "/Link"
            assert "/StructParent" in one
            assert str(one.get("/Contents", ""))
    assert links
