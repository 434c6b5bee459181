"""Did you mean."""

import time

import pytest

from isocost.dsl.suggest import distance, nearest

MEMBERS = ("memory.bandwidth", "memory.capacity", "power", "price", "kv_heads", "heads")


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("powr", ("power",)),
        ("Power", ("power",)),
        ("memory.bandwith", ("memory.bandwidth",)),
        ("bandwidth", ("memory.bandwidth",)),
        ("kvheads", ("kv_heads",)),
        ("kv-heads", ("kv_heads",)),
        ("prcie", ("price",)),
        ("xyz", ()),
        ("", ()),
        ("p" * 1000, ()),
    ],
)
def test_nearest(name: str, found: tuple[str, ...]) -> None:
    assert nearest(name, MEMBERS)[: max(len(found), 1)] == found


def test_never_itself_and_at_most_three() -> None:
    assert nearest("aa", ["aa", "ab", "ac", "ad", "ae"]) == ("ab", "ac", "ad")


def test_distance() -> None:
    assert distance("abc", "abc", 2) == 0
    assert distance("abc", "acb", 2) == 1
    assert distance("abc", "xyz", 2) == 3
    assert distance("abc", "abcdef", 2) == 3


def test_many_candidates_cost_little() -> None:
    names = [f"block_{i}.memory.bandwidth" for i in range(3000)]
    start = time.process_time()
    nearest("blok_77.memory.bandwidth", names)
    assert time.process_time() - start < 2
