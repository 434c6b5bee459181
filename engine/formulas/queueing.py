"""Waiting: many servers, general service, percentiles, and the batch of a decoder.

The probability of waiting (Erlang C) is a kernel, `isocost.engine.kernels.erlang_c`,
which recurses and is stable for thousands of servers; the formulas here take it as
a number. One pooled queue always beats separate queues of the same servers.
"""

from isocost.dsl.expr import Expr, largest, log, smallest
from isocost.engine.formula import formula, q
from isocost.engine.formulas.reliability_symbols import take

_BOOK = "Kleinrock, Queueing Systems, volume 1"
_GENERAL = "Allen, Cunneen: Probability, Statistics and Queueing Theory, 1990"
_DISTSERVE = "Zhong et al., DistServe, OSDI 2024"
_STABLE = "0 <= use < 1; "
_PLACE = q("1 request")


@formula(
    "request",
    take("arrivals sojourn"),
    source="Little, A proof for the queueing formula L = lambda W, 1961",
    valid="arrivals >= 0; sojourn >= 0; any stable system",
    latex="L",
)
def concurrency(arrivals: Expr, sojourn: Expr) -> Expr:
    """Requests in the system: L = lambda W."""
    return arrivals * sojourn


@formula(
    "1",
    take("arrivals service"),
    source=_BOOK,
    valid="arrivals >= 0; service >= 0; no arrival turned away",
    latex="a",
)
def offered_load(arrivals: Expr, service: Expr) -> Expr:
    """Servers that would be busy without end of queue: a = lambda S (erlangs)."""
    return arrivals * service / _PLACE


@formula(
    "1",
    take("arrivals service servers"),
    source=_BOOK,
    valid="arrivals >= 0; servers > 0; stable below 1",
    latex=r"\rho",
)
def server_use(arrivals: Expr, service: Expr, servers: Expr) -> Expr:
    """Share of the servers that is busy: lambda S / c; stable below 1."""
    return arrivals * service / (servers * _PLACE)


@formula(
    "s",
    take("queued service servers use"),
    source=_BOOK,
    valid=_STABLE + "servers >= 1; Poisson arrivals, exponential service, one queue",
    latex="W_q",
)
def wait_mean(queued: Expr, service: Expr, servers: Expr, use: Expr) -> Expr:
    """Mean wait before one of c servers: C S / (c (1 - rho))."""
    return queued * service / (servers * (1 - use))


@formula(
    "s",
    take("queued service servers use quantile"),
    source=_BOOK,
    valid=_STABLE + "0 <= quantile < 1; Poisson arrivals, exponential "
    "service, first come first served",
    latex="W_q",
)
def wait_percentile(
    queued: Expr, service: Expr, servers: Expr, use: Expr, quantile: Expr
) -> Expr:
    """Wait that the share q stays within: max(0, ln(C / (1 - q)) S / (c (1 - rho)))."""
    tail = log(queued / (1 - quantile)) * service / (servers * (1 - use))
    return largest(at_once=q("0 s"), queued=tail)


@formula(
    "s",
    take("service use quantile"),
    source=_BOOK,
    valid=_STABLE + "0 <= quantile < 1; M/M/1",
    latex="W",
)
def sojourn_percentile(service: Expr, use: Expr, quantile: Expr) -> Expr:
    """Time in a single-server system that the share q stays within.

    -ln(1 - q) S / (1 - rho): the 99th percentile is 4.6 times the mean.
    """
    return -log(1 - quantile) * service / (1 - use)


@formula(
    "s",
    take("service use service_cv"),
    source="Pollaczek 1930, Khinchine 1932; " + _BOOK,
    valid=_STABLE + "Poisson arrivals, one server, any service",
    latex="W_q",
)
def wait_general_service(service: Expr, use: Expr, service_cv: Expr) -> Expr:
    """Mean wait before one server: rho (1 + c_s^2) S / (2 (1 - rho))."""
    return use * (1 + service_cv**2) * service / (2 * (1 - use))


@formula(
    "s",
    take("service use arrival_cv service_cv"),
    source="Kingman, The single server queue in heavy traffic, 1961",
    valid=_STABLE + "one server, heavy traffic; an upper bound in general",
    latex="W_q",
)
def wait_heavy_traffic(
    service: Expr, use: Expr, arrival_cv: Expr, service_cv: Expr
) -> Expr:
    """Mean wait, any arrivals: rho/(1 - rho) (c_a^2 + c_s^2)/2 S."""
    spread = (arrival_cv**2 + service_cv**2) / 2
    return use / (1 - use) * spread * service


@formula(
    "s",
    take("queued service servers use arrival_cv service_cv"),
    source=_GENERAL,
    valid=_STABLE + "servers >= 1; an approximation, exact for M/M/c and M/G/1",
    latex="W_q",
)
def wait_general(
    queued: Expr,
    service: Expr,
    servers: Expr,
    use: Expr,
    arrival_cv: Expr,
    service_cv: Expr,
) -> Expr:
    """Mean wait before c servers, any arrivals and service.

    (c_a^2 + c_s^2)/2 C S / (c (1 - rho)); with Poisson arrivals c_a is 1.
    """
    spread = (arrival_cv**2 + service_cv**2) / 2
    wait: Expr = wait_mean(queued, service, servers, use)
    return spread * wait


# Serving --------------------------------------------------------------------------


def _rate(arrivals: Expr, prefill: Expr) -> Expr:
    """Prefills that arrive while one runs."""
    return arrivals * prefill / _PLACE


@formula(
    "s",
    take("arrivals prefill"),
    source=_DISTSERVE + ", M/D/1",
    valid="arrivals * prefill < 1 request; Poisson arrivals, equal prompts",
    latex=r"\mathrm{TTFT}",
)
def ttft_single(arrivals: Expr, prefill: Expr) -> Expr:
    """Mean time to first token on one instance: D + R D^2 / (2 (1 - R D))."""
    use = _rate(arrivals, prefill)
    return prefill + prefill * use / (2 * (1 - use))


@formula(
    "s",
    take("arrivals prefill"),
    source=_DISTSERVE + ", two pipeline stages",
    valid="arrivals * prefill < 2 request; Poisson arrivals, equal prompts",
    latex=r"\mathrm{TTFT}",
)
def ttft_two_stages(arrivals: Expr, prefill: Expr) -> Expr:
    """The same on two pipeline stages: D + R D^2 / (4 (2 - R D))."""
    use = _rate(arrivals, prefill)
    return prefill + prefill * use / (4 * (2 - use))


@formula(
    "s",
    take("arrivals prefill speedup"),
    source=_DISTSERVE + ", parallelism within operators",
    valid=("arrivals * prefill < speedup * 1 request; Poisson arrivals, equal prompts"),
    latex=r"\mathrm{TTFT}",
)
def ttft_tensor_parallel(arrivals: Expr, prefill: Expr, speedup: Expr) -> Expr:
    """The same K times faster: D/K + R D^2 / (2 K (K - R D))."""
    use = _rate(arrivals, prefill)
    return prefill / speedup + prefill * use / (2 * speedup * (speedup - use))


@formula(
    "request",
    take("arrivals output weights_time cache_time fixed_time work_time"),
    source="fixed point of Little's law over a step that is affine in its batch",
    valid=(
        "arrivals * output * cache_time * 1 request < 1; arrivals * output "
        "* work_time * 1 request < 1; both branches stable"
    ),
    latex="b",
)
def steady_batch(
    arrivals: Expr,
    output: Expr,
    weights_time: Expr,
    cache_time: Expr,
    fixed_time: Expr,
    work_time: Expr,
) -> Expr:
    """Requests that decode together when b = lambda n_o TPOT(b).

    TPOT is the longer of two affine times a + c b, hence the closed form
    b = max over both of lambda n_o a / (1 - lambda n_o c).
    """
    flow = arrivals * (output * _PLACE)
    return largest(
        memory=flow * weights_time / (1 - flow * cache_time),
        compute=flow * fixed_time / (1 - flow * work_time),
    )


@formula(
    "1",
    take("arrivals output tpot batch"),
    source="rate in over rate out of a decode batch",
    valid="batch > 0; stable below 1",
    latex=r"\rho",
)
def decode_use(arrivals: Expr, output: Expr, tpot: Expr, batch: Expr) -> Expr:
    """Share of a decoder's capacity in use at a batch: lambda n_o TPOT(b) / b."""
    return arrivals * (output * _PLACE) * tpot / batch


@formula(
    "request",
    take("arrivals ttft output tpot"),
    source="Little's law",
    valid="arrivals >= 0; all times at the load in question",
    latex="L",
)
def requests_in_flight(arrivals: Expr, ttft: Expr, output: Expr, tpot: Expr) -> Expr:
    """Requests that hold cache: lambda (TTFT + n_o TPOT), not above the slots."""
    each = ttft + output * _PLACE * tpot
    return arrivals * each


@formula(
    "request/s",
    take("slots ttft output tpot"),
    source="Little's law",
    valid=(
        "slots >= 0; ttft + output * tpot * 1 request > 0; all times at the full batch"
    ),
    latex=r"\lambda",
)
def arrivals_admitted(slots: Expr, ttft: Expr, output: Expr, tpot: Expr) -> Expr:
    """Arrivals that the slots of the cache admit: B / (TTFT + n_o TPOT)."""
    return slots / (ttft + output * _PLACE * tpot)


@formula(
    "1",
    take("use choices"),
    source="Mitzenmacher, The power of two choices, 2001",
    valid=_STABLE + "choices >= 1; many servers; the share of queues with two "
    "or more requests",
    latex="s_2",
)
def queue_of_two(use: Expr, choices: Expr) -> Expr:
    """Share of the queues that hold two or more, joining the shortest of k.

    s_2 = rho^(k + 1): rho^2 for one choice at random, rho^3 for two.
    """
    return smallest(stable=use, worst=1.0) ** (choices + 1)
