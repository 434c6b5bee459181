"""HammingMesh: small boards wired as meshes, rows and columns joined by switches."""

from isocost.engine.topology.base import Refusal
from isocost.engine.topology.fabric import Fabric, Tier
from isocost.engine.topology.registry import topology


def line(ports: int, radix: int) -> tuple[int, int]:
    """Switches and inner cables of the network that joins `ports` of one line.

    One switch (or a part of one) while it has ports enough, else two tiers.
    """
    if ports <= radix:
        return 1, 0
    half = radix // 2
    leaves = -(-ports // half)
    return leaves + -(-ports // radix), ports


@topology
def hammingmesh(
    boards_x: int, boards_y: int, board: int = 2, radix: int = 64, planes: int = 4
) -> Fabric | Refusal:
    """A HammingMesh of square boards; `board` 1 is a HyperX of single chips.

    Args:
        boards_x: Boards in a row.
        boards_y: Boards in a column.
        board: Chips along an edge of a board.
        radix: Ports of a switch.
        planes: Parallel networks; every chip has four links in each.

    Example:
        hammingmesh(boards_x = 4, boards_y = 4)
    """
    widest = max(boards_x, boards_y) * 2
    if widest > radix * (radix // 2):
        most = radix * (radix // 2) // 2
        return Refusal("radix", {"boards": widest // 2, "radix": radix},
                       {"boards_x": most, "boards_y": most})  # fmt: skip
    switches = inner = edge = 0
    for along, across in ((boards_x, boards_y), (boards_y, boards_x)):
        lines, ports = across * board, along * 2
        each, cables = line(ports, radix)
        shared = max(1, radix // ports) if each == 1 else 1
        shared = min(shared, board)
        switches += -(-lines // shared) * each
        inner += lines * cables
        edge += lines * ports
    chips = boards_x * boards_y * board * board
    on_board = boards_x * boards_y * 2 * board * (board - 1)
    # Halving a dimension severs the two ports of half of the boards of each line.
    cut = min(boards_x * boards_y * board, chips * 2)
    # Traffic also crosses the boards on its way: a share of 1 / (2 board) is left.
    taper = 1.0 if board == 1 else 2.0 * board
    two_tier = 2 * max(boards_x, boards_y) > radix
    return Fabric(
        "hammingmesh",
        chips,
        {
            "port": edge * planes,
            "line": inner * planes,
            "board": on_board * planes,
        },
        {"line": switches * planes},
        (
            Tier("board", board * board, taper),
            Tier("system", chips),
        ),
        cut / 4,
        4 * ((board - 1) // 2) + (8 if two_tier else 4),
        planes=4 * planes,
        # North, south, east and west.
        ways=4,
        drawn="boards",
        parts={"columns": boards_x, "rows": boards_y, "board": board},
    )
