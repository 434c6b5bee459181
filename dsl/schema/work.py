"""`model`, `workload` and `software`: what is run, how, and on which stack."""

from typing import Any

from isocost.dsl.schema.base import (
    block,
    calendar,
    count,
    flag,
    kind,
    listing,
    quantity,
    share,
    text,
    word,
)
from isocost.dsl.schema.chip import FORMATS
from isocost.dsl.schema.serving import ServingStack, ServingWork

STATISTICS = ("solo", "mean", "p50", "p90", "p95", "p99")


@kind("model")
class Model:
    """The architecture of a transformer."""

    layers: Any = count("Layers.", positive=True)
    hidden: Any = count("Width of the residual stream.", positive=True)
    heads: Any = count("Query heads.", positive=True)
    kv_heads: Any = count("Key and value heads.", positive=True)
    head_size: Any = count(
        "Width of one head; hidden / heads where left out.", positive=True
    )
    ffn: Any = count("Width of the feed-forward layer.")
    gated: Any = flag(
        "Whether the feed-forward layer is gated (three matrices).",
        "true",
        "SwiGLU in every family since Llama 1",
    )
    vocabulary: Any = count("Tokens of the vocabulary.", positive=True)
    tied: Any = flag(
        "Whether embedding and head share their weights.",
        "false",
        "large models keep them apart",
    )
    attention: Any = word(
        "Kind of attention.",
        "gqa",
        "mla",
        default="gqa",
        source="covers MHA (kv_heads = heads) and MQA (kv_heads = 1)",
    )
    mla__q_rank: Any = count("Rank of the query's down-projection.", path="mla.q_rank")
    mla__kv_rank: Any = count("Rank of the latent that is cached.", path="mla.kv_rank")
    mla__rope: Any = count("Width of the decoupled rotary key.", path="mla.rope")
    mla__nope: Any = count("Width of a head without rotation.", path="mla.nope")
    mla__value: Any = count("Width of a value head.", path="mla.value")
    window__size: Any = quantity(
        "token", "Reach of windowed layers.", path="window.size"
    )
    window__share: Any = share(
        "Share of layers that are windowed.", path="window.share"
    )
    moe__experts: Any = count(
        "Routed experts of a layer.", path="moe.experts", positive=True
    )
    moe__top_k: Any = count(
        "Experts that each token visits.", path="moe.top_k", positive=True
    )
    moe__shared: Any = count("Shared experts.", path="moe.shared")
    moe__ffn: Any = count("Width of one expert.", path="moe.ffn", positive=True)
    moe__dense_layers: Any = count(
        "Leading layers without experts.", path="moe.dense_layers"
    )
    moe__redundancy: Any = count(
        "Extra copies of experts in serving.", path="moe.redundancy"
    )
    parameters: Any = quantity("1", "Parameters in all, where a count is published.")
    released: Any = calendar("When it was published.")


@kind("workload")
class Workload(ServingWork):
    """What is asked of the systems: training or inference."""

    task: Any = word("What is done.", "inference", "training")
    model: Any = block("The model.", "model")
    prompt: Any = quantity("token", "Tokens of a prompt.", positive=True)
    prompt__cv: Any = quantity(
        "1", "Spread of prompts over requests.", path="prompt.cv"
    )
    output: Any = quantity("token", "Tokens of an answer.", positive=True)
    output__cv: Any = quantity(
        "1", "Spread of answers over requests.", path="output.cv"
    )
    arrival: Any = quantity("request/s", "Requests that arrive.")
    arrival__cv: Any = quantity(
        "1", "Spread of times between arrivals.", path="arrival.cv"
    )
    peak_to_mean: Any = quantity("1", "Demand at the peak over the mean.", low=1.0)
    tokens: Any = quantity("token", "Tokens of a training run.", positive=True)
    sequence: Any = quantity("token", "Tokens of one training sequence.", positive=True)
    batch__global: Any = quantity(
        "sequence",
        "Sequences of one optimizer step.",
        path="batch.global",
        decision=True,
        bare="sequence",
        whole=True,
        positive=True,
    )
    batch__micro: Any = quantity(
        "sequence",
        "Sequences of one micro-batch and rank.",
        path="batch.micro",
        decision=True,
        chosen=True,
        bare="sequence",
        whole=True,
        positive=True,
    )
    batch__instance: Any = quantity(
        "sequence",
        "Sequences that one instance decodes.",
        path="batch.instance",
        decision=True,
        chosen=True,
        bare="sequence",
        whole=True,
        positive=True,
    )
    precision__weights: Any = word(
        "Number format of the weights.",
        *FORMATS,
        default="bf16",
        source="how weights are published",
        path="precision.weights",
    )
    precision__compute: Any = word(
        "Number format of matrix operands.", *FORMATS, path="precision.compute"
    )
    precision__cache: Any = word(
        "Number format of the cache.",
        *FORMATS,
        default="bf16",
        source="how caches are kept untold",
        path="precision.cache",
    )
    parallel__tp: Any = count(
        "Tensor parallelism.", path="parallel.tp", decision=True, chosen=True, low=1.0
    )
    parallel__pp: Any = count(
        "Pipeline parallelism.",
        path="parallel.pp",
        decision=True,
        chosen=True,
        low=1.0,
        default="1",
        source="edition 2026: left out means 1",
    )
    parallel__dp: Any = count(
        "Data parallelism.", path="parallel.dp", decision=True, chosen=True, low=1.0
    )
    parallel__ep: Any = count(
        "Expert parallelism.",
        path="parallel.ep",
        decision=True,
        chosen=True,
        low=1.0,
        default="1",
        source="edition 2026: left out means 1",
    )
    parallel__cp: Any = count(
        "Context parallelism.",
        path="parallel.cp",
        decision=True,
        chosen=True,
        low=1.0,
        default="1",
        source="edition 2026: left out means 1",
    )
    parallel__virtual: Any = count(
        "Chunks of layers per pipeline stage.",
        path="parallel.virtual",
        decision=True,
        chosen=True,
        low=1.0,
        default="1",
        source="edition 2026: left out means 1",
    )
    zero: Any = word(
        "Stage of ZeRO.",
        "0",
        "1",
        "2",
        "3",
        default="1",
        source="optimizer states are sharded by every current stack",
    )
    recompute: Any = word("Recomputation.", "none", "selective", "full")
    speculation__length: Any = count(
        "Tokens drafted a step.", path="speculation.length", decision=True
    )
    speculation__accepted: Any = quantity(
        "1", "Tokens gained a step.", path="speculation.accepted"
    )
    prefix__hits: Any = share(
        "Share of prompt tokens found in a cache.", path="prefix.hits"
    )
    slo__ttft: Any = quantity(
        "s",
        "Limit on time to first token, by statistic.",
        keys=STATISTICS,
        path="slo.ttft[]",
    )
    slo__tpot: Any = quantity(
        "ms",
        "Limit on time per output token, by statistic.",
        keys=STATISTICS,
        path="slo.tpot[]",
    )
    checkpoint__interval: Any = quantity(
        "min", "Time between checkpoints.", path="checkpoint.interval"
    )
    checkpoint__time: Any = quantity(
        "s", "Time that a checkpoint blocks.", path="checkpoint.time"
    )
    restart_time: Any = quantity("min", "From a failure to training again.")


@kind("software")
class Software(ServingStack):
    """What a stack reaches on a generation of chips; calibrated, never assumed."""

    vendor: Any = text("Whose chips it runs on.")
    framework: Any = text("The framework and what it stands on.")
    version: Any = text("The family of versions that was measured.")
    chips: Any = listing("Families of chip that it was calibrated on.")
    memory__sustained: Any = share(
        "Share of the peak memory bandwidth that is reached.",
        path="memory.sustained",
        default="0.70 to 0.90",
        source="fitted: GPUs 0.87, Neuron 0.79",
        positive=True,
    )
    memory__cache_sustained: Any = share(
        "The same for reads of the cache; as for weights where left out.",
        path="memory.cache_sustained",
        positive=True,
    )
    memory__reserve: Any = quantity(
        "GB/chip",
        "Memory that runtime and fragments take on each chip.",
        path="memory.reserve",
        default="3.3 GB/chip",
        source="fitted on TensorRT-LLM's published tables; other stacks are near it",
    )
    memory__usable: Any = share(
        "Share of what weights leave free that the cache may use.",
        path="memory.usable",
        default="0.925",
        source="documented fractions are 0.90 to 0.95",
        positive=True,
    )
    matrix__efficiency: Any = share(
        "Share of peak that large matrix products reach; by the power law if left out.",
        path="matrix.efficiency",
        positive=True,
    )
    matrix__base: Any = quantity(
        "1",
        "Share of peak that large matrix products would reach at 1 TFLOP/J.",
        path="matrix.base",
        default="0.60 to 0.85",
        source="spans what was fitted on GPUs (0.78), TPUs and Neuron",
        positive=True,
    )
    matrix__slope: Any = quantity(
        "1",
        "Power of peak over watts by which that share falls.",
        path="matrix.slope",
        default="0.19",
        source="the most stable of all fitted coefficients, on training and inference",
    )
    attention__efficiency: Any = share(
        "Share of the bf16 peak that prefill attention reaches.",
        path="attention.efficiency",
        default="0.3 to 0.65",
        source="flash attention on GPUs and TPUs reaches 0.36 to 0.65",
    )
    elementwise__traffic: Any = quantity(
        "1",
        "Memory traffic of elementwise operations over the fused minimum.",
        path="elementwise.traffic",
        default="1",
        source="the fused minimum itself",
    )
    layer_overhead: Any = quantity(
        "us",
        "Launch and host time of one layer and pass.",
        default="60 us to 140 us",
        source="fitted: TensorRT-LLM 68 to 102 us, Neuron 106 to 120 us",
    )
    sequence_overhead: Any = quantity(
        "us/sequence",
        "Host time of one sequence and step.",
        default="4 us/sequence",
        source="fitted on TensorRT-LLM's published tables",
    )
    step_overhead: Any = quantity(
        "us",
        "Host time of one step.",
        default="0 us",
        source="not separable from layer overhead",
    )
    collective__library: Any = word(
        "Whose algorithms it has; the chip vendor's where left out. `ideal` has all of "
        "them and loses nothing.",
        "nccl",
        "neuron",
        "xla",
        "any",
        "ideal",
        path="collective.library",
    )
    collective__launch: Any = quantity(
        "us",
        "Time to start a collective; as calibrated on the fabric where left out, as "
        "are all figures on collectives.",
        path="collective.launch",
    )
    collective__cross: Any = quantity(
        "1",
        "Loss where latency and transfer are alike.",
        path="collective.cross",
    )
    collective__damping: Any = quantity(
        "1",
        "How soon that loss fades for small messages.",
        path="collective.damping",
    )
    collective__overlap: Any = share(
        "Share of the shorter of two phases of a collective that is hidden.",
        path="collective.overlap",
    )
    collective__efficiency: Any = share(
        "Share of link bandwidth that rings and trees reach.",
        path="collective.efficiency",
    )
    collective__own: Any = quantity(
        "1",
        "Wire time of a block that a rank's own block costs it.",
        path="collective.own",
    )
    collective__exchange: Any = share(
        "Share of link bandwidth that an all-to-all reaches.",
        path="collective.exchange",
    )
    collective__reduction: Any = share(
        "Share of link bandwidth that a reduction inside switches reaches.",
        path="collective.reduction",
    )
    collective__reduction_latency: Any = quantity(
        "us",
        "Latency of a reduction inside switches.",
        path="collective.reduction_latency",
    )
    collective__crowding: Any = quantity(
        "1",
        "Ports down over ports up of a bridge between hosts.",
        low=1.0,
        path="collective.crowding",
    )
    collective__flows: Any = quantity(
        "1",
        "Flows of a rank that a fabric with `load_balance = ecmp` hashes apart.",
        low=1.0,
        path="collective.flows",
    )
    collective__residual: Any = quantity(
        "1",
        "Factor on a collective's time, inside a domain or across, that is left "
        "unexplained; 1 in the median.",
        keys=("inside", "across"),
        path="collective.residual[]",
    )
    overlap: Any = share(
        "Share of communication hidden behind compute.",
        default="0",
        source="none unless measured",
    )
    ranks_per_chip: Any = quantity(
        "/chip",
        "Ranks that one chip appears as.",
        default="1 /chip",
        source="a rank is a chip",
    )
    precisions: Any = listing("Number formats that it supports.")
    collectives: Any = listing("Collective algorithms that its library has.")
    residual: Any = quantity(
        "1",
        "Factor on time that the model leaves unexplained; 1 in the median.",
        default="0.8 to 1.25",
        source="90% of left-out rows of known stacks fall within it",
    )
    porting: Any = quantity("person-month", "Effort of porting a workload to it.")
    readiness: Any = share("How much of the tooling exists.")
    stack: Any = text("The calibrated coefficients that it stands for.")
    note: Any = text("What a reader should know, by subject.", keys=("*",))
