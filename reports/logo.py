"""A house's logo: the picture of its theme, looked at before a page holds it.

A picture reads no file, fetches nothing and takes no time: an SVG is of plain shapes, a
PNG is whole and of a size that a page can show.
"""

import base64
import re
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree as ET

from isocost.reports.refusals import ThemeError

#: Bytes, shapes of a drawing, and pixels along a side, more than any logo has.
MOST_BYTES = 1_000_000
MOST_SHAPES = 5_000
MOST_PIXELS = 4_096
#: What a drawing may hold. Left out is what reads elsewhere (`image`, `script`), and
#: what draws another part again (`use`, `pattern`, `mask`), tenfold at each step.
SHAPES = frozenset({
    "svg", "g", "path", "rect", "circle", "ellipse", "line", "polyline", "polygon",
    "text", "tspan", "title", "desc", "defs", "linearGradient", "radialGradient",
    "stop", "clipPath", "style", "metadata",
})  # fmt: skip
_FOREIGN = re.compile(r"@import|@font-face|url\(\s*[\"']?(?!#)", re.IGNORECASE)


def logo_of(theme: Path | None) -> str:
    """The logo of a theme as an address; empty where it has none.

    Raises:
        ThemeError: the file is no picture, or one that a page cannot hold.
    """
    for name, (mime, fault) in LOGOS.items():
        path = theme / name if theme else None
        if path is not None and path.is_file():
            data = path.read_bytes()
            why = _too_long(data) or fault(data)
            if why:
                raise ThemeError.of(path, why)
            return f"data:{mime};base64,{base64.b64encode(data).decode()}"
    return ""


def _too_long(data: bytes) -> str:
    if len(data) <= MOST_BYTES:
        return ""
    return f"a logo has {MOST_BYTES / 1e6:g} MB at most, this one {len(data) / 1e6:.1f}"


def _drawing_fault(data: bytes) -> str:
    """What is wrong with an SVG; nothing where it is plain shapes."""
    if b"<!DOCTYPE" in data.upper() or b"\0" in data:
        return (
            "a drawing with a DOCTYPE, or in UTF-16, is not read; save it as plain SVG"
        )
    try:
        # Without a document type there are no entities to unfold.
        root = ET.fromstring(data)  # noqa: S314
    except ET.ParseError as error:
        return f"this is no SVG: {error}"
    shapes = list(root.iter())
    if len(shapes) > MOST_SHAPES:
        return f"a logo has {MOST_SHAPES:,} shapes at most, this one {len(shapes):,}"
    if _local(root) != "svg":
        return "this is no SVG"
    return next((why for shape in shapes if (why := _shape_fault(shape))), "")


def _shape_fault(shape: ET.Element) -> str:
    kind = _local(shape)
    if kind not in SHAPES:
        return f"`{kind}` is not drawn in a logo; turn it into paths"
    for name, value in shape.attrib.items():
        if name.rpartition("}")[2] == "href" and not value.startswith("#"):
            return "a logo refers to nothing outside itself"
        if _FOREIGN.search(value):
            return "a logo refers to nothing outside itself"
    if kind == "style" and _FOREIGN.search(shape.text or ""):
        return "a logo refers to nothing outside itself"
    if kind == "clipPath" and any("clip-path" in str(s.attrib) for s in shape.iter()):
        return "a clip within a clip is not drawn in a logo; turn it into paths"
    if kind == "style" and "clip-path" in (shape.text or ""):
        return "clips set by a style are not drawn in a logo; turn them into paths"
    return ""


def _local(shape: ET.Element) -> str:
    return str(shape.tag).rpartition("}")[2]


def _picture_fault(data: bytes) -> str:
    """What is wrong with a PNG; nothing where it is whole and of a fair size."""
    import io

    from PIL import Image, UnidentifiedImageError

    try:
        with Image.open(io.BytesIO(data), formats=["PNG"]) as picture:
            if max(picture.size) > MOST_PIXELS:
                wide, high = picture.size
                return (
                    f"{wide:,} by {high:,} pixels; a logo has {MOST_PIXELS:,} at most"
                )
            picture.load()
    except UnidentifiedImageError:
        return "this is no PNG"
    except (OSError, SyntaxError, ValueError) as error:
        return f"this PNG is broken: {error}"
    return ""


#: The first of these that a theme's folder has, and what tells its faults.
LOGOS: dict[str, tuple[str, Callable[[bytes], str]]] = {
    "logo.svg": ("image/svg+xml", _drawing_fault),
    "logo.png": ("image/png", _picture_fault),
}
