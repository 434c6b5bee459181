"""Collectives of scenarios: the study's worked figures, libraries, doubt, refusals."""

import math
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from isocost.engine.calibration.collective_predict import cluster, run
from isocost.engine.evaluate import Evaluation
from isocost.engine.graph import Input
from isocost.engine.topology import Refusal, build, collective_plan
from isocost.engine.topology.fabrics import DATASHEET, FABRICS
from isocost.engine.topology.libraries import LIBRARIES

Evaluate = Callable[[str], Evaluation]
GIB = 2.0**30
#: Wires alone: a library that loses nothing and hops that take no time.
IDEAL = """
software perfect { collective.library = ideal }
scenario ultra {
  system = trn2_ultra
  software = perfect
  neuronlink_v3_intra.latency = 0 us
  neuronlink_v3_inter.latency = 0 us
}
scenario server {
  system = trn2
  software = perfect
  neuronlink_v3_intra.latency = 0 us
}
"""


def value(found: Evaluation, scenario: str, path: str) -> float:
    """A metric at its point value, in base units."""
    node = found.node(scenario, path)
    assert node is not None, found.diagnostics
    return found.point((node,))[node]


def names(found: Evaluation, scenario: str, path: str) -> set[str]:
    """The paths of the inputs below a metric."""
    node = found.node(scenario, path)
    assert node is not None, found.diagnostics
    graph = found.graph
    inputs = (graph.nodes[n].what for n in graph.inputs((node,)))
    return {what.path for what in inputs if isinstance(what, Input)}


def refused(found: Evaluation, scenario: str, path: str) -> tuple[str, str]:
    """The code of what a metric is refused for, and its facts."""
    assert found.node(scenario, path) is None
    last = found.diagnostics[-1]
    return last.code, " ".join(map(str, dict(last.args).values()))


def test_lanes_of_a_chip_add_up(evaluate: Evaluate) -> None:
    found = evaluate(IDEAL)
    assert value(found, "ultra", "scale_up.bandwidth") == 4 * 128e9 + 2 * 64e9
    assert value(found, "server", "scale_up.bandwidth") == 4 * 128e9


def test_scale_up_over_scale_out(evaluate: Evaluate) -> None:
    found = evaluate(IDEAL + """
scenario as_built extends server {
  system.scale_out.bandwidth = 800 Gbit/s/chip @assumed ""
}
""")  # fmt: skip
    ratio = "scale_up.over_scale_out"
    assert value(found, "ultra", ratio) == pytest.approx(25.6)
    assert value(found, "server", ratio) == pytest.approx(20.48)
    assert value(found, "as_built", ratio) == pytest.approx(5.12)


@pytest.mark.parametrize(
    ("metric", "seconds"),
    [
        ("collective[all_reduce, 1 GiB, 64]", 2 * 63 / 64 * GIB / 640e9),
        ("collective[all_reduce, 1GiB, 64, bucket]", 3.3029e-3),
        ("collective[all_reduce, 1 GiB, 64, ordered]", 8.650752e-3),
        ("collective[all_to_all, 1 GiB, 64]", 8.388608e-3),
        ("collective[all_to_all, 1 GiB, 16]", 4.194304e-3),
    ],
)
def test_worked_examples_of_the_thin_torus(
    evaluate: Evaluate, metric: str, seconds: float
) -> None:
    assert value(evaluate(IDEAL), "ultra", metric) == pytest.approx(seconds, rel=1e-4)


def test_bisection(evaluate: Evaluate) -> None:
    found = evaluate(IDEAL + "scenario pod extends ultra { size = 4096 chip }")
    assert value(found, "ultra", "bisection") == 2.048e12
    assert value(found, "pod", "bisection[scale_out]") == 2048 * 25e9


def test_every_operation_inside_and_across(evaluate: Evaluate) -> None:
    found = evaluate("scenario dgx { system = hgx_h100\n size = 1024 chip }")
    for operation in (
        "all_reduce",
        "all_gather",
        "reduce_scatter",
        "all_to_all",
        "broadcast",
        "point_to_point",
    ):
        inside, across = (
            value(found, "dgx", f"collective[{operation}, 64 MiB, {ranks}]")
            for ranks in (8, 64)
        )
        assert 0 < inside < across < 1


def test_a_group_inside_its_domain_knows_no_network(evaluate: Evaluate) -> None:
    found = evaluate("scenario dgx { system = hgx_h100\n size = 1024 chip }")
    inside = names(found, "dgx", "collective[all_reduce, 1 MiB, 8]")
    assert not any("scale_out" in path or "fabric" in path for path in inside)
    assert "software.collective.residual[inside]" in inside
    across = names(found, "dgx", "collective[all_reduce, 1 MiB, 16]")
    assert "software.collective.residual[across]" in across
    assert any("scale_out.bandwidth" in path for path in across)


def test_an_uncalibrated_scenario_is_the_calibrated_plan(evaluate: Evaluate) -> None:
    """The graph gives what the calibration's arrays give, for the same cluster."""
    found = evaluate("""
fabric rails {
  topology = fat_tree(radix = 64, rails = 8, endpoints = 2048)
  latency = 94.4 us @assumed "as calibrated on EFA"
}
scenario dgx { system = hgx_h100
 size = 1024 chip
 fabric = rails }
""")
    needs = {**FABRICS["nvlink4"].needs(), "stride": 1.0}
    needs |= {"link[port].bandwidth": 450e9, "link[scale_out].bandwidth": 50e9}
    plan = collective_plan("all_reduce", cluster("nvlink4"), LIBRARIES["nccl"])
    for ranks in (8, 32, 128):
        group = {**needs, "size": 2.0**26, "ranks": float(ranks)}
        expected = float(run(plan.time, group, {}))
        metric = f"collective[all_reduce, 64 MiB, {ranks}]"
        assert value(found, "dgx", metric) == pytest.approx(expected, rel=1e-9)


def test_a_hash_slows_what_leaves_a_leaf(evaluate: Evaluate) -> None:
    """ECMP loses rate; adaptive routing and spraying (as SRD does) do not."""
    found = evaluate("""
fabric routed {
  topology = fat_tree(radix = 64, rails = 8)
  load_balance = adaptive
}
fabric sprayed extends routed { load_balance = spray }
fabric hashed extends routed { load_balance = ecmp }
scenario a { system = hgx_h100
 size = 2048 chip
 fabric = routed }
scenario s extends a { fabric = sprayed }
scenario h extends a { fabric = hashed }
software split { collective.flows = 64 }
scenario many extends h { software = split }
""")
    spread = "collective[all_to_all, 64 MiB, 2048]"
    times = {name: value(found, name, spread) for name in ("a", "s", "h", "many")}
    assert times["s"] == times["a"] < times["many"] < times["h"] < 3 * times["a"]
    # 32 servers share their leafs: nothing goes up, and nothing is hashed.
    near = "collective[all_to_all, 64 MiB, 256]"
    assert value(found, "h", near) == pytest.approx(value(found, "a", near))
    assert "software.collective.flows" in names(found, "h", spread)
    assert "software.collective.flows" not in names(found, "a", spread)


def test_doubt_is_that_of_left_out_rows(evaluate: Evaluate) -> None:
    found = evaluate("""
link unseen { bandwidth = 450 GB/s @assumed "a new fabric" }
scenario known { system = hgx_h100 }
scenario new extends known { system.topology.link[port] = unseen }
""")
    for name, half in (("known", FABRICS["nvlink4"].spread), ("new", DATASHEET.spread)):
        (one,) = found.results([(name, "collective[all_reduce, 1 GiB, 8]")])
        assert math.log(one.high / one.low) == pytest.approx(2 * half, rel=0.05)


def test_stated_figures_win_and_bring_their_own_doubt(evaluate: Evaluate) -> None:
    found = evaluate("""
software mine {
  collective.efficiency = 70% @assumed "ours"
  collective.launch = 0 us @assumed "ours"
  collective.cross = 0 @assumed "ours"
  collective.own = 0 @assumed "ours"
  collectives = [ring]
}
scenario dgx { system = hgx_h100
 software = mine
 nvlink4.latency = 0 us }
""")
    metric = "collective[all_reduce, 1 GiB, 8]"
    expected = 2 * 7 / 8 * GIB / (0.7 * 450e9)
    assert value(found, "dgx", metric) == pytest.approx(expected, rel=1e-9)
    assert "software.collective.residual[inside]" not in names(found, "dgx", metric)
    exchange = names(found, "dgx", "collective[all_to_all, 1 GiB, 8]")
    assert "software.collective.residual[inside]" in exchange


def test_calibrated_inputs_say_where_they_come_from(evaluate: Evaluate) -> None:
    found = evaluate("scenario dgx { system = hgx_h100 }")
    node = found.node("dgx", "software.collective.launch")
    assert node is not None
    what = found.graph.nodes[node].what
    assert isinstance(what, Input)
    assert what.default
    assert what.assumed
    assert "calibrated on nccl-tests" in what.note
    assert what.central == FABRICS["nvlink4"].launch


def test_the_library_is_that_of_the_vendor(evaluate: Evaluate) -> None:
    found = evaluate("""
scenario trn { system = trn2 }
scenario gpu { system = hgx_h100 }
scenario tpu { system = tpu_v5p_cube }
""")
    for name, allowed in (("trn", "neuron"), ("gpu", "nccl"), ("tpu", "xla")):
        node = found.node(name, "collective[all_reduce, 64 MiB, 8]")
        assert node is not None
        quickest = [
            graph_node.what
            for graph_node in found.graph.nodes
            if getattr(graph_node.what, "name", "") == "quickest"
        ]
        sets = {frozenset(getattr(what, "params", {})) for what in quickest}
        assert all(
            params <= LIBRARIES[allowed].inside or name != "trn" for params in sets
        )


def test_a_mesh_of_peers_adds_up_its_links(evaluate: Evaluate) -> None:
    found = evaluate("scenario amd { system = mi300x_8 }")
    assert value(found, "amd", "scale_up.bandwidth") == 7 * 64e9


@pytest.mark.parametrize(
    "call", ["full_mesh()", "hyperx(x = 8)", "hyperx(x = 8, endpoints_per_router = 1)"]
)
def test_a_pair_of_a_full_mesh_has_one_link(evaluate: Evaluate, call: str) -> None:
    """MI300X by hand: 64 GB/s a link, 16 of them across the middle, 2^30 bytes."""
    found = evaluate(f"""
software perfect {{ collective.library = ideal }}
scenario amd {{ system = mi300x_8
 software = perfect
 system.topology = {call}
 system.topology.link[x].latency = 0 us }}
""")
    link = 2**30 / 64e9
    assert value(found, "amd", "bisection") == 16 * 64e9
    for metric, times in (
        ("collective[point_to_point, 1 GiB, 2]", 1.0),
        ("collective[all_reduce, 1 GiB, 2]", 1.0),
        ("collective[all_to_all, 1 GiB, 2]", 1 / 2),
        ("collective[all_reduce, 1 GiB, 4]", 2 / 4),
        ("collective[all_reduce, 1 GiB, 8]", 2 / 8),
        ("collective[all_to_all, 1 GiB, 8]", 1 / 8),
    ):
        assert value(found, "amd", metric) == pytest.approx(times * link), metric


def test_fewer_endpoints_than_chips_are_told(evaluate: Evaluate) -> None:
    """One card for two chips of a system is a design; 100 for 4,096 are not."""
    text = "".join(
        f"""
fabric of_{n} {{ topology = fat_tree(endpoints = {n}, radix = 64, tiers = 2 + 1) }}
scenario on_{n} {{ system = hgx_h100
 size = 4096 chip
 fabric = of_{n} }}
"""
        for n in (100, 2048, 4096)
    )
    found = evaluate(text)
    (said,) = found.remarks("on_100")
    assert "100 endpoints for 4,096 chips" in said
    assert found.remarks("on_2048") == found.remarks("on_4096") == ()
    assert value(found, "on_4096", "bisection[scale_out]") == 2048 * 50e9


def test_a_fraction_of_oversubscription_is_not_cut(evaluate: Evaluate) -> None:
    found = evaluate("""
fabric tapered { oversubscription = 1.5 }
fabric tree { topology = fat_tree(radix = 64, oversubscription = 1.5) }
scenario full { system = hgx_h100
 size = 1024 chip }
scenario thin extends full { fabric = tapered }
scenario built extends full { fabric = tree }
""")
    metric = "bisection[scale_out]"
    full, thin, built = (value(found, s, metric) for s in ("full", "thin", "built"))
    assert full / thin == pytest.approx(1.5)
    assert full / built == pytest.approx(38 / 26, rel=1e-6)
    exchange = "collective[all_to_all, 1 GiB, 256]"
    assert value(found, "thin", exchange) > 1.3 * value(found, "full", exchange)


def test_ranks_of_a_chip_share_its_links(evaluate: Evaluate) -> None:
    found = evaluate("""
software cores { ranks_per_chip = 4 /chip @assumed "logical cores" }
scenario trn { system = trn2
 software = cores }
scenario whole { system = trn2 }
""")
    metric = "collective[all_reduce, 1 MiB, {}]"
    cores = value(found, "trn", metric.format(64))
    assert cores == pytest.approx(value(found, "whole", metric.format(16)), rel=1e-9)
    assert value(found, "trn", metric.format(4)) == 0


def test_what_does_not_fit_is_refused_with_the_nearest(evaluate: Evaluate) -> None:
    found = evaluate("""
fabric flat { topology = fat_tree(radix = 64) }
scenario alone { system = inf2 }
scenario wide { system = hgx_h100
 size = 1024 chip }
scenario deep { system = hgx_h100
 size = 4096 chip
 fabric = flat }
""")
    code, words = refused(found, "alone", "collective[all_reduce, 1 GiB, 13]")
    assert code == "M003"
    assert "domain of 12" in words
    code, words = refused(found, "wide", "collective[all_reduce, 1 GiB, 2048]")
    assert (code, "1,024 installed" in words) == ("M003", True)
    code, words = refused(found, "deep", "collective[all_reduce, 1 GiB, 16]")
    assert code == "M003"
    assert "the nearest that fits: endpoints = 2,048 or tiers = 3" in words


@pytest.mark.parametrize(
    ("metric", "code"),
    [
        ("collective[all_reduce]", "V003"),
        ("collective[all_reduce, 1 GiB, many]", "V003"),
        ("collective[all_reduce, 1 GiB, 0]", "V003"),
        ("collective[all_reduce, 3 s, 8]", "V003"),
        ("collective[all_reduce, big, 8]", "V003"),
        ("collective[all_reducer, 1 GiB, 8]", "N003"),
        ("collective[all_reduce, 1 GiB, 8, buckt]", "N003"),
    ],
)
def test_a_misspelt_collective_is_named(
    evaluate: Evaluate, metric: str, code: str
) -> None:
    assert refused(evaluate(IDEAL), "ultra", metric)[0] == code


def test_a_changed_topology_changes_the_step(evaluate: Evaluate) -> None:
    found = evaluate("""
workload chat {
  task = inference
  model = llama3_70b
  prompt = 1024 token @assumed "a turn"
  output = 512 token @assumed "an answer"
  parallel.tp = 8
  batch.instance = 32
}
software stack { memory.sustained = 80% @assumed "" }
scenario even { system = hgx_h100
 software = stack
 workload = chat }
scenario ring extends even {
  system.topology = torus(x = 8)
}
scenario piped extends even { workload.parallel.pp = 2
 size = 16 chip }
""")
    network = "decode.step.network"
    assert value(found, "ring", network) != value(found, "even", network)
    assert value(found, "even", "decode.send") == 0
    assert value(found, "piped", "decode.send") > 0
    sends = names(found, "piped", "decode.send")
    assert any("scale_out.bandwidth" in path for path in sends)


def test_a_refusal_has_words_for_every_code() -> None:
    from isocost.engine.topology.refusals import reason

    assert "no `w`" in reason(_refusal("torus", x=4, w=4))
    assert "needs `x`" in reason(_refusal("torus"))
    assert "there is no topology `taurus`" in reason(_refusal("taurus"))
    assert "nearest" in reason(_refusal("slim_fly", q=6))
    assert "`x` is 0" in reason(_refusal("torus", x=0))


def _refusal(kind: str, **params: int) -> Refusal:
    found = build(kind, **params)
    assert isinstance(found, Refusal)
    return found


def test_a_network_that_joins_too_few_chips_is_refused(evaluate: Evaluate) -> None:
    found = evaluate("""
fabric small {
  topology = dragonfly(endpoints_per_router = 2, routers = 4, global_links = 2)
}
fabric cards { topology = fat_tree(endpoints = 512, radix = 64) }
scenario many { system = hgx_h100
 size = 1024 chip
 fabric = small }
scenario shared extends many { fabric = cards }
""")
    code, words = refused(found, "many", "collective[all_reduce, 1 GiB, 16]")
    assert (code, "most = 72" in words) == ("M003", True)
    assert value(found, "shared", "collective[all_reduce, 1 GiB, 16]") > 0


def test_a_collective_at_its_point_needs_no_numpy(tmp_path: Path) -> None:
    """Table, graph and point evaluation are plain Python: a command starts at once."""
    path = tmp_path / "case.scn"
    path.write_text(
        'edition 2026\nimport "isocost:systems/trn2"\n'
        "scenario ultra { system = trn2_ultra\n size = 4096 chip }\n",
        encoding="utf-8",
    )
    code = f"""
import sys
from isocost.engine.quantities import table
table()
assert not [m for m in sys.modules if "engine.topology" in m]
from isocost.dsl.check import check_file
from isocost.engine.evaluate import Evaluation
found = Evaluation(check_file({str(path)!r}, table()))
node = found.node("ultra", "collective[all_reduce, 1 GiB, 256]")
assert found.point((node,))[node] > 0
assert "numpy" not in sys.modules
"""
    env = {**os.environ, "XDG_CACHE_HOME": str(tmp_path)}
    first = "from isocost.engine.quantities import table; table()"
    for one in (first, code):  # from the second run on the table is kept
        subprocess.run([sys.executable, "-c", one], check=True, env=env)


TAPERED = """
import "isocost:models/llama"
import "isocost:fabrics/scale_out"
import "isocost:software/training"
import "isocost:sites/us"
workload run {
  task = training
  model = llama3_70b
  tokens = 1T token
  sequence = 8192 token
  batch.global = 512 sequence
  batch.micro = 1 sequence
  parallel.tp = 8
  parallel.pp = 4
}
fabric plain extends hgx_h100_network { oversubscription = 1 }
fabric thin extends hgx_h100_network { oversubscription = 4 }
fabric full extends hgx_h100_network { topology = fat_tree(radix = 64) }
fabric leaves extends hgx_h100_network {
  topology = fat_tree(radix = 64, down = 32, up = 8)
}
fabric small extends hgx_h100_network {
  topology = fat_tree(radix = 64, down = 8, up = 2)
}
scenario run_on {
  system = hgx_h100
  size = 512 chip
  fabric = [plain, thin, full, leaves, small]
  software = megatron_hopper
  workload = run
  site = us_hyperscale
}
"""


def test_tapered_tiers_slow_the_rings_that_cross_them(evaluate: Evaluate) -> None:
    """A taper above each server costs rings all of it, above four servers nothing.

    Sends to the next stage leave every leaf at once.
    """
    found = evaluate(TAPERED)

    def rates(fabric: str) -> tuple[float, float]:
        paths = ("train.dp_bandwidth", "train.send_bandwidth")
        return tuple(value(found, f"run_on[{fabric}]", p) for p in paths)  # type: ignore[return-value]

    dp, send = rates("plain")
    assert rates("full") == pytest.approx((dp, send))
    assert rates("thin") == pytest.approx((dp / 4, send / 4))
    assert rates("leaves") == pytest.approx((dp, send / 4))
    assert rates("small") == pytest.approx((dp / 4, send / 4))
    times = {f: value(found, f"run_on[{f}]", "time.step") for f in ("plain", "thin")}
    assert times["thin"] > 1.1 * times["plain"]
