"""Serving under load: queues, finite runs, speculation, prefix hits, two pools.

Solo and loaded time to first token are two metrics. All are closed forms: a queue
is M/D/1 in front of the step that takes prompts in, a finite run is full waves and
a rest.
"""

from isocost.dsl.expr import Expr, ceil, floor, largest, lift, log2, smallest, where
from isocost.engine.formula import Param, formula, p, q
from isocost.engine.formulas.inference_symbols import EACH, take

_QUEUE = "Pollaczek-Khinchine mean wait, M/D/1; Kingman 1961"
_SPECULATION = "Leviathan et al. 2023 (speculative decoding), arXiv:2211.17192, eq. 1"
_SPLIT = "Zhong et al. 2024 (DistServe), arXiv:2401.09670"
_PREFIX = "Zheng et al. 2024 (SGLang, RadixAttention), arXiv:2312.07104"
_OWN = {
    "prefill": p("s", "T_p", "time to take one prompt in"),
    "step": p("s", "T", "time of one step"),
    "load": p("1", r"\varrho", "share of its time that an instance takes prompts in"),
    "arrivals": p("request/s", r"\lambda", "requests that arrive at one instance"),
    "hits": p("1", "h_p", "share of the prompt found in the cache"),
    "draft": p("1", r"\gamma", "tokens that are drafted ahead"),
    "acceptance": p("1", r"\alpha", "chance that a drafted token is accepted"),
    "accepted": p("1", r"\bar n", "tokens that a sequence gains in a step"),
    "limit": p("s", r"T_{max}", "limit on the time to first token"),
    "tail": p("1", "z", "-ln of the share of requests that wait longer"),
    "spread": p("1", r"c_v", "coefficient of variation of the prompts' times"),
    "requests": p("sequence", "N_q", "requests of a run that ends"),
    "full": p("s", "T_B", "time of a request at the full batch"),
    "rest": p("s", "T_r", "time of a request in the last, smaller wave"),
    "kv_token": p("B/token", r"\beta_L", "cache of a token in the whole model"),
    "link": p("B/s", "W_{kv}", "bandwidth from one pool's instance to the other's"),
    "prefill_pool": p("1", "I_p", "instances that take prompts in"),
    "decode_pool": p("1", "I_d", "instances that decode"),
    "prefill_rate": p("token/s", r"\Theta_p", "prompt tokens of a prefill instance"),
    "decode_rate": p("token/s", r"\Theta_d", "output tokens of a decode instance"),
}


def _own(names: str) -> dict[str, Param]:
    return {name: _OWN[name] for name in names.split()}


@formula(
    "1",
    take("batch output") | _own("prefill step"),
    source=_QUEUE,
    valid="output > 0; step > 0; closed loop: a user who is served asks again",
    latex=r"\varrho",
)
def prefill_load(batch: Expr, output: Expr, prefill: Expr, step: Expr) -> Expr:
    """Share of its time that an instance takes prompts in, under constant users.

    Each of B users brings one prompt in `output` steps. Cut at 97%.
    """
    busy = batch * EACH * prefill * q("1 token") / (output * step)
    return smallest(stable=0.97, busy=busy)


@formula(
    "1",
    _own("arrivals prefill"),
    source=_QUEUE,
    valid="arrivals >= 0; open loop; the queue is stable below 1",
    latex=r"\varrho",
)
def arrival_load(arrivals: Expr, prefill: Expr) -> Expr:
    """Share of its time that an instance takes prompts in, at an arrival rate."""
    return arrivals * prefill / q("1 request")


@formula(
    "s",
    _own("prefill load step"),
    source=_QUEUE,
    valid="0 <= load < 1; prompts of equal length, one at a time",
    latex=r"\mathrm{TTFT}",
)
def ttft_loaded(prefill: Expr, load: Expr, step: Expr) -> Expr:
    """Mean time to first token under load: wait, own prompt, half a step in progress.

    The wait is that of a queue with constant service times.
    """
    wait = prefill * load / (2 * (1 - load))
    return wait + prefill + step / 2


@formula(
    "s",
    _own("prefill load step tail"),
    source="Kingman 1961: the wait of a busy queue is exponential",
    valid="0 <= load < 1; tail > 0; percentiles from the 50th",
)
def ttft_percentile(prefill: Expr, load: Expr, step: Expr, tail: Expr) -> Expr:
    """A percentile of the time to first token: an exponential tail of the wait."""
    wait = prefill * load / (2 * (1 - load))
    return wait * tail + prefill + step / 2


@formula(
    "1",
    _own("prefill limit tail spread"),
    source=_QUEUE + " (wait of M/G/1, exponential tail)",
    valid=(
        "tail > 0; prefill > 0; the limit is on a percentile; 0 where one "
        "prompt alone exceeds it"
    ),
    latex=r"\varrho_{max}",
)
def load_within_limit(prefill: Expr, limit: Expr, tail: Expr, spread: Expr) -> Expr:
    """The most of its time that an instance may spend on prompts to keep a limit.

    The wait tail * prefill * load / (1 - load) * (1 + cv^2) / 2 is what the limit
    leaves beside the prompt's own time.
    """
    left = largest(slack=limit / prefill - 1, none=0)
    odds = left / (tail * (1 + spread * spread) / 2)
    return odds / (1 + odds)


@formula(
    "s",
    take("batch output")
    | _own("step")
    | {"mixed": p("s", "T_x", "time of a step that takes prompts in as well")},
    source="Agrawal et al. 2024 (Sarathi-Serve), arXiv:2403.02310",
    valid="batch > 0; mixed >= step; steady state of continuous batching",
)
def prompt_share_of_steps(batch: Expr, output: Expr, step: Expr, mixed: Expr) -> Expr:
    """What a prompt costs where others' steps carry it: the steps' lengthening.

    Below the time of a pass of its own, whose weights would be read for it alone.
    """
    return (mixed - step) * output / q("1 token") / (batch / q("1 sequence"))


@formula(
    "token/s",
    take("output") | _own("load prefill"),
    source="definition",
    valid=("0 <= load <= 1; prefill > 0; one prompt in for every request that leaves"),
)
def prefill_bound_throughput(output: Expr, load: Expr, prefill: Expr) -> Expr:
    """Output tokens a second that the time given to prompts admits."""
    return load * output / prefill


@formula(
    "s",
    take("batch") | _own("requests full rest"),
    source="counted: full waves, then what is left",
    valid=(
        "batch > 0; all requests queued at the start; the last wave runs at "
        "its own batch"
    ),
)
def finite_run_time(batch: Expr, requests: Expr, full: Expr, rest: Expr) -> Expr:
    """Time of a run that ends: whole waves of the full batch and one smaller one."""
    waves = floor(requests / batch)
    left = requests - waves * batch
    return waves * full + where(left > lift(0), rest, 0)


@formula(
    "s",
    take("batch output")
    | {
        "users": p("sequence", "U", "sequences that are offered at once"),
        "throughput": p("token/s", r"\Theta", "output tokens of the instance"),
    },
    source="Little's law on the sequences that the cache does not admit",
    valid="throughput > 0; closed loop; 0 where all are admitted",
)
def admission_wait(batch: Expr, output: Expr, users: Expr, throughput: Expr) -> Expr:
    """Wait for room in the cache, where more users ask than the batch holds."""
    waiting = largest(beyond=users - batch, none=0)
    return waiting * EACH * output / throughput


@formula(
    "1",
    _own("draft acceptance"),
    source=_SPECULATION,
    valid=(
        "draft >= 0; 0 <= acceptance <= 1; each draft accepted alike and "
        "apart from the others"
    ),
    latex=r"\bar n",
)
def speculative_tokens(draft: Expr, acceptance: Expr) -> Expr:
    """Tokens that a sequence gains in one step of draft and check, in expectation.

    `(1 - a^(k + 1)) / (1 - a)`: drafts are accepted up to the first that is not, and
    the check adds one. All of them where none is ever rejected.
    """
    some = (1 - acceptance ** (draft + 1)) / (1 - acceptance)
    return where(acceptance < 1, some, draft + 1)


@formula(
    "s",
    _own("step accepted"),
    source=_SPECULATION,
    valid=(
        "accepted >= 1; `step` checks 1 + draft tokens of each sequence and "
        "holds the drafting"
    ),
    latex=r"\mathrm{TPOT}",
)
def speculative_tpot(step: Expr, accepted: Expr) -> Expr:
    """Time for each output token where a step yields several."""
    return step / accepted


@formula(
    "token",
    take("prompt") | _own("hits"),
    source=_PREFIX,
    valid="0 <= hits < 1; every prompt hits alike",
)
def computed_prompt(prompt: Expr, hits: Expr) -> Expr:
    """Tokens of a prompt that are not found in the cache."""
    return prompt * (1 - hits)


@formula(
    "s",
    take("prompt") | _own("kv_token link"),
    source=_SPLIT,
    valid="link > 0; handed over at once, after the whole prompt",
)
def cache_transfer_time(prompt: Expr, kv_token: Expr, link: Expr) -> Expr:
    """Time to hand a prompt's cache from the pool that made it to the other."""
    return prompt * kv_token / link


@formula(
    "token/s",
    take("prompt output") | _own("prefill_pool prefill_rate decode_pool decode_rate"),
    source=_SPLIT,
    valid=(
        "prompt > 0; output > 0; pools balanced by the longer queue; what "
        "one cannot take waits"
    ),
)
def split_throughput(
    prompt: Expr,
    output: Expr,
    prefill_pool: Expr,
    prefill_rate: Expr,
    decode_pool: Expr,
    decode_rate: Expr,
) -> Expr:
    """Output tokens a second of two pools: what the slower of them admits."""
    return smallest(
        prefill=prefill_pool * prefill_rate * output / prompt,
        decode=decode_pool * decode_rate,
    )


@formula(
    "token",
    take("prompt output"),
    source="AWS Neuron documentation: bucketing of context lengths",
    valid=(
        "prompt + output >= 1 token; stacks that compile one program for "
        "each power of two"
    ),
)
def bucket_length(prompt: Expr, output: Expr) -> Expr:
    """Cache length that a compiled program reads: the next power of two."""
    length = (prompt + output) / q("1 token")
    return q("1 token") * 2 ** ceil(log2(length))
