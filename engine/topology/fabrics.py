"""Coefficients of collective libraries by fabric, as calibrated, and their doubt.

Few, and each with a physical meaning; `engine/calibration/collectives.py` fits them.
Latencies of a fabric generation are one factor times shared values; the shares of
rate and the shape of the transition between latency and bandwidth are common to all.
A fabric that is not here gets `DATASHEET`, with a wide spread.
"""

from collections.abc import Iterable

import attrs

SOURCE = (
    "calibrated on nccl-tests of A100 to GB300, PCIe and EFA "
    "(NVIDIA aiconfigurator and AWS tables; tests/data/network/collectives_open.csv)"
)


@attrs.frozen
class Coefficients:
    """A library on one scale-up fabric and the network beside it.

    `spread` is the half width of the 90% interval in ln(time) inside a domain,
    `across_spread` across domains, both from rows left out of the fit.
    `latency_spread` is that of the step across domains, which short messages feel.
    `flows` is no more than an assumption.
    """

    launch: float
    latency: float
    reduction_latency: float
    efficiency: float
    own: float
    exchange: float
    reduction: float
    crowding: float
    cross: float
    damping: float
    overlap: float
    across_latency: float
    across_efficiency: float
    spread: float
    across_spread: float
    latency_spread: float = 0.7
    flows: float = 4.0
    source: str = SOURCE

    def needs(
        self, inside: Iterable[str] = ("port",), across: Iterable[str] = ("scale_out",)
    ) -> dict[str, float]:
        """The values by need, of plans over these axes."""
        values = {
            "library.launch": self.launch,
            "library.cross": self.cross,
            "library.damping": self.damping,
            "library.overlap": self.overlap,
        }
        for axis in inside:
            values[f"link[{axis}].latency"] = self.latency
            values[f"library[{axis}].efficiency"] = self.efficiency
            values[f"library[{axis}].own"] = self.own
            values[f"library[{axis}].exchange"] = self.exchange
            values[f"library[{axis}].reduction"] = self.reduction
            values[f"library[{axis}].reduction_latency"] = self.reduction_latency
            values[f"library[{axis}].crowding"] = self.crowding
            values[f"library[{axis}].flows"] = self.flows
        for axis in across:
            values[f"link[{axis}].latency"] = self.across_latency
            values[f"library[{axis}].efficiency"] = self.across_efficiency
            values[f"library[{axis}].own"] = 0.0
            values[f"library[{axis}].exchange"] = self.across_efficiency
            values[f"library[{axis}].reduction"] = self.across_efficiency
            values[f"library[{axis}].reduction_latency"] = self.reduction_latency
            values[f"library[{axis}].flows"] = self.flows
        return values


#: Shared by every fabric that was measured.
_SHARED = Coefficients(
    launch=8.46e-6,
    latency=1.007e-6,
    reduction_latency=20.9e-6,
    efficiency=0.839,
    own=0.110,
    exchange=0.786,
    reduction=0.715,
    crowding=1.0,
    cross=1.38,
    damping=0.317,
    overlap=0.715,
    across_latency=94.4e-6,
    across_efficiency=0.904,
    spread=0.25,
    across_spread=0.30,
)


def _generation(speed: float) -> Coefficients:
    """A fabric whose latencies are `speed` times the shared ones."""
    return attrs.evolve(
        _SHARED,
        launch=_SHARED.launch * speed,
        latency=_SHARED.latency * speed,
        reduction_latency=_SHARED.reduction_latency * speed,
    )


_PCIE = attrs.evolve(_generation(0.899), efficiency=0.769, exchange=0.7206, spread=0.5)
#: By fabric. The network beside NVLink and PCIe is EFA.
FABRICS: dict[str, Coefficients] = {
    "nvlink3": _generation(1.233),
    "nvlink4": _generation(0.771),
    "nvlink5": _generation(1.161),
    "pcie5": attrs.evolve(_PCIE, crowding=3.58),
    "pcie4_host": attrs.evolve(_PCIE, crowding=25.5),
    "neuronlink": attrs.evolve(
        _SHARED,
        launch=15e-6,
        latency=1.5e-6,
        spread=0.8,
        across_latency=15e-6,
        across_spread=0.7,
        source="AWS Neuron documentation (1 to 2 us a hop, about 15 us an EFA step); "
        "shares of rate assumed as on NVLink; not validated",
    ),
    "ici": attrs.evolve(
        _SHARED,
        launch=2e-6,
        latency=1e-6,
        efficiency=0.82,
        exchange=0.82,
        own=0.0,
        cross=0.0,
        spread=0.5,
        across_spread=0.7,
        source="scaling-book, sharding (1 us a hop, 0.82 of the rate measured; sends "
        "are scheduled at build time, hence no loss of chunks); not validated",
    ),
}
#: For a fabric of which only a data sheet is known: the shared values, in wide doubt.
DATASHEET = attrs.evolve(
    _SHARED,
    spread=0.45,
    across_spread=0.7,
    source=f"{SOURCE}; this fabric was not measured",
)


@attrs.frozen
class Network:
    """What is known of the network beside a fabric where it is none of AWS's EFA."""

    latency: float
    spread: float
    source: str


#: Networks that nobody measured for this table, by what texts call them.
NETWORKS: dict[str, Network] = {
    "rdma": Network(
        latency=14e-6,
        spread=0.5,
        source="step of NCCL's own cost model (src/graph/tuning.cc); its share of the "
        "rate as on EFA; not validated",
    )
}


def beside(found: Coefficients, network: str) -> Coefficients:
    """A fabric's coefficients with another network than the one calibrated on."""
    known = NETWORKS.get(network)
    if known is None:
        return found
    return attrs.evolve(
        found,
        across_latency=known.latency,
        across_spread=known.spread,
    )


def fabric_coefficients(fabric: str) -> Coefficients:
    """The coefficients of a fabric, or those of any for one that is not known."""
    return FABRICS.get(fabric, DATASHEET)
