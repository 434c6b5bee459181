"""Laws of the diff, over pairs of documents that Hypothesis writes."""

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from isocost.dsl.diff import diff
from isocost.dsl.document import Document
from isocost.dsl.ledger import content, document_of, ledger_of
from isocost.dsl.load import Files, load
from isocost.dsl.patch import apply
from isocost.dsl.resolve import resolve

names = st.sampled_from(["a", "b", "c", "d"])
values = st.sampled_from(
    [
        *(
            "500 W",
            "0.5 kW",
            "500.0 W",
            "500 W ± 10%",
            "500 W ± 50 W",
            "450 W to 550 W",
        ),
        *("600 W", "auto", "{1, 2}", "b", "a.power * 2", "[a, b]", '"words"', "45%"),
        *("0.45", "uniform(400 W, 600 W)", "2024-12-03", "4 TB/s", "torus(x = 4)"),
    ]
)
paths = st.sampled_from(
    [
        *("power", "price", "memory.bandwidth", "peak[bf16]", "peak[fp8]", "let own"),
        *("title", "system", "finance", "chip.power", "a.power", "x", "vendor"),
    ]
)
cites = st.sampled_from(["", ' @assumed "so"', ' @s "1"', ' @s "2"', " @t"])
docs = st.sampled_from(["", "", "", "  /// words\n"])
kinds = st.sampled_from(["chip", "system", "scenario", "source", "report", "workload"])


@st.composite
def members(draw: st.DrawFn) -> str:
    sign = draw(st.sampled_from(["=", "=", "=", ":="]))
    shown = draw(st.sampled_from(["", "", "", " in kW"]))
    line = f"{draw(paths)} {sign} {draw(values)}{shown}{draw(cites)}"
    return f"{draw(docs)}  {line}\n"


@st.composite
def blocks(draw: st.DrawFn) -> str:
    title = draw(st.sampled_from(["", "", ' "A title"']))
    base = draw(st.sampled_from(["", " extends a", " extends b", " extends p.a"]))
    inside = "".join(draw(st.lists(members(), max_size=5)))
    return f"{draw(kinds)} {draw(names)}{title}{base} {{\n{inside}}}\n"


statements = st.one_of(
    st.sampled_from(
        [
            *("unit seat\n", "unit desk\n", "let z = 4 W @s\n", "let z = 5 W\n"),
            *("let y := a.power\n", 'check a.power < 5 W "why"\n'),
            *('check a.power < 6 W "why"\n', "check b.power < 5 W at 90%\n"),
            *('claim a.power > 1 W "said" @s "2"\n', "claim a.power > 1 W\n"),
            *('import "more.scn"\n', 'import "more.scn" as p\n', 'import "none.scn"\n'),
        ]
    ),
    blocks(),
    blocks(),
)
programs = st.lists(statements, max_size=7).map("".join)
pairs = st.tuples(programs, programs)


class Written(Files):
    """A main file and one that it may import."""

    def __init__(self, more: str) -> None:
        self.more = more

    def root(self, path: str) -> Path:
        return Path(path).parent

    def inside(self, path: Path, root: Path) -> bool:
        return path.is_relative_to(root)

    def text(self, path: Path) -> str | None:
        return self.more if path.name == "more.scn" else None


def document(text: str, more: str = "", name: str = "/nowhere/main.scn") -> Document:
    return resolve(load(name, text, Written(more)))


@given(programs, programs)
def test_a_ledger_states_what_its_document_states(text: str, more: str) -> None:
    made = document(text, more)
    assert content(document_of(ledger_of(made))) == content(made)


@given(programs, programs)
def test_nothing_changed_between_a_document_and_itself(text: str, more: str) -> None:
    assert diff(document(text, more), document(text, more)).changes == ()


@given(programs, programs)
def test_the_name_and_the_layout_of_a_file_are_no_change(text: str, more: str) -> None:
    spaced = "# a comment\n\n" + text.replace("\n", "  # another\n")
    if "///" in text:
        spaced = "# a comment\n\n" + text
    other = document(spaced, more, "/nowhere/other.scn")
    assert diff(document(text, more), other).changes == ()


@given(pairs, pairs)
def test_applying_a_diff_gives_the_new_document(
    old: tuple[str, str], new: tuple[str, str]
) -> None:
    a, b = document(*old), document(*new)
    assert content(apply(diff(a, b), a)) == content(b)


@given(st.lists(statements, min_size=1, max_size=7), statements, st.data())
def test_applying_a_small_diff_gives_the_new_document(
    parts: list[str], other: str, data: st.DataObject
) -> None:
    at = data.draw(st.integers(0, len(parts) - 1))
    a = document("".join(parts))
    edits = [[*parts[:at], *parts[at + 1 :]], [*parts[:at], other, *parts[at:]]]
    edits.append(list(data.draw(st.permutations(parts))))
    for edited in edits:
        b = document("".join(edited))
        assert content(apply(diff(a, b), a)) == content(b)
        assert content(apply(diff(b, a), b)) == content(a)
        assert bool(diff(a, b)) == (content(a) != content(b))


@given(pairs, pairs)
def test_every_change_says_what_it_was(
    old: tuple[str, str], new: tuple[str, str]
) -> None:
    for change in diff(document(*old), document(*new)).changes:
        assert change.path
        assert change.old is not None or change.new is not None
        assert change.old != change.new or change.aspect in {"format", "order"}
