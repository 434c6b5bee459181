"""Numeric kernels: the few functions that no expression tree can hold.

Each is a plain function with its exact partial derivatives beside it, so that the
chain rule runs through: queues by recursion, binomial tails, and returns of cash
flows by the implicit function theorem. numpy is met only by `Kernel.over`.
"""

import bisect
import functools
import math
from collections.abc import Callable, Sequence
from typing import Any

import attrs

from isocost.dsl.expr import Expr, Operand, lift

Values = Sequence[float]
#: Numbers whose divisors are looked for at most, and what is taken for rounding noise.
DIVIDED = 10**10
_SNAP = 1e-9


@attrs.frozen(eq=False)
class Kernel:
    """A function of floats with its partial derivatives.

    `value` takes the arguments, `partials` takes the same and gives one derivative
    for each; whole-numbered arguments have derivative 0 (they move in steps).
    `variadic` says that the last argument may be repeated; `arrays` is a quicker way
    to take arrays than one point after the other. `set_as` (LaTeX) and `said_as` (text)
    are how one of any number of arguments is printed: `<0>` is the first argument, the
    others follow by families of an index `t`, which goes up to `<last>`.
    """

    name: str
    args: tuple[str, ...]
    value: Callable[..., float]
    partials: Callable[..., tuple[float, ...]]
    source: str
    valid: str = ""
    latex: str = ""
    variadic: bool = False
    arrays: Callable[..., Any] | None = None
    set_as: str = ""
    said_as: str = ""

    @property
    def doc(self) -> str:
        """What it computes: the docstring of its function."""
        return (self.value.__doc__ or "").strip()

    def over(self, *arrays: Any) -> Any:
        """The value at every point of broadcast arrays."""
        if self.arrays is not None:
            return self.arrays(*arrays)
        return pointwise(self.value)(*arrays)


def pointwise(function: Callable[..., float]) -> Callable[..., Any]:
    """A function of numbers over broadcast arrays, one point after the other.

    `numpy.vectorize` stops at 64 arguments, and a cash flow has more.
    """

    def over(*arrays: Any) -> Any:
        import numpy as np

        table = np.broadcast_arrays(*arrays)
        points = zip(*(column.ravel().tolist() for column in table), strict=True)
        found = np.array([function(*point) for point in points])
        return found.reshape(table[0].shape)

    return over


# Queues ---------------------------------------------------------------------------


def erlang_b(servers: float, load: float) -> float:
    """Probability that all servers are busy, nothing waiting (Erlang B).

    The inverse recurses, 1/B_k = 1 + (k/a) / B_(k-1): all terms are positive, and an
    overflow for a load far below the servers ends as the right answer, 0.
    """
    if not math.isfinite(servers):
        return math.nan
    if load <= 0:
        return 0.0 if servers > 0 else 1.0
    inverse = 1.0
    for k in range(1, round(servers) + 1):
        inverse = 1.0 + inverse * k / load
        if inverse == math.inf:
            return 0.0
    return 1.0 / inverse


def erlang_b_partials(servers: float, load: float) -> tuple[float, float]:
    """dB/da = B (c/a - 1 + B)."""
    if load <= 0:
        return 0.0, (1.0 if round(servers) == 1 else 0.0)
    blocked = erlang_b(servers, load)
    return 0.0, blocked * (servers / load - 1.0 + blocked)


def erlang_c(servers: float, load: float) -> float:
    """Probability that a request waits (Erlang C): B / (1 - rho (1 - B)), 1 if full."""
    if load >= servers:
        return 1.0
    blocked = erlang_b(servers, load)  # no number where one of the two is none
    return blocked / (1.0 - load / servers * (1.0 - blocked))


def erlang_c_partials(servers: float, load: float) -> tuple[float, float]:
    """By the quotient rule from dB/da."""
    if load >= servers:
        return 0.0, 0.0
    blocked = erlang_b(servers, load)
    slope = erlang_b_partials(servers, load)[1]
    rest = 1.0 - load / servers * (1.0 - blocked)
    rest_slope = -(1.0 - blocked) / servers + load / servers * slope
    return 0.0, slope / rest - blocked * rest_slope / rest**2


def servers_for_wait(
    load: float, service: float, limit: float, *, quantile: float
) -> int:
    """The fewest servers of one queue whose wait the share `quantile` keeps within.

    Args:
        load: Offered load in erlangs.
        service: Mean time of service.
        limit: The longest wait, in the same unit.
        quantile: Share of the requests within it.
    """
    inverse, servers = 1.0, 0
    while True:
        servers += 1
        inverse = 1.0 + inverse * servers / load if load > 0 else math.inf
        if servers <= load:
            continue
        blocked = 1.0 / inverse
        waits = blocked / (1.0 - load / servers * (1.0 - blocked))
        drain = (servers - load) / service
        if waits <= (1.0 - quantile) * math.exp(min(limit * drain, 700.0)):
            return servers


# Redundancy -----------------------------------------------------------------------


def _binomial(k: int, n: int, chance: float) -> float:
    """Probability of exactly k successes in n trials."""
    if chance in {0.0, 1.0}:
        return float(k == (n if chance else 0))
    size = math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)
    log = size + k * math.log(chance) + (n - k) * math.log1p(-chance)
    return math.exp(log)


def at_least(needed: float, units: float, up: float) -> float:
    """Probability that at least `needed` of `units` are up, each with `up`.

    Summed outward from `needed` on the side that holds less, smallest terms last.
    """
    if not (math.isfinite(needed) and math.isfinite(units)):
        return math.nan
    k, n = round(needed), round(units)
    if k <= 0:
        return 1.0
    if k > n:
        return 0.0
    if up <= 0 or up >= 1:
        return float(up >= 1)
    if k > n * up:
        return min(1.0, _tail(k, n, up))
    return max(0.0, 1.0 - _tail(n - k + 1, n, 1.0 - up))


def _tail(k: int, n: int, chance: float) -> float:
    term = _binomial(k, n, chance)
    terms = [term]
    odds = chance / (1.0 - chance)
    for i in range(k, n):
        term *= (n - i) / (i + 1) * odds
        terms.append(term)
        if term < terms[0] * 1e-18:
            break
    return math.fsum(terms)


def at_least_partials(
    needed: float, units: float, up: float
) -> tuple[float, float, float]:
    """d/dp P(X >= k) = n P(Binomial(n - 1, p) = k - 1)."""
    k, n = round(needed), round(units)
    if k <= 0 or k > n:
        return 0.0, 0.0, 0.0
    return 0.0, 0.0, n * _binomial(k - 1, n - 1, min(max(up, 0.0), 1.0))


def spares_needed(needed: int, up: float, risk: float) -> int:
    """The fewest spares with which P(fewer than `needed` up) is at most `risk`."""
    if not 0 < up <= 1:
        message = f"a unit that is up for the share {up:g} can have no spares"
        raise ValueError(message)
    low, high = 0, 1
    while 1.0 - at_least(needed, needed + high, up) > risk:
        low, high = high, 2 * high
    while low < high:
        middle = (low + high) // 2
        if 1.0 - at_least(needed, needed + middle, up) > risk:
            low = middle + 1
        else:
            high = middle
    return low


# Division ------------------------------------------------------------------------


@functools.lru_cache(maxsize=256)
def _divisors(whole: int) -> tuple[int, ...]:
    """The divisors of a whole number, ascending."""
    low = [d for d in range(1, math.isqrt(whole) + 1) if whole % d == 0]
    return (*low, *(whole // d for d in reversed(low) if d * d != whole))


def largest_divisor(whole: float, most: float, times: float, over: float) -> float:
    """The largest divisor d of a whole number up to `most`, `times` d / `over` whole.

    0 where there is none, and where the number is not whole or beyond `DIVIDED`.
    """
    if not all(map(math.isfinite, (whole, most, times, over))):
        return math.nan
    number, over = round(whole), max(round(over), 1)
    step = over // math.gcd(over, max(round(times), 1))
    if not 1 <= number <= DIVIDED or abs(whole - number) > _SNAP * number:
        return 0.0
    known = _divisors(number)
    at = bisect.bisect_right(known, most * (1 + _SNAP))
    return float(next((d for d in reversed(known[:at]) if d % step == 0), 0))


def largest_divisor_of_arrays(whole: Any, most: Any, times: Any, over: Any) -> Any:
    """`largest_divisor` at every point, those of one number and step together."""
    import numpy as np

    columns = [np.asarray(column, float) for column in (whole, most, times, over)]
    numbers, most, times, over = np.broadcast_arrays(*columns)
    known = np.isfinite(numbers) & np.isfinite(most + times + over)
    parts, copies = (
        np.maximum(np.round(np.where(known, column, 1)), 1).astype(np.int64)
        for column in (over, times)
    )
    step = parts // np.gcd(parts, copies)
    out = np.where(known, 0.0, np.nan)
    for number in np.unique(numbers[known]).tolist():
        size = round(number)
        if not (1 <= size <= DIVIDED and abs(number - size) <= _SNAP * size):
            continue
        of_number = known & (numbers == number)
        for multiple in np.unique(step[of_number]).tolist():
            here = of_number & (step == multiple)
            fits = np.array([0, *(d for d in _divisors(size) if d % multiple == 0)])
            at = np.searchsorted(fits, most[here] * (1 + _SNAP), side="right")
            out[here] = fits[np.maximum(at - 1, 0)]
    return out


def largest_divisor_partials(*_: float) -> tuple[float, float, float, float]:
    """It moves in steps."""
    return 0.0, 0.0, 0.0, 0.0


ERLANG_B = Kernel(
    "erlang_b",
    ("servers", "load"),
    erlang_b,
    erlang_b_partials,
    source="Erlang 1917; recursion as in Cooper, Introduction to Queueing Theory",
    valid="Poisson arrivals, whole servers",
    latex="B",
)
ERLANG_C = Kernel(
    "erlang_c",
    ("servers", "load"),
    erlang_c,
    erlang_c_partials,
    source="Erlang 1917; recursion as in Cooper, Introduction to Queueing Theory",
    valid="Poisson arrivals, exponential service, load below servers",
    latex="C",
)
AT_LEAST = Kernel(
    "at_least",
    ("needed", "units", "up"),
    at_least,
    at_least_partials,
    source="binomial distribution",
    valid="independent units, whole numbers of them",
    latex="P",
)

LARGEST_DIVISOR = Kernel(
    "largest_divisor",
    ("whole", "most", "times", "over"),
    largest_divisor,
    largest_divisor_partials,
    source="definition",
    valid="whole numbers up to 10^10",
    arrays=largest_divisor_of_arrays,
    latex=r"\operatorname{div}",
)

#: Kernels with a fixed number of arguments, as operators of the expression tree.
FIXED = (ERLANG_B, ERLANG_C, AT_LEAST, LARGEST_DIVISOR)


def call(kernel: Kernel, *args: Operand) -> Expr:
    """A kernel applied inside a formula's body.

    The operator is the kernel's name; `operators` gives back ends its function and
    those of its partial derivatives.
    """
    return Expr(kernel.name, tuple(lift(arg) for arg in args))


def partial_name(kernel: Kernel, argument: int) -> str:
    """The operator of a partial derivative; arguments count from 1, as in sympy."""
    return f"{kernel.name}_by_{kernel.args[argument - 1]}"


def operators(kernels: Sequence[Kernel]) -> dict[str, Callable[..., float]]:
    """Scalar functions by operator: each kernel, and each of its partials."""
    out: dict[str, Callable[..., float]] = {}
    for kernel in kernels:
        out[kernel.name] = kernel.value
        for index in range(len(kernel.args)):
            out[partial_name(kernel, index + 1)] = _picked(kernel, index)
    return out


def _picked(kernel: Kernel, index: int) -> Callable[..., float]:
    def partial(*args: float) -> float:
        return kernel.partials(*args)[index]

    return partial
