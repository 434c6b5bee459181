"""Pages painted on two cores: a copy of the process paints from the last page back.

The layout engine paints one page after the other, each on its own, into a list of
drawing operators; what pages share is little and is noted beside them: the glyphs of
each face, the levels of opacity, the groups. So a copy of the process may paint pages
too, and what it did is put where the engine would have put it. The file is the same,
byte for byte: a page whose glyphs are not such as the pages before it leave them is
painted anew here, and so is every page that holds anything else.

This leans on what is not public in the engine (its streams), for nothing public
paints a page elsewhere. Where any of it is not as it was (`_fits`), or there is one
core alone, pages are painted here, as ever.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import attrs

from isocost.reports.apart import Parts, alone

#: So many pages are painted first: they have most faces and glyphs.
LEAD = 3
#: Fewer pages than this are not worth a copy.
LEAST = 12
#: Of the engine that this was written for.
ENGINE = 70
#: Points of a PDF in a pixel of CSS.
SCALE = 0.75


class UnlikeError(Exception):
    """A page holds what cannot be told: it is to be painted where it is needed."""


@attrs.frozen
class Group:
    """Operators, with a number in the place where a group inside is drawn."""

    operators: tuple[bytes | int, ...]
    opacities: Mapping[str, Mapping[str, float]]
    inside: tuple["Group", ...]
    box: tuple[float, ...] = ()


@attrs.frozen
class Painted:
    """One page: its operators, its tags by the address of a box, its glyphs by face.

    `glyphs` are text and width of those that the first pages do not have.
    """

    page: int
    body: Group
    tags: tuple[tuple[int, dict[str, Any]], ...]
    glyphs: Mapping[Any, tuple[Mapping[int, str], Mapping[int, int]]]


@contextmanager
def side_by_side(document: Any) -> Iterator[None]:
    """Let a copy of this process paint its share of a document that is written inside.

    Args:
        document: the layout engine's, laid out; it is written once.
    """
    if len(document.pages) < LEAST or not _fits(document) or not alone():
        yield
        return
    shared = _Shared(document)
    for number, page in enumerate(document.pages):
        page.paint = shared.painter(number, page, page.paint)
    try:
        yield
    finally:
        shared.close()


def _fits(document: Any) -> bool:
    """Whether the engine is the one that this was written for."""
    import weasyprint
    from weasyprint.pdf.stream import Stream

    from isocost.engine.program import cores

    names = {"_fonts", "_resources", "_tags", "_images"}
    known = names <= set(Stream.__init__.__code__.co_names)
    bleeds = any(any(page.bleed.values()) for page in document.pages)
    same = weasyprint.__version__.split(".")[0] == str(ENGINE)
    return same and known and not bleeds and cores() > 1


class _Shared:
    """The pages of one document, and those that were painted elsewhere."""

    def __init__(self, document: Any) -> None:
        self.document = document
        self.paints = [page.paint for page in document.pages]
        self.painted: dict[int, Painted] = {}
        self.parts: Parts[Painted] | None = None

    def painter(
        self, number: int, page: Any, paint: Callable[..., None]
    ) -> Callable[..., None]:
        """What paints a page, in the place of the page's own method."""

        def painted(stream: Any, scale: float = 1) -> None:
            if number == LEAD and scale == SCALE:
                self.parts = Parts(lambda: self._from_the_end(stream.compress))
            self._receive(number)
            found = self.painted.pop(number, None)
            if found is None or not _repeated(found, page, stream):
                paint(stream, scale)

        return painted

    def _receive(self, number: int) -> None:
        """Take what is there; from the first page that the copy did, all is."""
        while self.parts is not None and self.parts.ready():
            try:
                found = next(self.parts, None)
            except Exception:  # noqa: BLE001 - what it met is met here again, and told
                found = None
            if found is not None:
                self.painted[found.page] = found
            if found is None or found.page <= number:
                self.close()

    def close(self) -> None:
        """No more pages are wanted of the copy."""
        if self.parts is not None:
            self.parts.close()
            self.parts = None

    def _from_the_end(self, compress: bool) -> Iterator[Painted]:
        """The pages from the last one back, as far as they can be told."""
        fonts = self.document.fonts
        before = {key: (f.to_unicode, f.widths) for key, f in fonts.items()}
        for number in range(len(self.paints) - 1, LEAD, -1):
            for key, (texts, widths) in before.items():
                fonts[key].to_unicode, fonts[key].widths = dict(texts), dict(widths)
            for key in fonts.keys() - before.keys():
                fonts[key].to_unicode, fonts[key].widths = {}, {}
            try:
                yield self._painted(number, compress, before)
            except UnlikeError:
                continue

    def _painted(
        self, number: int, compress: bool, before: Mapping[Any, Any]
    ) -> Painted:
        import pydyf
        from weasyprint.pdf.stream import Stream

        page = self.document.pages[number]
        kinds = ("ExtGState", "XObject", "Pattern", "Shading", "ColorSpace")
        resources = pydyf.Dictionary({kind: pydyf.Dictionary() for kind in kinds})
        images: dict[str, Any] = {}
        tags: dict[Any, dict[str, Any]] = {}
        fonts = self.document.fonts
        stream = Stream(
            fonts, (0, 0, page.width, page.height), resources, images, tags, {}, None,
            compress=compress,
        )  # fmt: skip
        stream.transform(d=-1, f=page.height * SCALE)
        begun = len(stream.stream)
        self.paints[number](stream, SCALE)
        if images or any(font.missing for font in fonts.values()):
            raise UnlikeError
        glyphs = {}
        for key, font in fonts.items():
            texts, widths = before.get(key, ({}, {}))
            glyphs[key] = (
                {g: t for g, t in font.to_unicode.items() if g not in texts},
                {g: w for g, w in font.widths.items() if g not in widths},
            )
        return Painted(
            number,
            _told(stream.stream[begun:], resources),
            tuple((id(box), kid) for box, kid in tags.items()),
            {key: one for key, one in glyphs.items() if any(one)},
        )


def _told(operators: list[Any], resources: Any, box: Any = ()) -> Group:
    """A list of operators and what they draw on, free of the engine's objects."""
    if resources["Pattern"] or resources["Shading"]:
        raise UnlikeError
    states = {}
    for key, state in resources["ExtGState"].items():
        if not key.lower().startswith("a") or not set(state) <= {"ca", "CA"}:
            raise UnlikeError
        states[key] = dict(state)
    names = {f"/{key} Do".encode(): i for i, key in enumerate(resources["XObject"])}
    parts: list[bytes | int] = []
    lines: list[bytes] = []
    for one in operators:
        line = one if isinstance(one, bytes) else _line(one)
        if line in names:
            parts += [b"\n".join(lines)] if lines else []
            parts.append(names[line])
            lines = []
        else:
            lines.append(line)
    parts += [b"\n".join(lines)] if lines else []
    inside = tuple(
        _told(one.stream, one.extra["Resources"], one.extra["BBox"])
        for one in resources["XObject"].values()
    )
    return Group(tuple(parts), states, inside, tuple(box))


def _line(operator: Any) -> bytes:
    data = getattr(operator, "data", None)
    made = str(operator).encode("ascii") if data is None else data
    assert isinstance(made, bytes)  # noqa: S101 (as the engine's own are)
    return made


def _repeated(found: Painted, page: Any, stream: Any) -> bool:
    """Put what a copy painted into a page's stream, if it would have come out so."""
    fonts = stream._fonts  # noqa: SLF001
    for key, (_, widths) in found.glyphs.items():
        if key not in fonts:
            return False
        # A glyph's width is that of the size in which it was first met, and rounded.
        known = fonts[key].widths
        if any(known.get(glyph, width) != width for glyph, width in widths.items()):
            return False
    boxes = {id(box): box for box in _boxes(page._page_box)}  # noqa: SLF001
    if any(address not in boxes for address, _ in found.tags):
        return False
    for key, (texts, widths) in found.glyphs.items():
        fonts[key].to_unicode |= {**texts, **fonts[key].to_unicode}
        fonts[key].widths |= {**widths, **fonts[key].widths}
    stream._tags.update((boxes[address], kid) for address, kid in found.tags)  # noqa: SLF001
    _draw(found.body, stream, stream._resources)  # noqa: SLF001
    return True


def _boxes(box: Any) -> Iterator[Any]:
    """A box and all below it, those that stand for themselves elsewhere too."""
    box = getattr(box, "_box", box)
    yield box
    for child in getattr(box, "children", ()):
        yield from _boxes(child)


def _draw(body: Group, stream: Any, resources: Any) -> None:
    import pydyf

    for key, state in body.opacities.items():
        resources["ExtGState"].setdefault(key, pydyf.Dictionary(state))
    groups = []
    for one in body.inside:
        group = stream.add_group(0, 0, 0, 0)
        group.extra["BBox"][:] = one.box
        groups.append(group)
        _draw(one, group, group.extra["Resources"])
    stream.stream += [
        part if isinstance(part, bytes) else f"/{groups[part].id} Do".encode()
        for part in body.operators
    ]
