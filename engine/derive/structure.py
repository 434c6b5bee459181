"""What is there: model parameters, ranks of a chip, systems, chips and instances."""

from isocost.dsl.expressions import Checker
from isocost.dsl.units import Dim, dim
from isocost.engine.derive.common import (
    INFERENCE,
    TRAINING,
    compute_format,
    format_bytes,
)
from isocost.engine.derive.inference_wires import wired
from isocost.engine.formulas import chip, plan, serving_plan
from isocost.engine.graph import Input
from isocost.engine.quantities import quantity
from isocost.engine.scope import Scope

Keys = tuple[str, ...]
#: Formats in which tokens travel to experts.
_NARROW = {"fp8", "fp4"}


def _peak(scope: Scope, _: Keys) -> int:
    return scope[f"chip.peak[{compute_format(scope)}]"]


def _share(scope: Scope, peak: str) -> int:
    if scope.has("software.matrix.efficiency"):
        return scope["software.matrix.efficiency"]
    return scope.apply(
        chip.matrix_share,
        peak=peak,
        power="chip.power",
        base="software.matrix.base",
        slope="software.matrix.slope",
    )


def attention_format(scope: Scope) -> str:
    """The format of attention's matrices: as stated, if the chip has it."""
    stated = scope.word("workload.precision.attention")
    if stated is None:
        return compute_format(scope)
    return stated if scope.has(f"chip.peak[{stated}]") else "bf16"


def absorbed_format(scope: Scope) -> str:
    """The format in which a compressed cache is worked on.

    Attention kernels of chips with four bits multiply in eight.
    """
    narrow = scope.word("workload.precision.cache") in {"fp8", "int8"}
    return "fp8" if narrow and scope.has("chip.peak[fp4]") else "bf16"


def _attention_bytes(scope: Scope, _: Keys) -> int:
    stated = scope.word("workload.precision.attention")
    return format_bytes(scope, stated) if stated else scope["bytes.weights"]


def _dispatch_bytes(scope: Scope, _: Keys) -> int:
    stated = scope.word("workload.precision.dispatch")
    native = compute_format(scope)
    return format_bytes(scope, stated or (native if native in _NARROW else "bf16"))


def _cache_sustained(scope: Scope, _: Keys) -> int:
    return scope["software.memory.sustained"]


def _usable(scope: Scope, _: Keys) -> int:
    return scope["chip.memory.capacity"]


def dimension_of_size(scope: Scope) -> Dim:
    """What the scenario's size counts: chips where nothing else is said."""
    fact = scope.fact("size")
    found = None
    if fact is not None:
        checker = Checker(scope.lookup, lambda _: None, scope.scenario, fact.file)
        found = checker.dim(fact.expr)
    return dim({"chip": 1}) if found is None or found.plain else found


def _systems(scope: Scope, _: Keys) -> int:
    """Systems of a stated size: chips, systems, a power, or a sum of money."""
    if scope.fact("size") is None:
        return scope.builder.constant(1.0)
    counted = dict(dimension_of_size(scope).exponents)
    if "chip" in counted:
        return scope.apply(
            plan.systems_within_chips, size="size", chips_per_system="system.chips"
        )
    if "system" in counted:
        return scope.apply(plan.whole_systems, size="size")
    if "money" in counted:
        return scope.apply(
            plan.systems_within_money, budget="size", by_system="price.system"
        )
    return scope.apply(
        plan.systems_within_watts, budget="size", by_system="system.power"
    )


def _instances(scope: Scope, _: Keys) -> int:
    """Copies of the model; of a training run whose replicas are left open, one."""
    fits = plan.run_that_fits if one_run(scope) else plan.instances_that_fit
    return scope.apply(
        fits,
        systems="systems",
        chips_per_system="system.chips",
        rank_chips="rank.chips",
        ranks="ranks",
    )


def one_run(scope: Scope) -> bool:
    """Whether all that is installed works at one training run.

    It does where its replicas are left out or to be chosen; where their number is
    stated, as many runs stand side by side as there is room for.
    """
    if not TRAINING.holds(scope):
        return False
    if not scope.has("workload.parallel.dp"):
        return True
    what = scope.builder.nodes[scope["workload.parallel.dp"]].what
    return isinstance(what, Input) and bool(what.auto or what.options)


QUANTITIES = (
    quantity(
        "bytes.weights",
        "B",
        "Bytes of one weight.",
        lambda s, _: format_bytes(s, s.word("workload.precision.weights")),
    ),
    quantity(
        "bytes.cache",
        "B",
        "Bytes of one number in the cache.",
        lambda s, _: format_bytes(s, s.word("workload.precision.cache")),
    ),
    quantity(
        "bytes.activation",
        "B",
        "Bytes of one activation.",
        lambda s, _: format_bytes(s, "bf16"),
    ),
    quantity(
        "bytes.table",
        "B",
        "Bytes of one number of embedding and head.",
        lambda s, _: format_bytes(s, s.word("workload.precision.table")),
    ),
    quantity(
        "bytes.attention",
        "B",
        "Bytes of one weight of attention.",
        _attention_bytes,
    ),
    quantity(
        "bytes.dispatch",
        "B",
        "Bytes of one number on its way to an expert.",
        _dispatch_bytes,
    ),
    quantity("chip.memory.usable", "GiB", "Memory that software sees.", _usable),
    quantity(
        "software.memory.cache_sustained",
        "%",
        "Share of memory bandwidth that reading the cache sustains.",
        _cache_sustained,
    ),
    quantity(
        "rank.chips",
        "chip",
        "Chips of one rank.",
        plan.chips_of_rank,
        ranks_per_chip="software.ranks_per_chip",
    ),
    quantity("rank.peak", "TFLOP/s/chip", "Peak at the operands' format.", _peak),
    quantity(
        "rank.matrix_share",
        "%",
        "Share of peak that matrices reach.",
        lambda s, _: _share(s, "rank.peak"),
    ),
    quantity(
        "rank.peak_attention",
        "TFLOP/s/chip",
        "Peak at the format of attention's matrices.",
        lambda s, _: s[f"chip.peak[{attention_format(s)}]"],
    ),
    quantity(
        "rank.peak_absorbed",
        "TFLOP/s/chip",
        "Peak at the format of attention over a compressed cache.",
        lambda s, _: s[f"chip.peak[{absorbed_format(s)}]"],
    ),
    quantity(
        "rank.matrix_share_attention",
        "%",
        "Share of peak that attention's matrices reach.",
        lambda s, _: _share(s, "rank.peak_attention"),
    ),
    quantity(
        "rank.matrix_share_wide",
        "%",
        "Share of the bf16 peak that the output head reaches.",
        lambda s, _: _share(s, "chip.peak[bf16]"),
    ),
    *wired(serving_plan.RANK),
    quantity(
        "rank.reserve",
        "GB",
        "Memory of a rank that the runtime takes.",
        chip.rank_capacity,
        capacity="software.memory.reserve",
        rank_chips="rank.chips",
    ),
    quantity(
        "workload.parallel.dp",
        "1",
        "Data parallelism inside an instance, where none is stated.",
        lambda s, _: s.builder.constant(1.0),
        when=INFERENCE,
    ),
    quantity(
        "ranks",
        "1",
        "Ranks of one instance.",
        plan.ranks_of_instance,
        tp="workload.parallel.tp",
        pp="workload.parallel.pp",
        cp="workload.parallel.cp",
        dp="workload.parallel.dp",
    ),
    quantity("systems", "system", "Systems installed.", _systems),
    quantity(
        "chips",
        "chip",
        "Chips installed.",
        plan.chips_installed,
        systems="systems",
        chips_per_system="system.chips",
        headline=True,
    ),
    quantity(
        "instances",
        "1",
        "Copies of the model that serve or train.",
        _instances,
        headline=True,
    ),
    quantity(
        "idle",
        "%",
        "Share of the chips that no instance uses.",
        plan.idle_share,
        instances="instances",
        ranks="ranks",
        rank_chips="rank.chips",
        chips="chips",
    ),
)
