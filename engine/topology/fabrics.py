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
        for axis in across:
            values[f"link[{axis}].latency"] = self.across_latency
            values[f"library[{axis}].efficiency"] = self.across_efficiency
            values[f"library[{axis}].own"] = 0.0
            values[f"library[{axis}].exchange"] = self.across_efficiency
            values[f"library[{axis}].reduction"] = self.across_efficiency
            values[f"library[{axis}].reduction_latency"] = self.reduction_latency
        return values


#: Shared by every fabric that was measured.
_SHARED = Coefficients(
    launch=8.45e-6,
    latency=1.006e-6,
    reduction_latency=20.6e-6,
    efficiency=0.8425,
    own=0.110,
    exchange=0.790,
    reduction=0.716,
    crowding=1.0,
    cross=1.405,
    damping=0.316,
    overlap=0.708,
    across_latency=95.3e-6,
    across_efficiency=0.906,
    spread=0.21,
    across_spread=0.40,
)


def _generation(speed: float) -> Coefficients:
    """A fabric whose latencies are `speed` times the shared ones."""
    return attrs.evolve(
        _SHARED,
        launch=_SHARED.launch * speed,
        latency=_SHARED.latency * speed,
        reduction_latency=_SHARED.reduction_latency * speed,
    )


_PCIE = attrs.evolve(_generation(0.894), efficiency=0.771, exchange=0.7225, spread=0.5)
#: By fabric. The network beside NVLink and PCIe is EFA.
FABRICS: dict[str, Coefficients] = {
    "nvlink3": _generation(1.232),
    "nvlink4": _generation(0.770),
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


def fabric_coefficients(fabric: str) -> Coefficients:
    """The coefficients of a fabric, or those of any for one that is not known."""
    return FABRICS.get(fabric, DATASHEET)
