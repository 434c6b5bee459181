"""Small networks built link by link, to hold closed forms to."""

import itertools
from collections import Counter, deque
from collections.abc import Iterable

Graph = dict[int, Counter[int]]


def graph(nodes: int, edges: Iterable[tuple[int, int]]) -> Graph:
    """An undirected multigraph."""
    out: Graph = {node: Counter() for node in range(nodes)}
    for a, b in edges:
        out[a][b] += 1
        out[b][a] += 1
    return out


def links(net: Graph) -> int:
    """Links, each once."""
    return sum(sum(ends.values()) for ends in net.values()) // 2


def distances(net: Graph, start: int) -> dict[int, int]:
    """Links to every node from one."""
    found = {start: 0}
    queue = deque([start])
    while queue:
        node = queue.popleft()
        for other in net[node]:
            if other not in found:
                found[other] = found[node] + 1
                queue.append(other)
    return found


def diameter(net: Graph, ends: Iterable[int] | None = None) -> int:
    """The longest of the shortest ways between `ends` (all nodes if not given)."""
    inside = list(net if ends is None else ends)
    found = (distances(net, a) for a in inside)
    return max(ways[b] for ways in found for b in inside)


def bisection(net: Graph) -> int:
    """The fewest links between two halves, by trying all halves."""
    nodes = list(net)
    best = links(net)
    for rest in itertools.combinations(nodes[1:], len(nodes) // 2 - 1):
        half = {nodes[0], *rest}
        cut = sum(n for a in half for b, n in net[a].items() if b not in half)
        best = min(best, cut)
    return best


def torus(lengths: tuple[int, ...], wraps: tuple[bool, ...]) -> Graph:
    """A torus; an axis of two has one link a pair."""
    places = list(itertools.product(*(range(k) for k in lengths)))
    number = {place: index for index, place in enumerate(places)}
    edges = []
    for place in places:
        for axis, length in enumerate(lengths):
            step = place[axis] + 1
            if step == length and (not wraps[axis] or length < 3):
                continue
            other = (*place[:axis], step % length, *place[axis + 1 :])
            edges.append((number[place], number[other]))
    return graph(len(places), edges)


def hypercube(dimensions: int) -> Graph:
    """Nodes that differ in one bit are linked."""
    nodes = 2**dimensions
    edges = ((a, a ^ 1 << d) for a in range(nodes) for d in range(dimensions))
    return graph(nodes, (edge for edge in edges if edge[0] < edge[1]))


def complete_rows(sides: tuple[int, ...], trunks: int = 1) -> Graph:
    """A HyperX of routers: all of a row are linked, in every dimension."""
    places = list(itertools.product(*(range(k) for k in sides)))
    pairs = itertools.combinations(range(len(places)), 2)
    near = [
        (a, b)
        for a, b in pairs
        if sum(i != j for i, j in zip(places[a], places[b], strict=True)) == 1
    ]
    return graph(len(places), near * trunks)


def dragonfly(routers: int, global_links: int) -> Graph:
    """Routers of a dragonfly with one link between each two groups."""
    groups = routers * global_links + 1
    edges = [
        (g * routers + a, g * routers + b)
        for g in range(groups)
        for a, b in itertools.combinations(range(routers), 2)
    ]
    used: Counter[int] = Counter()
    for g, h in itertools.combinations(range(groups), 2):
        a = g * routers + used[g] // global_links
        b = h * routers + used[h] // global_links
        used[g] += 1
        used[h] += 1
        edges.append((a, b))
    return graph(groups * routers, edges)


def slim_fly(q: int) -> Graph:
    """The graph of McKay, Miller and Siran for a prime q = 1 mod 4."""
    root = next(
        g for g in range(2, q) if len({pow(g, e, q) for e in range(q)}) == q - 1
    )
    even = {pow(root, e, q) for e in range(0, q - 1, 2)}
    odd = {pow(root, e, q) for e in range(1, q - 1, 2)}
    edges = []
    for x, y, z in itertools.product(range(q), repeat=3):
        if y < z and (z - y) % q in even:
            edges.append((x * q + y, x * q + z))
        if y < z and (z - y) % q in odd:
            edges.append((q * q + x * q + y, q * q + x * q + z))
        # (0, x, y) meets (1, m, c) where y = m x + c.
        edges.append((x * q + (z * x + y) % q, q * q + z * q + y))
    return graph(2 * q * q, edges)


def hammingmesh(columns: int, rows: int, board: int) -> tuple[Graph, int]:
    """One plane: boards as meshes, a switch for each line; chips are numbered first."""
    wide, high = columns * board, rows * board
    chips = wide * high
    edges = []
    for y, x in itertools.product(range(high), range(wide)):
        for step, at, number, far in (
            (1, x, chips + y, x + 1 < wide),
            (wide, y, chips + high + x, y + 1 < high),
        ):
            here = y * wide + x
            first, last = at % board == 0, at % board == board - 1
            edges += [(here, number)] * (first + last)
            if far and not last:
                edges.append((here, here + step))
    return graph(chips + high + wide, edges), chips


def tree(radix: int, under: list[int]) -> tuple[Graph, int]:
    """A full fat-tree by tiers: `under[i]` endpoints below a subtree of tier `i`.

    The links up of a subtree's switches go round the switches of the tier above, one
    after the other; the topmost tier has links down alone.
    """
    half, endpoints = radix // 2, under[-1]
    edges: list[tuple[int, int]] = []
    below, first, ports = list(range(endpoints)), endpoints, 1
    for size in under:
        number = size // (radix if size == endpoints else half)
        groups = endpoints // size
        per = len(below) // groups
        for group in range(groups):
            inside = below[group * per : (group + 1) * per]
            ends = [node for node in inside for _ in range(ports)]
            at = first + group * number
            edges += [(node, at + index % number) for index, node in enumerate(ends)]
        below = list(range(first, first + groups * number))
        first, ports = below[-1] + 1, half
    return graph(first, edges), endpoints


def fat_tree(radix: int, leaves: int, spines: int) -> tuple[Graph, int]:
    """Two tiers without taper, and the number of endpoints (numbered first)."""
    half = radix // 2
    endpoints = leaves * half
    edges = [(e, endpoints + e // half) for e in range(endpoints)]
    for leaf in range(leaves):
        for port in range(half):
            spine = endpoints + leaves + port % spines
            edges.append((endpoints + leaf, spine))
    return graph(endpoints + leaves + spines, edges), endpoints


def isomorphic(a: Graph, b: Graph) -> bool:
    """Whether a renaming of nodes makes two small graphs equal, by backtracking."""
    nodes = list(a)

    def extend(renamed: dict[int, int]) -> bool:
        if len(renamed) == len(nodes):
            return True
        node = nodes[len(renamed)]
        for other in set(b) - set(renamed.values()):
            fits = all(a[node][n] == b[other][m] for n, m in renamed.items())
            if fits and extend({**renamed, node: other}):
                return True
        return False

    return len(a) == len(b) and extend({})
