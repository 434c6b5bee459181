"""Fat-trees of one to four tiers: tapered, partly filled, in planes and on rails."""

import math
from collections.abc import Mapping

import attrs

from isocost.engine.topology.base import Refusal
from isocost.engine.topology.fabric import Fabric, Tier
from isocost.engine.topology.registry import topology

NAMES = ("leaf", "spine", "core", "super")
MOST_TIERS = len(NAMES)


@attrs.frozen
class Shape:
    """What a fat-tree is asked to be; `down` and `up` are ports of a leaf."""

    endpoints: int
    radix: int
    tiers: int
    down: int
    up: int
    top_taper: float = 1.0
    rails: int = 1
    even: bool = True

    @property
    def most(self) -> int:
        """Endpoints that the tree holds at most (in one plane)."""
        if self.tiers == 1:
            return self.radix
        middle = math.prod([self.radix // 2] * (self.tiers - 2))
        return self.down * middle * self.radix


def halved(radix: int, down: int, up: int, oversubscription: float) -> tuple[int, int]:
    """Ports of a leaf down and up; what is not given follows from the taper."""
    if not down:
        down = math.floor(radix * oversubscription / (1 + oversubscription) + 1e-9)
    if not up:
        up = min(radix - down, math.ceil(down / oversubscription - 1e-9))
    return down, up


def next_divisor(least: int, whole: int) -> int:
    """The smallest divisor of `whole` that is at least `least`, else `least`."""
    fits = (n for n in range(least, whole + 1) if whole % n == 0)
    return next(fits, least)


def counts(shape: Shape) -> tuple[dict[str, int], dict[str, int]]:
    """Switches and cables by tier, in one plane.

    Leaves fill up with endpoints (on rails, each rail its own leaves); every
    leaf has all its uplinks. Switches above carry the links that come from below;
    `even` spreads the uplinks of a leaf over the spines without remainder, which
    takes more spines where the number of leaves is no power of two.
    """
    if shape.tiers == 1:
        return {"leaf": -(-shape.endpoints // shape.radix)}, {"port": shape.endpoints}
    rail = -(-shape.endpoints // shape.rails)
    leaves = -(-rail // shape.down) * shape.rails
    rising = leaves * shape.up
    switches, cables = {"leaf": leaves}, {"port": shape.endpoints, "leaf": rising}
    for name in NAMES[1 : shape.tiers - 1]:
        is_last = name == NAMES[shape.tiers - 2]
        taper = shape.top_taper if is_last else 1.0
        below = _below(shape, taper)
        switches[name] = -(-rising // below)
        rising = math.ceil(rising / taper - 1e-9)
        cables[name] = rising
    top = -(-rising // shape.radix)
    even = shape.even and shape.tiers == 2  # noqa: PLR2004 (leaf and spine)
    switches[NAMES[shape.tiers - 1]] = next_divisor(top, shape.up) if even else top
    return switches, cables


def _below(shape: Shape, taper: float | None = None) -> int:
    """Ports that a middle switch has downwards at a taper (the top's if not given)."""
    taper = shape.top_taper if taper is None else taper
    return math.floor(shape.radix * taper / (1 + taper) + 1e-9)


def refused(shape: Shape) -> Refusal | None:
    """Why a tree of this shape cannot be built."""
    if not 1 <= shape.tiers <= MOST_TIERS:
        tiers = min(max(shape.tiers, 1), MOST_TIERS)
        return Refusal("tiers", {"tiers": shape.tiers}, {"tiers": tiers})
    if shape.tiers > 1 and shape.down + shape.up > shape.radix:
        args = {"down": shape.down, "up": shape.up, "radix": shape.radix}
        return Refusal("ports", args, {"up": max(0, shape.radix - shape.down)})
    if shape.tiers > 1 and min(shape.down, shape.up, _below(shape)) < 1:
        args = {"down": shape.down, "up": shape.up, "radix": shape.radix}
        return Refusal("no_ports", args)
    if shape.endpoints <= shape.most:
        return None
    args = {"endpoints": shape.endpoints, "most": shape.most, "radix": shape.radix}
    args["tiers"] = shape.tiers
    deeper = (
        attrs.evolve(shape, tiers=tiers)
        for tiers in range(shape.tiers + 1, MOST_TIERS + 1)
    )
    fits = next((s.tiers for s in deeper if s.endpoints <= s.most), None)
    nearest = {"endpoints": shape.most}
    if fits:
        nearest["tiers"] = fits
    return Refusal("radix", args, nearest)


def total_taper(shape: Shape) -> float:
    """Ports down over ports up, multiplied over the tiers."""
    if shape.tiers == 1:
        return 1.0
    deep = shape.tiers > 2  # noqa: PLR2004 (leaf and spine have one taper)
    return shape.down / shape.up * (shape.top_taper if deep else 1.0)


def tiers_of(shape: Shape) -> tuple[Tier, ...]:
    """Endpoints under a switch of each tier, and the taper above it."""
    if shape.tiers == 1:
        return (Tier("leaf", shape.endpoints),)
    taper = shape.down / shape.up
    under = shape.down
    out = [Tier("leaf", under, taper)]
    for name in NAMES[1 : shape.tiers - 1]:
        under *= shape.radix // 2
        is_last = name == NAMES[shape.tiers - 2]
        out.append(Tier(name, under, total_taper(shape) if is_last else taper))
    return (*out, Tier(NAMES[shape.tiers - 1], shape.endpoints))


def left_free(
    shape: Shape, switches: Mapping[str, int], cables: Mapping[str, int]
) -> dict[str, int]:
    """Ports of each tier that no cable uses."""
    ends = [*cables.values(), 0]
    return {
        name: number * shape.radix - ends[index] - ends[index + 1]
        for index, (name, number) in enumerate(switches.items())
    }


def assembled(shape: Shape, *, planes: int, trees: int = 1) -> Fabric | Refusal:
    """A shape as a fabric: `planes` for every endpoint, `trees` side by side."""
    refusal = refused(shape)
    if refusal is not None:
        return refusal
    switches, cables = counts(shape)
    copies = planes * trees
    free = left_free(shape, switches, cables)
    endpoints = shape.endpoints * trees
    return Fabric(
        "fat_tree",
        endpoints,
        {name: n * copies for name, n in cables.items()},
        {name: n * copies for name, n in switches.items()},
        tiers_of(shape),
        endpoints / 2 / max(1.0, total_taper(shape)),
        2 * shape.tiers,
        planes=planes,
        free={name: n * copies for name, n in free.items()},
    )


@topology
def fat_tree(
    endpoints: int,
    radix: int,
    tiers: int = 2,
    oversubscription: float = 1.0,
    planes: int = 1,
    rails: int = 1,
    down: int = 0,
    up: int = 0,
    top_oversubscription: float = 1.0,
    even: int = 1,
    rail_only: int = 0,
    reduces: int = 0,
) -> Fabric | Refusal:
    """A fat-tree.

    Args:
        endpoints: Network ports of one plane: a chip with one NIC has one.
        radix: Ports of a switch.
        tiers: 1 to 4.
        oversubscription: Ports down over ports up of a leaf.
        planes: Parallel trees; every endpoint has a port in each.
        rails: Endpoints of a server that go to leaves of their own.
        down: Ports of a leaf for endpoints; 0: as the oversubscription says.
        up: Ports of a leaf for spines; 0: as the oversubscription says.
        top_oversubscription: The same ratio below the topmost of 3 or 4 tiers.
        even: 1 spreads the uplinks of a leaf over the spines without remainder.
        rail_only: 1 makes each rail a tree of its own, with nothing between them.
        reduces: 1 if the switches reduce (InfiniBand SHARP).

    Example:
        fat_tree(endpoints = 512, radix = 64, tiers = 2)
    """
    down, up = halved(radix, down, up, oversubscription)
    trees = rails if rail_only else 1
    shape = Shape(
        -(-endpoints // trees),
        radix,
        tiers,
        down,
        up,
        top_oversubscription,
        1 if rail_only else rails,
        bool(even),
    )
    tree = assembled(shape, planes=planes, trees=trees)
    if isinstance(tree, Refusal):
        return tree
    return attrs.evolve(tree, rails=rails, reduces=bool(reduces))
