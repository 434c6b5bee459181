"""Laws of the merge, and its likeness to a merge by lines where that one works."""

import subprocess
import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from isocost.dsl.ledger import content
from isocost.dsl.load import load
from isocost.dsl.merge import cut, merge
from isocost.dsl.resolve import resolve

names = st.sampled_from(["a", "b", "c"])
facts = st.builds(
    "{}  {} = {} W @assumed\n".format,
    st.sampled_from(["", "", "  # why\n", "\n"]),
    st.sampled_from(["power", "memory.capacity", "sram", "peak[fp8]"]),
    st.integers(1, 3),
)
blocks = st.builds(
    "{}chip {} {{\n{}}}\n".format,
    st.sampled_from(["", "\n", "# note\n"]),
    names,
    st.lists(facts, max_size=4).map("".join),
)
lets = st.builds("let {} = {}\n".format, st.sampled_from(["x", "y"]), st.integers(1, 3))
texts = st.lists(st.one_of(blocks, lets), max_size=5).map("".join).filter(cut)


def versions(text: str) -> st.SearchStrategy[str]:
    """Texts that differ from one in some lines."""
    lines = text.splitlines(keepends=True)
    changes = [line.replace("= 1", "= 9").replace("= 2", "= 8") for line in lines]

    def made(picks: list[int]) -> str:
        out = []
        for i, line in enumerate(lines):
            pick = picks[i] if i < len(picks) else 0
            dropped = pick == 2 and "=" in line
            out.append(changes[i] if pick == 1 else "" if dropped else line)
            if pick == 3 and "=" in line:
                out.append(f"  let more_{i} = 5\n")
        return "".join(out)

    size = len(lines)
    picks = st.lists(st.sampled_from([0, 0, 0, 1, 2, 3]), min_size=size, max_size=size)
    return picks.map(made).filter(lambda t: cut(t) is not None)


triples = texts.flatmap(
    lambda text: st.tuples(st.just(text), versions(text), versions(text))
)


@given(texts)
def test_the_pieces_of_a_text_are_the_text(text: str) -> None:
    found = cut(text)
    assert found is not None
    assert "".join(piece.whole for piece in found.values()) == text


@given(triples)
def test_one_side_alone_is_taken_as_it_is(sides: tuple[str, str, str]) -> None:
    base, ours, theirs = sides
    for a, b, c, wanted in (
        (base, ours, base, ours),
        (base, base, theirs, theirs),
        (base, ours, ours, ours),
    ):
        found = merge(a, b, c)
        assert found is not None
        assert (found.text, found.conflicts) == (wanted, 0)


def by_lines(base: str, ours: str, theirs: str) -> str | None:
    """The merge by lines; None where it has conflicts."""
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder, name) for name in ("ours", "base", "theirs")]
        for path, text in zip(paths, (ours, base, theirs), strict=True):
            path.write_text(text)
        done = subprocess.run(
            ["git", "merge-file", "-p", *map(str, paths)],
            capture_output=True,
            text=True,
            check=False,
        )
    return done.stdout if done.returncode == 0 else None


def stated(text: str) -> object:
    return content(resolve(load("/nowhere/a.scn", text)))


@settings(max_examples=60)
@given(triples)
def test_where_lines_merge_facts_merge_to_the_same(
    sides: tuple[str, str, str],
) -> None:
    wanted = by_lines(*sides)
    if wanted is None or cut(wanted) is None:
        return
    found = merge(*sides)
    assert found is not None
    assert found.conflicts == 0
    assert stated(found.text) == stated(wanted)


def values(text: str) -> dict[str, str]:
    """Every statement of a text by its place."""
    out: dict[str, str] = {}
    for key, piece in (cut(text) or {}).items():
        if piece.inside is None:
            out["/".join(key)] = piece.text.strip()
            continue
        for inner, fact in piece.inside.items():
            out["/".join((*key, *inner))] = fact.text.strip()
    return out


@given(triples)
def test_every_edit_of_either_side_is_in_the_result(
    sides: tuple[str, str, str],
) -> None:
    found = merge(*sides)
    if found is None:
        return
    base, ours, theirs = map(values, sides)
    clashes = 0
    result = values(found.text) if not found.conflicts else {}
    for key in {**base, **ours, **theirs}:
        was, first, second = (side.get(key) for side in (base, ours, theirs))
        if first != second and was not in (first, second):
            clashes += 1
        elif not found.conflicts:
            assert result.get(key) == (second if first == was else first)
    assert bool(clashes) <= bool(found.conflicts)


@given(triples)
def test_the_sides_of_a_merge_are_alike(sides: tuple[str, str, str]) -> None:
    base, ours, theirs = sides
    found, other = merge(base, ours, theirs), merge(base, theirs, ours)
    assert (found is None) == (other is None)
    if found is not None and other is not None:
        assert found.conflicts == other.conflicts
