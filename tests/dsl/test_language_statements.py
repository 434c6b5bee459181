"""The statements of the specification, as it writes them, in one file that works."""

from pathlib import Path

import pytest

from isocost.__main__ import main
from isocost.dsl.check import check_file
from isocost.engine.evaluate import Evaluation
from isocost.engine.quantities import table

#: What the specification shows, with the blocks that it takes for granted. It declares
#: `sa_trn2` as well, which the imported file brings along.
STATEMENTS = """edition 2026
import "isocost:chips/aws"                      # shipped
import "isocost:systems/trn2"
import "isocost:systems/gpu"
import "isocost:software/neuron"
import "isocost:models/llama"
import "isocost:sites/us"
import "isocost:finance/books"
import "prices_2025.scn" as prices              # a file, relative to this one

source letter "A letter" {                      # what @letter stands for
  publisher = "SemiAnalysis"
  date = 2024-12-03
  url = "https://example.org/letter"
  kind = analyst                                # vendor, analyst, paper, press, …
}

unit seat                                       # a further countable thing

chip my_chip extends trainium2 {                # KIND NAME [extends NAME] { members }
  memory.bandwidth = 4 TB/s @assumed "what if the HBM ran at its rated speed"
  let hbm_per_watt := memory.bandwidth / power in GB/s/W
}

workload chat {
  task = inference
  model = llama3_70b
  prompt = 1024 token @assumed "a chat"
  output = 512 token @assumed "a chat"
  parallel.tp = 8
  batch.instance = 16
}

scenario base {
  system = trn2_ultra
  system.chip = my_chip
  size = 64 chip
  workload = chat
  software = neuron_trn2
  site = us_colocation
  finance = hyperscaler
}

scenario cheap extends base {                   # a scenario lists only what differs
  site.electricity = 0.05 $/kWh @assumed "a hydro site"
  finance = [hyperscaler, neocloud]             # one scenario each
}

check base.cost.per_Mtoken < 100 $/Mtoken at 90% "the product plan needs this"
claim 400_000 chip * trainium2.peak[bf16] < 100_000 chip * gb200.peak[bf16] "fewer"
let listed := 2 chip * prices.other.price
"""
PRICES = """edition 2026
source book "A list" {
  date = 2025-01-01
}
chip other {
  price = 4k $ @book
}
"""


def test_the_statements_of_the_specification(tmp_path: Path) -> None:
    (tmp_path / "prices_2025.scn").write_text(PRICES, encoding="utf-8")
    path = tmp_path / "all.scn"
    path.write_text(STATEMENTS, encoding="utf-8")
    checked = check_file(str(path), table())
    assert [d for d in checked.diagnostics if d.severity == "error"] == []
    evaluation = Evaluation(checked, 256)
    check, claim = evaluation.verdicts()
    assert check.holds
    assert (claim.left, claim.right) == (400_000 * 667e12, 100_000 * 2500e12)
    scenarios = ["base", "cheap[hyperscaler]", "cheap[neocloud]"]
    assert [one.name for one in checked.document.scenarios] == scenarios
    metric = "cost.per_Mtoken[output_only]"
    results = evaluation.results([(name, metric) for name in scenarios])
    values = [one.value for one in results]
    assert values[1] < values[0]  # by its electricity
    assert values[1] != values[2]
    (per_watt,) = evaluation.results([("", "my_chip.hbm_per_watt")])
    assert per_watt.value == pytest.approx(8.0)
    assert per_watt.unit == "GB/s/W"
    assert main(["check", str(path)]) == 0


def test_what_a_lost_base_has_is_not_told_again() -> None:
    """Nor where the scenario is one of several, by a list of roles."""
    text = """edition 2026
finance a {
}
finance b {
}
scenario cheap extends bse {
  finance = [a, b]
  site.electricity = 0.05 $/kWh
  let x := cost.capex / finance.life[server]
}
"""
    found = check_file("f.scn", table(), text).diagnostics
    assert [d.code for d in found if d.severity == "error"] == ["N003"]
