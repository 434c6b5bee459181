"""Running text as safe HTML: the only place where marked pieces become elements."""

import base64
import re
from collections.abc import Mapping

import attrs
from markupsafe import Markup, escape

from isocost.reports import formulas, view
from isocost.reports.glyphs import clean

#: So many citations never break across lines.
TOGETHER = 4
#: Where a path or a key may break: after these signs.
BREAKS = re.compile(r"(?<=[._\[\]/:])")
_SCHEMES = ("https://", "http://", "mailto:")


@attrs.frozen
class Mark:
    """What a mention of a key prints, and where it leads."""

    text: str
    anchor: str


def anchor(key: str) -> str:
    """An id made of `key` that holds whatever a scenario calls its things."""
    return "k-" + re.sub(r"[^A-Za-z0-9.]", lambda m: f"_{ord(m.group()):x}_", key)


def data_uri(svg: str) -> str:
    """`svg` as an address, for an image's `src`."""
    return "data:image/svg+xml;base64," + base64.b64encode(svg.encode()).decode()


def formula(
    latex: str, size: float, width: float = 0.0, *, inline: bool = False
) -> Markup:
    """A formula as an image on the baseline; its own text where it cannot be set."""
    try:
        made = formulas.typeset(latex, size, width, inline=inline)
    except formulas.FormulaError:
        return Markup('<code class="unset">{}</code>').format(clean(latex))
    drop = f"{-made.depth:.2f}pt" if made.lines == 1 else "0"
    return Markup(
        '<img class="formula" alt="{}" src="{}" style="width:{}pt;height:{}pt;'
        'vertical-align:{}">'
    ).format(
        clean(formulas.spoken(latex)), data_uri(made.svg), made.width, made.height, drop
    )


def plain(text: view.Text) -> str:
    """`text` without its marks, for titles and metadata."""
    pieces = text if isinstance(text, tuple) else (text,)
    return "".join(p if isinstance(p, str) else _words(p) for p in pieces)


def worded(
    piece: view.Inline, marks: Mapping[str, Mark], sources: Mapping[str, int]
) -> str:
    """One piece in plain letters, with mentions and citations as they read."""
    match piece:
        case str():
            return piece
        case view.Ref(key=key):
            return marks[key].text if key in marks else key
        case view.Cite(keys=keys, locator=locator):
            names = [str(n) for n in sorted(sources[k] for k in keys if k in sources)]
            names += [k for k in keys if k not in sources]
            return f"[{', '.join(names)}{f', {locator}' if locator else ''}]"
        case _:
            return _words(piece)


def _words(piece: view.Inline) -> str:
    """The bare words of one marked piece."""
    match piece:
        case view.Math(latex=latex):
            return formulas.spoken(latex)
        case (
            view.Strong()
            | view.Emph()
            | view.Code()
            | view.Sub()
            | view.Sup()
            | view.Link()
        ):
            return piece.text
        case _:
            return ""


def inline(
    text: view.Text,
    marks: Mapping[str, Mark],
    sources: Mapping[str, int],
    size: float = 9.2,
) -> Markup:
    """`text` as HTML.

    Args:
        text: the running text.
        marks: what the keys of this report lead to.
        sources: numbers of the bibliography.
        size: of the letters around, for formulas.
    """
    pieces = text if isinstance(text, tuple) else (text,)
    return Markup("").join(_piece(p, marks, sources, size) for p in pieces)


def _piece(
    piece: view.Inline,
    marks: Mapping[str, Mark],
    sources: Mapping[str, int],
    size: float,
) -> Markup:
    """One piece of running text."""
    match piece:
        case str():
            return escape(clean(piece))
        case view.Strong(text=text):
            return Markup("<strong>{}</strong>").format(clean(text))
        case view.Emph(text=text):
            return Markup("<em>{}</em>").format(clean(text))
        case view.Code(text=text):
            return _code(text)
        case view.Sub(text=text):
            return Markup("<sub>{}</sub>").format(clean(text))
        case view.Sup(text=text):
            return Markup("<sup>{}</sup>").format(clean(text))
        case view.Math(latex=latex):
            return formula(latex, size, inline=True)
        case view.Footnote(text=text):
            return Markup('<span class="footnote">{}</span>').format(clean(text))
        case view.Ref(key=key):
            mark = marks.get(key)
            if mark is None:
                return Markup('<span class="lost">{}</span>').format(clean(key))
            return Markup('<a class="ref" href="#{}">{}</a>').format(
                mark.anchor, mark.text
            )
        case view.Cite():
            return _cite(piece, sources)
        case view.Link():
            return _link(piece, marks)


def _code(text: str) -> Markup:
    """A path or key; it may break after a dot, an underscore, a bracket."""
    pieces = BREAKS.split(clean(text))
    return Markup("<code>{}</code>").format(Markup("<wbr>").join(pieces))


def _cite(cite: view.Cite, sources: Mapping[str, int]) -> Markup:
    """Numbers in brackets, each a link to its source."""
    found = sorted({(sources[k], k) for k in cite.keys if k in sources})
    links = [
        Markup('<a class="cite" href="#{}">{}</a>').format(anchor(f"source.{k}"), n)
        for n, k in found
    ]
    links += [escape(clean(k)) for k in cite.keys if k not in sources]
    where = Markup(", {}").format(clean(cite.locator)) if cite.locator else Markup("")
    # A few numbers stay together; a long list of them has to break somewhere.
    gap = Markup(",\u202f") if len(links) <= TOGETHER else Markup(", ")
    return Markup("[{}{}]").format(gap.join(links), where)


def _link(link: view.Link, marks: Mapping[str, Mark]) -> Markup:
    """A link, if it leads to a known place or to an address of a known kind."""
    if link.key and link.key in marks:
        return Markup('<a href="#{}">{}</a>').format(
            marks[link.key].anchor, clean(link.text)
        )
    if link.url.lower().startswith(_SCHEMES):
        return Markup('<a href="{}">{}</a>').format(link.url, clean(link.text))
    return escape(clean(link.text))
