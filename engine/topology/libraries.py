"""Which algorithms the collective libraries have."""

from isocost.engine.topology.base import ANY, Library

#: By name. NCCL's trees run between nodes; inside one it uses rings and the switch.
#: Its rings pass through every rank of every node, and do not reduce inside first.
LIBRARIES = {
    "any": ANY,
    "nccl": Library(
        inside=frozenset({"ring", "in_network", "chain", "direct"}),
        across=frozenset({"ring", "double_tree", "in_network", "chain", "direct"}),
        through=frozenset({"ring"}),
    ),
    "neuron": Library(
        inside=frozenset({"mesh", "recursive", "paired_ring", "ring", "direct"}),
        across=frozenset({"ring", "recursive", "direct"}),
    ),
    "xla": Library(
        inside=frozenset({"bucket", "direct"}),
        across=frozenset({"ring", "direct"}),
    ),
}
