"""Cut the shipped faces from their published releases (run by hand, rarely).

Not part of any command: it documents how the files beside it were made and makes
them again. See README.md for where the sources come from. The cuts carry names of
our own because two of the licences reserve the original ones for unmodified fonts.
"""

# ruff: noqa: E501 - a table

import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent

#: Latin with accents, Greek, punctuation, signs of mathematics, arrows, shapes.
RANGES = (
    (0x20, 0x7E), (0xA0, 0x17F), (0x2B0, 0x2DD), (0x300, 0x338), (0x391, 0x3D1),
    (0x2000, 0x206F), (0x2070, 0x209F), (0x20A0, 0x20BF), (0x2100, 0x214F),
    (0x2150, 0x218F), (0x2190, 0x21FF), (0x2200, 0x22FF), (0x25A0, 0x25FF),
    (0x2713, 0x2718), (0xFB00, 0xFB04), (0xFFFD, 0xFFFD),
)  # fmt: skip

FEATURES = [
    "kern",
    "mark",
    "mkmk",
    "liga",
    "ccmp",
    "locl",
    "case",
    "tnum",
    "lnum",
    "pnum",
    "sups",
    "subs",
    "zero",
]

#: file stem → (family, subfamily, weight, source file below the download folder)
FACES: dict[str, tuple[str, str, int, str]] = {
    "IsocostSans-Regular": ("Isocost Sans", "Regular", 400, "400Regular/Inter_400Regular.ttf"),
    "IsocostSans-Medium": ("Isocost Sans", "Medium", 500, "500Medium/Inter_500Medium.ttf"),
    "IsocostSans-SemiBold": ("Isocost Sans", "SemiBold", 600, "600SemiBold/Inter_600SemiBold.ttf"),
    "IsocostSerif-Regular": ("Isocost Serif", "Regular", 400, "400Regular/SourceSerif4_400Regular.ttf"),
    "IsocostSerif-Italic": ("Isocost Serif", "Italic", 400, "400Regular_Italic/SourceSerif4_400Regular_Italic.ttf"),
    "IsocostSerif-SemiBold": ("Isocost Serif", "SemiBold", 600, "600SemiBold/SourceSerif4_600SemiBold.ttf"),
    "IsocostDisplay-SemiBold": ("Isocost Display", "SemiBold", 600, "files/source-serif-4-latin-standard-normal.woff2"),
    "IsocostMono-Regular": ("Isocost Mono", "Regular", 400, "400Regular/IBMPlexMono_400Regular.ttf"),
}  # fmt: skip


def cut(source: Path, stem: str) -> None:
    """Instantiate, subset and rename one face into this folder."""
    from fontTools import subset
    from fontTools.ttLib import TTFont
    from fontTools.varLib import instancer

    family, style, weight, _ = FACES[stem]
    font: Any = TTFont(source, recalcTimestamp=False)
    if "fvar" in font:
        # The optical size for 33 pt headings is the display cut.
        font = instancer.instantiateVariableFont(font, {"wght": weight, "opsz": 60})
    options = subset.Options(
        layout_features=FEATURES, hinting=False, glyph_names=False, notdef_outline=True
    )
    options.name_IDs = [0, 13, 14]
    options.recalc_timestamp = False
    chosen = {c for low, high in RANGES for c in range(low, high + 1)}
    subsetter = subset.Subsetter(options)
    subsetter.populate(unicodes=chosen & set(font.getBestCmap()))
    subsetter.subset(font)
    font["OS/2"].usWeightClass = weight
    for tag in ("STAT", "DSIG", "meta"):
        if tag in font:
            del font[tag]
    names = {1: family, 2: style, 3: stem, 4: f"{family} {style}", 6: stem}
    for key, text in names.items():
        font["name"].setName(text, key, 3, 1, 0x409)
    font.flavor = None
    font.save(HERE / f"{stem}.ttf", reorderTables=True)


def main(folder: Path) -> None:
    """Cut every face from the release files found anywhere below `folder`."""
    for stem, (_, _, _, wanted) in FACES.items():
        cut(next(p for p in folder.rglob("*") if str(p).endswith(wanted)), stem)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
