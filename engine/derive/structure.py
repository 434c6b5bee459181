"""What is there: model parameters, ranks of a chip, systems, chips and instances."""

from isocost.dsl.literal import Literal
from isocost.dsl.units import dim
from isocost.engine.derive.common import INFERENCE, compute_format, format_bytes
from isocost.engine.formulas import attention, chip, plan
from isocost.engine.formulas import transformer as shape
from isocost.engine.quantities import Build, quantity
from isocost.engine.scope import Scope

Keys = tuple[str, ...]


def _flag(path: str) -> Build:
    def build(scope: Scope, _: Keys) -> int:
        return scope.builder.constant(float(scope.flag(path)))

    return build


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


def _cache_sustained(scope: Scope, _: Keys) -> int:
    return scope["software.memory.sustained"]


def _usable(scope: Scope, _: Keys) -> int:
    return scope["chip.memory.capacity"]


def _systems(scope: Scope, _: Keys) -> int:
    """Systems of a stated size: a number of chips, a power, or a sum of money."""
    fact = scope.fact("size")
    if fact is None:
        return scope.builder.constant(1.0)
    literals = [e.value for e in fact.expr.walk() if e.op == "literal"]
    found = next((v for v in literals if isinstance(v, Literal) and v.unit), None)
    kind = found.unit.dim if found and found.unit else dim({"chip": 1})
    if "chip" in dict(kind.exponents):
        return scope.apply(
            plan.systems_within_chips, size="size", chips_per_system="system.chips"
        )
    if "money" in dict(kind.exponents):
        return scope.apply(
            plan.systems_within_money, budget="size", by_system="price.system"
        )
    return scope.apply(
        plan.systems_within_watts, budget="size", by_system="system.power"
    )


QUANTITIES = (
    quantity(
        "model.head_size",
        "1",
        "Width of one head.",
        plan.head_width,
        hidden="model.hidden",
        heads="model.heads",
    ),
    quantity("model.is_gated", "1", "1 if the MLP is gated.", _flag("model.gated")),
    quantity("model.is_tied", "1", "1 if the head is tied.", _flag("model.tied")),
    quantity(
        "model.params.attention",
        "1",
        "Parameters of one attention layer.",
        shape.attention_params,
        hidden="model.hidden",
        heads="model.heads",
        kv_heads="model.kv_heads",
        head_size="model.head_size",
    ),
    quantity(
        "model.params.mlp",
        "1",
        "Parameters of one feed-forward layer.",
        shape.mlp_params,
        hidden="model.hidden",
        ffn="model.ffn",
        gated="model.is_gated",
    ),
    quantity(
        "model.params.embedding",
        "1",
        "Parameters of the embedding.",
        shape.embedding_params,
        vocabulary="model.vocabulary",
        hidden="model.hidden",
    ),
    quantity(
        "model.params.head",
        "1",
        "Parameters of the output head.",
        shape.head_params,
        vocabulary="model.vocabulary",
        hidden="model.hidden",
        tied="model.is_tied",
    ),
    quantity(
        "model.params.norms",
        "1",
        "Parameters of all norms.",
        shape.norm_params,
        layers="model.layers",
        hidden="model.hidden",
    ),
    quantity(
        "model.params.total",
        "1",
        "Parameters in all.",
        shape.dense_total_params,
        layers="model.layers",
        attention="model.params.attention",
        mlp="model.params.mlp",
        embedding="model.params.embedding",
        head="model.params.head",
        norms="model.params.norms",
    ),
    quantity(
        "model.params.matrix",
        "1",
        "Parameters that multiply each token.",
        shape.dense_matrix_params,
        layers="model.layers",
        attention="model.params.attention",
        mlp="model.params.mlp",
        vocabulary="model.vocabulary",
        hidden="model.hidden",
    ),
    quantity(
        "model.kv_per_token",
        "kB/token",
        "Cache that one token leaves in the whole model.",
        attention.kv_bytes_per_token,
        layers="model.layers",
        kv_heads="model.kv_heads",
        head_size="model.head_size",
        cache_bytes="bytes.cache",
    ),
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
        lambda s, _: format_bytes(s, "bf16"),
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
        "rank.matrix_share_wide",
        "%",
        "Share of the bf16 peak that the output head reaches.",
        lambda s, _: _share(s, "chip.peak[bf16]"),
    ),
    quantity(
        "rank.matrix_rate",
        "TFLOP/s",
        "Arithmetic that a rank sustains in matrices.",
        chip.rank_arithmetic,
        peak="rank.peak",
        rank_chips="rank.chips",
        matrix_share="rank.matrix_share",
    ),
    quantity(
        "rank.head_rate",
        "TFLOP/s",
        "Arithmetic that a rank sustains in the output head.",
        chip.rank_arithmetic,
        peak="chip.peak[bf16]",
        rank_chips="rank.chips",
        matrix_share="rank.matrix_share_wide",
    ),
    quantity(
        "rank.attention_rate",
        "TFLOP/s",
        "Arithmetic that a rank sustains in attention over prompts.",
        chip.rank_arithmetic,
        peak="chip.peak[bf16]",
        rank_chips="rank.chips",
        matrix_share="software.attention.efficiency",
    ),
    quantity(
        "rank.bandwidth",
        "TB/s",
        "Memory bandwidth that a rank sustains.",
        chip.rank_bandwidth,
        memory_bandwidth="chip.memory.bandwidth",
        rank_chips="rank.chips",
        memory_share="software.memory.sustained",
    ),
    quantity(
        "rank.cache_bandwidth",
        "TB/s",
        "Memory bandwidth that a rank sustains reading the cache.",
        chip.rank_bandwidth,
        memory_bandwidth="chip.memory.bandwidth",
        rank_chips="rank.chips",
        memory_share="software.memory.cache_sustained",
    ),
    quantity(
        "rank.memory",
        "GiB",
        "Memory of a rank.",
        chip.rank_capacity,
        capacity="chip.memory.usable",
        rank_chips="rank.chips",
    ),
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
        plan.instances_that_fit,
        systems="systems",
        chips_per_system="system.chips",
        rank_chips="rank.chips",
        ranks="ranks",
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
