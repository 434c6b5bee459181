"""Data-sheet figures of the chips that measurements name, for calibration alone.

Scenarios take a chip from the catalogue; a measurement names it in a column. Peaks
are dense, links one way, memory is what a program sees (below the label: 79.6 GiB
of "80 GB"). A figure that no data sheet states is in `guessed`, and widens what is
predicted from it.
"""

import attrs

from isocost.engine.calibration.chip_names import key, spellings


@attrs.frozen
class Chip:
    """One chip: TFLOP/s, TB/s, GiB, GB/s and W as printed on its data sheet."""

    name: str
    vendor: str
    bf16: float
    fp8: float | None
    fp4: float | None
    bandwidth: float
    visible: float
    link: float
    fabric: str
    power: float
    domain: int = 8
    node_link: float = 50.0
    guessed: tuple[str, ...] = ()
    int8: float | None = None

    def peak(self, precision: str) -> float:
        """Dense peak in TFLOP/s: the widest type at hand where one is not native."""
        if precision == "fp4" and self.fp4:
            return self.fp4
        if precision == "int8":
            return self.int8 or self.fp8 or self.bf16
        if precision in {"fp4", "fp8"} and self.fp8:
            return self.fp8
        return self.bf16


_GUESS = ("power",)
CHIPS = (
    Chip(
        "A100-SXM-80GB",
        "nvidia",
        312,
        None,
        None,
        2.039,
        79.2,
        300,
        "nvlink3",
        400,
        int8=624,
    ),
    Chip(
        "A100-SXM-40GB",
        "nvidia",
        312,
        None,
        None,
        1.555,
        39.4,
        300,
        "nvlink3",
        400,
        int8=624,
    ),
    Chip(
        "A100-PCIe-80GB",
        "nvidia",
        312,
        None,
        None,
        1.935,
        79.2,
        32,
        "pcie4",
        300,
        int8=624,
    ),
    Chip(
        "A100-PCIe-40GB",
        "nvidia",
        312,
        None,
        None,
        1.555,
        39.4,
        32,
        "pcie4",
        250,
        int8=624,
    ),
    Chip("A800", "nvidia", 312, None, None, 2.039, 79.2, 200, "nvlink3", 400, int8=624),
    Chip("V100-SXM-32GB", "nvidia", 125, None, None, 0.9, 31.7, 150, "nvlink3", 300),
    Chip("T4", "nvidia", 65, None, None, 0.32, 14.6, 16, "pcie4", 70, int8=130),
    Chip("A30", "nvidia", 165, None, None, 0.933, 23.5, 32, "pcie4", 165, int8=330),
    Chip("A40", "nvidia", 150, None, None, 0.696, 44.4, 32, "pcie4", 300, int8=299),
    Chip(
        "RTX-A6000", "nvidia", 155, None, None, 0.768, 47.5, 32, "pcie4", 300, int8=310
    ),
    Chip("A10", "nvidia", 125, None, None, 0.600, 22.5, 32, "pcie4", 150, int8=250),
    Chip("A10G", "nvidia", 70, None, None, 0.600, 22.0, 32, "pcie4", 300, int8=140),
    Chip("L4", "nvidia", 121, 242, None, 0.300, 22.5, 32, "pcie4", 72),
    Chip("L40", "nvidia", 181, 362, None, 0.864, 44.4, 32, "pcie4", 300),
    Chip("L40S", "nvidia", 362, 733, None, 0.864, 44.4, 32, "pcie4", 350),
    Chip("RTX-4090", "nvidia", 165, 330, None, 1.008, 23.5, 32, "pcie4", 450),
    Chip("RTX-5090", "nvidia", 210, 419, 1676, 1.792, 31.3, 64, "pcie5", 575),
    Chip("H100-SXM-80GB", "nvidia", 989, 1979, None, 3.35, 79.6, 450, "nvlink4", 700),
    Chip("H100-PCIe", "nvidia", 756, 1513, None, 2.00, 79.6, 64, "pcie5", 350),
    Chip("H100-NVL", "nvidia", 835, 1671, None, 3.94, 93.6, 300, "nvlink4", 400, 2),
    Chip("GH200", "nvidia", 989, 1979, None, 4.0, 95.0, 450, "nvlink4", 900, 1),
    Chip("GH200-144GB", "nvidia", 989, 1979, None, 4.9, 141.0, 450, "nvlink4", 900, 1),
    Chip("H200-SXM", "nvidia", 989, 1979, None, 4.8, 140.4, 450, "nvlink4", 700),
    Chip("H200-NVL", "nvidia", 835, 1671, None, 4.8, 140.4, 450, "nvlink4", 600, 4),
    Chip("H800", "nvidia", 989, 1979, None, 3.35, 79.6, 200, "nvlink4", 700),
    Chip("H20", "nvidia", 148, 296, None, 4.0, 95.6, 450, "nvlink4", 500),
    Chip("H20-141GB", "nvidia", 148, 296, None, 4.8, 140.4, 450, "nvlink4", 500),
    Chip("B200-SXM", "nvidia", 2250, 4500, 9000, 7.7, 179.0, 900, "nvlink5", 1000),
    Chip(
        "B300-SXM", "nvidia", 2250, 4500, 13500, 8.0, 268, 900, "nvlink5", 1100, 8, 100
    ),
    Chip("GB200", "nvidia", 2500, 5000, 10000, 8.0, 185.0, 900, "nvlink5", 1200, 72),
    Chip("GB300", "nvidia", 2500, 5000, 15000, 8.0, 275, 900, "nvlink5", 1400, 72, 100),
    Chip("RTX-PRO-6000-SE", "nvidia", 500, 1000, 2000, 1.597, 95.0, 64, "pcie5", 600),
    Chip("MI250X", "amd", 383, None, None, 3.277, 127.5, 200, "xgmi", 560, int8=383),
    Chip("MI300X", "amd", 1307, 2615, None, 5.3, 191.5, 448, "xgmi", 750),
    Chip("MI325X", "amd", 1307, 2615, None, 6.0, 255.5, 448, "xgmi", 1000),
    Chip("MI350X", "amd", 2300, 4600, 9200, 8.0, 287.5, 537, "xgmi", 1000),
    Chip("MI355X", "amd", 2516, 5033, 10066, 8.0, 287.5, 537, "xgmi", 1400),
    Chip("Gaudi2", "intel", 432, 865, None, 2.45, 94.6, 262, "roce", 600),
    Chip("Gaudi3", "intel", 1678, 1678, None, 3.7, 126.0, 525, "roce", 900),
    Chip("TPU-v4", "google", 275, None, None, 1.228, 32, 300, "ici", 192, 64),
    Chip(
        "TPU-v5e",
        "google",
        197,
        None,
        None,
        0.819,
        16,
        200,
        "ici",
        200,
        256,
        3,
        _GUESS,
        int8=393,
    ),
    Chip(
        "TPU-v5p", "google", 459, None, None, 2.765, 95, 600, "ici", 500, 64, 6, _GUESS
    ),
    Chip(
        "TPU-v6e",
        "google",
        918,
        None,
        None,
        1.638,
        31,
        400,
        "ici",
        400,
        256,
        12,
        _GUESS,
        int8=1836,
    ),
    Chip(
        "TPU-v7x",
        "google",
        2307,
        4614,
        None,
        7.38,
        192,
        600,
        "ici",
        980,
        64,
        12,
        _GUESS,
    ),
    Chip(
        "Inferentia2",
        "aws",
        190,
        None,
        None,
        0.82,
        32,
        96,
        "neuron",
        175,
        12,
        6,
        _GUESS,
    ),
    Chip(
        "Trainium1", "aws", 190, None, None, 0.82, 32, 192, "neuron", 200, 16, 6, _GUESS
    ),
    Chip("Trainium2", "aws", 667, 1299, None, 2.9, 96, 512, "neuron", 500, 16, 25),
    Chip("Trainium3", "aws", 671, 2517, None, 4.9, 144, 1200, "neuron", 1000, 64, 25),
)
_BY_NAME = {key(chip.name): chip for chip in CHIPS}


def find_chip(name: str) -> Chip | None:
    """The chip that a measurement names, whatever its spelling; None if unknown."""
    found = (_BY_NAME[each] for each in spellings(name) if each in _BY_NAME)
    return next(found, None)
