"""What a scenario says of two pools: one takes prompts in, the other decodes."""

from typing import Any

import attrs

from isocost.dsl.schema.base import block, count, quantity

# ruff: noqa: RUF009 (fields are declared by calls, as in every kind)
#: The pools, and the degrees that a pool may have of its own.
POOLS = ("prefill", "decode")
DEGREES = ("tp", "pp", "dp", "ep", "cp")


def _system(pool: str) -> Any:
    return block(f"The system of the {pool} pool.", "system", path=f"{pool}.system")


def _systems(pool: str) -> Any:
    return count(
        f"How many systems the {pool} pool has.",
        "system",
        decision=True,
        path=f"{pool}.systems",
    )


def _fabric(pool: str) -> Any:
    return block(f"The network of the {pool} pool.", "fabric", path=f"{pool}.fabric")


def _software(pool: str) -> Any:
    return block(f"The stack of the {pool} pool.", "software", path=f"{pool}.software")


def _degree(pool: str, degree: str) -> Any:
    return count(
        f"Parallelism {degree} of the {pool} pool.",
        decision=True,
        chosen=True,
        low=1.0,
        path=f"{pool}.parallel.{degree}",
    )


def _batch(pool: str) -> Any:
    return quantity(
        "sequence",
        f"Sequences that one instance of the {pool} pool takes at once.",
        decision=True,
        chosen=True,
        bare="sequence",
        path=f"{pool}.batch.instance",
    )


@attrs.frozen(init=False, repr=False, eq=False)
class Pools:
    """Overrides of a pool; what is left out is as in the whole scenario."""

    prefill__system: Any = _system("prefill")
    prefill__systems: Any = _systems("prefill")
    prefill__fabric: Any = _fabric("prefill")
    prefill__software: Any = _software("prefill")
    prefill__parallel__tp: Any = _degree("prefill", "tp")
    prefill__parallel__pp: Any = _degree("prefill", "pp")
    prefill__parallel__dp: Any = _degree("prefill", "dp")
    prefill__parallel__ep: Any = _degree("prefill", "ep")
    prefill__parallel__cp: Any = _degree("prefill", "cp")
    prefill__batch__instance: Any = _batch("prefill")
    decode__system: Any = _system("decode")
    decode__systems: Any = _systems("decode")
    decode__fabric: Any = _fabric("decode")
    decode__software: Any = _software("decode")
    decode__parallel__tp: Any = _degree("decode", "tp")
    decode__parallel__pp: Any = _degree("decode", "pp")
    decode__parallel__dp: Any = _degree("decode", "dp")
    decode__parallel__ep: Any = _degree("decode", "ep")
    decode__parallel__cp: Any = _degree("decode", "cp")
    decode__batch__instance: Any = _batch("decode")
    kv_transfer__bandwidth: Any = quantity(
        "GB/s",
        "What carries the cache from an instance of one pool to one of the other.",
        path="kv_transfer.bandwidth",
    )
