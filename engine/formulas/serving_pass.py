"""How many tokens a pass carries, and percentiles of what users see."""

from isocost.dsl.expr import Expr, floor, largest, smallest, total, where
from isocost.engine.formula import Param, formula, p, q
from isocost.engine.formulas.inference_symbols import EACH, take

#: Rounding of a quotient.
_SNAP = 1e-9
_DRAFT = p("1", r"\gamma", "tokens that are drafted ahead")
_LEVIATHAN = "Leviathan et al. 2023 (speculative decoding), arXiv:2211.17192"
_LIMIT = {
    "measured": p("s", "T", "latency"),
    "limit": p("s", r"T_{max}", "limit on it"),
    "throughput": p("token/s", r"\Theta", "output tokens of one instance"),
}


@formula(
    "token",
    {
        "sequence_tokens": p("token", "M_1", "one token of each sequence of a pass"),
        "draft": _DRAFT,
    },
    source=_LEVIATHAN,
    valid="draft >= 0; the check of a draft works on all its tokens at once",
    latex="M_d",
)
def drafted_tokens(sequence_tokens: Expr, draft: Expr) -> Expr:
    """Tokens of decoding sequences in a pass that checks drafts: 1 + draft of each."""
    return sequence_tokens * (1 + draft)


@formula(
    "token",
    take("decode_tokens prefill_tokens"),
    source="counted",
    valid="identity: a sum",
    latex="M",
)
def pass_tokens(decode_tokens: Expr, prefill_tokens: Expr) -> Expr:
    """Tokens that one pass works on: decoding ones and prompts."""
    return total(decode_tokens, prefill_tokens)


@formula(
    "token",
    take("decode_tokens prefill_tokens")
    | {"computed": p("token", "s_n", "tokens of the prompt that no cache holds")},
    source="counted",
    valid="computed > 0; a prompt samples once, at its end",
    latex="M_s",
)
def sampled_tokens(decode_tokens: Expr, prefill_tokens: Expr, computed: Expr) -> Expr:
    """Tokens of a pass that the head is read for: decoding, and the last of prompts."""
    length = largest(length=computed, one=q("1 token"))
    return decode_tokens + prefill_tokens / length * q("1 token")


@formula(
    "sequence",
    take("batch dp")
    | {
        "most": p("sequence", "B_0", "sequences that the engine takes in a group"),
        "users": p("sequence", "U", "sequences that are offered at once"),
    },
    source="counted",
    valid="dp >= 1; `batch` is what the cache admits",
    latex="B",
)
def batch_that_runs(batch: Expr, dp: Expr, most: Expr, users: Expr) -> Expr:
    """Sequences that run: what the cache admits, the engine takes and users offer."""
    return smallest(cache=batch, engine=most * dp, users=users)


@formula(
    "s",
    {
        "mean": p("s", r"\bar T", "mean over requests"),
        "cv": p("1", r"c_T", "coefficient of variation over requests"),
        "quantile": p("1", "z", "quantile of the standard normal"),
    },
    source="normal tail: a request's mean is over many steps",
    valid="cv >= 0; quantile >= 0; the 50th percentile and above",
)
def tpot_percentile(mean: Expr, cv: Expr, quantile: Expr) -> Expr:
    """A percentile over requests of the time per output token."""
    return mean * (1 + cv * quantile)


@formula(
    "token/s",
    _LIMIT,
    source="definition",
    valid="identity: all or nothing; latency and limit of the same percentile",
)
def throughput_if_within(measured: Expr, limit: Expr, throughput: Expr) -> Expr:
    """The throughput where a latency keeps its limit, nothing where it does not."""
    return where(measured <= limit, throughput, q("0 token/s"))


@formula(
    "token/s",
    {
        "first": p("token/s", r"\Theta_1", "one rate"),
        "second": p("token/s", r"\Theta_2", "the other"),
    },
    source="definition",
    valid="identity: a minimum",
)
def lower_rate(first: Expr, second: Expr) -> Expr:
    """The lower of two rates."""
    return smallest(steps=first, prompts=second)


@formula(
    "s",
    {
        "time": p("s", "T", "time to the first token of an admitted request"),
        "waiting": p("s", "W", "wait for room in the cache"),
    },
    source="definition",
    valid=(
        "waiting >= 0; waits for room and for the instance come one after the other"
    ),
)
def with_wait(time: Expr, waiting: Expr) -> Expr:
    """A time to the first token with the wait for room."""
    return time + waiting


_QUEUE: dict[str, Param] = {
    "arrival": p("request/s", r"\lambda", "requests that arrive at all instances"),
    "peak": p("1", r"\kappa_p", "demand at the peak over the mean"),
}


@formula(
    "request/s",
    _QUEUE | take("instances"),
    source="requests spread evenly",
    valid="instances > 0; requests spread evenly",
    latex=r"\lambda_1",
)
def arrivals_at_instance(arrival: Expr, peak: Expr, instances: Expr) -> Expr:
    """Requests that arrive at one instance, at the peak."""
    return arrival * peak / instances


@formula(
    "1",
    _QUEUE
    | take("output")
    | {"throughput": p("token/s", r"\Theta", "output tokens of all instances")},
    source="definition",
    valid="throughput > 0; stable below 1",
    latex=r"\rho",
)
def queue_use(arrival: Expr, peak: Expr, output: Expr, throughput: Expr) -> Expr:
    """Tokens asked for at the peak over what all instances make running full."""
    return arrival * peak * output / q("1 request") / throughput


@formula(
    "1",
    {
        "arrival": p("request/s", r"\lambda", "requests that arrive, in the mean"),
        "availability": p("1", "a", "chip-hours up over installed"),
        "sold": p("1", "u", "chip-hours paid for over those up"),
    }
    | take("output")
    | {"throughput": p("token/s", r"\Theta", "output tokens of all instances")},
    source="definition: mean demand over capacity, at most all of it",
    valid="throughput > 0; availability > 0; sold > 0; the mean, not the peak",
    latex=r"\ell",
)
def load_of_arrivals(
    arrival: Expr, availability: Expr, sold: Expr, output: Expr, throughput: Expr
) -> Expr:
    """Mean demand over what the chips that are up and sold make running full."""
    asked = arrival * output / q("1 request")
    capacity = throughput * availability * sold
    return smallest(demand=asked / capacity, capacity=1)


@formula(
    "1",
    {"use": p("1", r"\rho", "what is asked for over what can be made")},
    source="a queue that is asked for more than it serves grows without end",
    valid="identity: what exceeds 1",
    flag="more requests arrive than are served: queues grow without end",
)
def overload(use: Expr) -> Expr:
    """By how much demand exceeds what can be served."""
    return largest(beyond=use - 1, none=0)


@formula(
    "1",
    {
        "busy": p(
            "1", r"\varrho", "share of its time that an instance takes prompts in"
        ),
        "beyond": p("1", "o", "by how much demand exceeds what can be served"),
    },
    source="cut at 97%, as for users who ask again",
    valid="busy >= 0; what is beyond 1 is flagged",
)
def stable_load(busy: Expr, beyond: Expr) -> Expr:
    """Share of its time that an instance takes prompts in, cut where none is stable."""
    return smallest(stable=0.97, busy=busy + beyond)


@formula(
    "1",
    {"share": p("1", "u", "share of the data sheet's bandwidth")},
    source="data sheet",
    valid="identity: what exceeds 1",
    flag="more bytes are read than the stated bandwidth allows: a stated figure is off",
)
def bandwidth_excess(share: Expr) -> Expr:
    """By how much a utilisation exceeds 1."""
    return largest(beyond=share - 1, none=0)


@formula(
    "1",
    {
        "share": p("1", "u", "share of the data sheet's bandwidth"),
        "excess": p("1", "x", "by how much it exceeds 1"),
    },
    source="definition",
    valid="identity: two parts of one share",
    latex=r"\mathrm{MBU}",
)
def reported_share(share: Expr, excess: Expr) -> Expr:
    """A utilisation as it is: what lies within the data sheet and what exceeds it."""
    return smallest(within=1, share=share) + excess


@formula(
    "1",
    take("batch dp"),
    source="counted",
    valid="dp >= 1; sequences spread evenly over groups",
)
def groups_seated(batch: Expr, dp: Expr) -> Expr:
    """1 where each group of attention has a sequence."""
    return where(batch >= dp * q("1 sequence"), 1, 0)


@formula(
    "1",
    take("tp dp ep batch experts expert_ffn")
    | {"spare": p("1", "E_x", "copies of experts on a rank, kept for balance")},
    source="counted",
    valid="ep >= 1; dp >= 1; heads over tp are judged where tp is chosen",
)
def serving_divides(
    tp: Expr,
    dp: Expr,
    ep: Expr,
    batch: Expr,
    experts: Expr,
    expert_ffn: Expr,
    spare: Expr,
) -> Expr:
    """1 where ep divides tp dp and the experts, and each group has a sequence.

    What ep leaves of tp dp cuts each expert into columns.
    """
    slices = tp * dp / ep
    seated = where(batch >= dp * q("1 sequence"), 1, 0)
    ranks = _whole(slices) * _whole(experts / ep + spare)
    return ranks * _whole(expert_ffn / slices) * seated


def _whole(x: Expr) -> Expr:
    return where(x - floor(x) > _SNAP, 0, 1)


@formula(
    "1",
    {
        "first": p("1", "a", "what one pool has"),
        "second": p("1", "b", "what the other has"),
    },
    source="definition",
    valid="identity: a minimum",
)
def both_hold(first: Expr, second: Expr) -> Expr:
    """The lesser of what two pools have: 0 where one has nothing."""
    return smallest(prefill=first, decode=second)


@formula(
    "token/s",
    take("batch prompt") | {"step": p("s", "T_p", "time to take the prompts in")},
    source="definition",
    valid=(
        "step > 0; an instance that only takes prompts in, one batch of "
        "them after the other"
    ),
    latex=r"\Theta_p",
)
def prompt_rate(batch: Expr, prompt: Expr, step: Expr) -> Expr:
    """Prompt tokens a second of an instance that does nothing else."""
    return batch * EACH * prompt / step


@formula(
    "1",
    take("output prompt")
    | {
        "throughput": p("token/s", r"\Theta", "output tokens of the service"),
        "prefill_pool": p("1", "I_p", "instances that take prompts in"),
        "prefill_rate": p("token/s", r"\Theta_p", "prompt tokens of one of them"),
    },
    source="definition",
    valid=(
        "output > 0; prefill_pool > 0; prefill_rate > 0; as many prompts as outputs"
    ),
    latex=r"\varrho",
)
def prefill_pool_load(
    output: Expr,
    prompt: Expr,
    throughput: Expr,
    prefill_pool: Expr,
    prefill_rate: Expr,
) -> Expr:
    """Share of its time that an instance takes prompts in, the service running full."""
    return throughput * prompt / output / (prefill_pool * prefill_rate)


@formula(
    "1",
    {
        "part": p("$/month", "C_p", "cost of one pool"),
        "whole": p("$/month", "C", "cost of both"),
    },
    source="definition",
    valid="whole > 0; a part and its whole over the same time",
)
def part_of(part: Expr, whole: Expr) -> Expr:
    """Share of one pool in the cost of both."""
    return part / whole
