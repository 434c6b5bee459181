"""A reviewer's wait: the diff of two files of a thousand lines and twenty scenarios."""

import tempfile
from pathlib import Path

from benchmarks._frame import PYTHON, Outcome, command, race_processes

SCENARIOS = 20
HEAD = """\
edition 2026

import "isocost:systems/trn2"
import "isocost:models/llama"
"""
PART = """
source letter_{i} "A letter" {{
  publisher = "Maker"
  date = 2025-03-01
  kind = vendor
}}

software stack_{i} {{
  chips = [trn2]
  memory.sustained = 68% to 88% @letter_{i} "0.79"
  memory.cache_sustained = 53% to 75% @letter_{i}
  matrix.base = 0.5 to 0.95 @letter_{i}
  attention.efficiency = 10% to 60% @letter_{i}
  layer_overhead = 65 us to 170 us @letter_{i}
  collective.efficiency = 15% to 24% @letter_{i}
  collective.launch = 8 us to 20 us @letter_{i}
  collectives = [bucket, direct]
  residual = 0.62 to 1.62 @letter_{i}
}}

fabric net_{i} {{
  price = 1_200 $/chip to 3_000 $/chip @assumed "ports and optics"
  power = 20 W/chip to 45 W/chip @assumed "half a 400G optic"
}}

site hall_{i} {{
  electricity = 0.075 $/kWh to 0.095 $/kWh @assumed "a rate"
  pue = 1.10 to 1.15 @letter_{i}
  colocation = 90 $/kW-month to 140 $/kW-month @assumed "a lease"
}}

finance terms_{i} {{
  tenure = own
  cost_of_capital = 8% to 11% @assumed "a mix"
  life[server] = 5 year @assumed "as is usual"
  sold = 55% to 75% @assumed "demand follows the day"
}}

workload chat_{i} {{
  task = inference
  model = llama3_70b
  prompt = 1024 token @assumed "a turn"
  output = 512 token @assumed "an answer"
  precision.weights = fp8
  precision.cache = fp8
  parallel.tp = auto
  batch.instance = auto
  slo.tpot[mean] = 50 ms @assumed "for a reader"
}}

scenario case_{i} {{
  system = trn2_ultra
  fabric = net_{i}
  size = 4096 chip
  software = stack_{i}
  workload = chat_{i}
  site = hall_{i}
  finance = terms_{i}
  chip.price = 3_500 $ to 6_500 $ @assumed "no public price"
}}
"""


def texts() -> tuple[str, str]:
    """The file before, and after with a few facts changed for every scenario."""
    old = HEAD + "".join(PART.format(i=i) for i in range(SCENARIOS))
    new = old.replace("0.075 $/kWh to 0.095", "0.065 $/kWh to 0.085")
    new = new.replace("3_500 $ to 6_500", "3_200 $ to 6_000")
    return old, new


def run() -> Outcome:
    """Time `isocost diff` against a Python that only loads NumPy."""
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder, name) for name in ("old.scn", "new.scn")]
        for path, text in zip(paths, texts(), strict=True):
            path.write_text(text, encoding="utf-8")
        ours, rival = race_processes(
            command("diff", *map(str, paths), "--format", "json"),
            [PYTHON, "-c", "import numpy"],
            runs=3,
        )
    return Outcome(
        what=f"isocost diff, 1,200 lines, {SCENARIOS} scenarios, all of them moved",
        value=ours,
        unit="s",
        rival="python -c 'import numpy'",
        rival_value=rival,
        limit=3.0,
        notes={"lines": float(texts()[0].count("\n"))},
    )
