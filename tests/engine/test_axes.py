"""What a command line varies: texts read, and refused with a reason."""

from collections.abc import Callable

import numpy as np
import pytest

from isocost.engine.axes import AxisError, NoInputError, Spec, amount, axis, spec
from isocost.engine.evaluate import Evaluation

Evaluated = Callable[..., Evaluation]

POD = """
chip fast {
  power = 500 W @assumed "a test"
}
system pod {
  chip = fast
  chips = 4 chip
}
scenario one {
  system = pod
  let heat := chip.power * system.chips
}
scenario two extends one {
  chip.power = 700 W @assumed "a test"
}
"""


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("a.b", Spec("a.b")),
        ("a.b=1:2", Spec("a.b", ("1", "2"))),
        ("a = 1 W : 2 kW : 1_000", Spec("a", ("1 W", "2 kW"), 1000)),
        ("a=1:2:9:log", Spec("a", ("1", "2"), 9, logarithmic=True)),
        ("a=1,2 W,4", Spec("a", ("1", "2 W", "4"), listed=True)),
    ],
)
def test_texts_are_read(text: str, wanted: Spec) -> None:
    assert spec(text) == wanted


@pytest.mark.parametrize(
    "text", ["", "=1:2", "a=", "a=1:2:0", "a=1:2:x", "a=:2", "a=1:2:3:lin", "a=1:2:-3"]
)
def test_what_says_nothing_is_refused(text: str) -> None:
    with pytest.raises(AxisError):
        spec(text)


def test_amounts_have_units_or_take_the_input_s() -> None:
    assert amount("1_500", "W", 1.0) == 1500
    assert amount("-2e3", "kW", 1e3) == -2e6
    assert amount("2 kW", "W", 1.0) == 2000
    assert amount("100k", "$/system", 1.0) == 100_000
    with pytest.raises(AxisError, match=r"write '100k \$/system', or '100k' alone"):
        amount("100k $", "$/system", 1.0)
    assert amount("60%", "%", 0.01) == amount("60", "%", 0.01) == 0.6
    for text in ("2 s", "two", "1 W to 2 W", "nan", ""):
        with pytest.raises(AxisError):
            amount(text, "W", 1.0)


def test_a_shared_role_moves_everywhere(evaluated: Evaluated) -> None:
    evaluation = evaluated(POD)
    nodes = [evaluation.node(name, "heat") for name in ("one", "two")]
    wanted = [node for node in nodes if node is not None]
    both = axis(evaluation, wanted, spec("chip.power=400:600:3"))
    one = axis(evaluation, wanted, spec("fast.power=400,600"))
    assert (len(both.nodes), both.size) == (2, 3)
    assert both.at(np.arange(3)).tolist() == [400.0, 500.0, 600.0]
    assert (len(one.nodes), one.values) == (1, (400.0, 600.0))
    with pytest.raises(NoInputError, match=r"fast\.power"):
        axis(evaluation, wanted, spec("chip.powre=1:2"))


def test_logarithmic_grids_and_ranges(evaluated: Evaluated) -> None:
    evaluation = evaluated(POD)
    node = evaluation.node("one", "heat")
    assert node is not None
    grid = axis(evaluation, [node], spec("chip.power=1 W:100 W:3:log"))
    assert grid.at(np.arange(3)) == pytest.approx([1, 10, 100])
    assert grid.between(np.array([0.0, 0.5, 1.0])) == pytest.approx([1, 10, 100])
    with pytest.raises(AxisError):
        axis(evaluation, [node], spec("chip.power=0:100:3:log"))


def test_a_grid_is_never_held_whole(evaluated: Evaluated) -> None:
    evaluation = evaluated(POD)
    node = evaluation.node("one", "heat")
    assert node is not None
    for ends, wanted in (("1:3:{}", [1, 2, 3]), ("1:9:{}:log", [1, 3, 9])):
        text = f"chip.power={ends.format(1_000_000_001)}"
        grid = axis(evaluation, [node], spec(text))
        assert grid.size == 1_000_000_001
        places = np.array([0, 500_000_000, 1_000_000_000])
        assert grid.at(places) == pytest.approx(wanted)
    down = axis(evaluation, [node], spec("chip.power=3:1:3"))
    assert down.at(np.arange(3)).tolist() == [3, 2, 1]
    assert axis(evaluation, [node], spec("chip.power=7:9:1")).at(np.arange(1)) == [7]


def test_keys_of_a_path_may_stand_without_a_space() -> None:
    assert spec("book.rental[h100,year]=1:2") == spec("book.rental[h100, year]=1:2")
