"""Failures, checkpoints, goodput, spares and blast radius.

A job fails at a rate that grows with its chips and at one that does not: measured
jobs of 1,024 GPUs fail four times as often as the first term alone predicts. The
exact goodput holds at any rate; the first-order forms are kept for comparison with
publications and say where they end.
"""

from isocost.dsl.expr import Expr, exp, largest, sqrt, where
from isocost.engine.formula import formula, p, q
from isocost.engine.formulas.reliability_symbols import take

_META = "Kokolis et al., Revisiting Reliability, HPCA 2025, arXiv:2410.21680"
_YOUNG = "Young, A first order approximation to the optimum checkpoint interval, 1974"
_DALY = "Daly, A higher order estimate of the optimum checkpoint interval, 2006"
_LLAMA = "Llama 3 Herd of Models, arXiv:2407.21783, section 3.3.4"
_100K = "SemiAnalysis, 100,000 H100 Clusters, 2024"
_TPU = "Zu et al., Resiliency at Scale: TPUv4, NSDI 2024"
_STEADY = "steady state of failure and repair"


@formula(
    "/chip-h",
    take("server_rate chips_per_server"),
    source=_META + " (6.50 and 2.34 per 1000 node-days)",
    valid="chips_per_server > 0; failures in proportion to servers",
    latex=r"\lambda_1",
)
def chip_failure_rate(server_rate: Expr, chips_per_server: Expr) -> Expr:
    """Failures by chip from those by server: r_f / n_c."""
    return server_rate / chips_per_server


@formula(
    "/h",
    take("job_rate chip_rate chips"),
    source=_META + "; the constant term from its measured 7.9 h at 1,024 GPUs",
    valid=(
        "job_rate >= 0; chip_rate >= 0; independent failures, each of which "
        "stops the job"
    ),
    latex=r"\lambda",
)
def job_failure_rate(job_rate: Expr, chip_rate: Expr, chips: Expr) -> Expr:
    """Failures that stop a job: lambda_0 + N lambda_1."""
    return job_rate + chip_rate * chips


@formula(
    "/h",
    {
        "links": p("/system", "n", "links of one system"),
        "link_rate": p("/year", r"\lambda_l", "failures of one link"),
        "systems": p("system", "N_s", "systems"),
    },
    source="rates add; SemiAnalysis, 100,000 H100 Clusters, 2024 (MTTF by link)",
    valid="links >= 0; link_rate >= 0; independent failures, each of which stops the "
    "job",
    latex=r"\lambda",
)
def link_failure_rate(links: Expr, link_rate: Expr, systems: Expr) -> Expr:
    """Failures of the links of some systems: n lambda_l N_s."""
    return links * link_rate * systems


@formula(
    "h",
    take("failure_rate"),
    source=_META,
    valid="failure_rate > 0; a constant rate",
    latex="M",
)
def job_mttf(failure_rate: Expr) -> Expr:
    """Mean time to failure of a job: 1 / lambda."""
    return 1 / failure_rate


@formula(
    "h",
    take("observed events"),
    source=_LLAMA,
    valid="events > 0; a constant rate; one in sqrt(k) uncertain",
    latex="M",
)
def mttf_observed(observed: Expr, events: Expr) -> Expr:
    """Mean time between the interruptions that were seen: T / k."""
    return observed / events


@formula(
    "chip-h",
    take("observed events chips"),
    source=_LLAMA,
    valid="events > 0; a constant rate; one in sqrt(k) uncertain",
    latex="N M",
)
def chip_hours_per_failure(observed: Expr, events: Expr, chips: Expr) -> Expr:
    """Chip-hours for each interruption: N T / k."""
    return chips * observed / events


@formula(
    "h",
    take("part_mttf parts"),
    source=_100K + ": 100,000 links of 5 years each, 26.28 minutes",
    valid="parts > 0; independent parts, constant rates",
    latex="M",
)
def first_failure(part_mttf: Expr, parts: Expr) -> Expr:
    """Mean time to the first failure among many parts: M_p / N_p."""
    return part_mttf / parts


# Checkpoints ----------------------------------------------------------------------


@formula(
    "B",
    take("parameters state_bytes"),
    source="bf16 weights and fp32 master weights and moments: 14 B, with gradients 16",
    valid="parameters > 0; written once, not by every replica",
    latex="S",
)
def checkpoint_size(parameters: Expr, state_bytes: Expr) -> Expr:
    """Size of a checkpoint: parameters times bytes of state."""
    return parameters * state_bytes


@formula(
    "s",
    take("checkpoint write_bandwidth"),
    source="size over bandwidth",
    valid=(
        "write_bandwidth > 0; blocks the run only if written in step; a "
        "copy to the host blocks less"
    ),
    latex="t_w",
)
def checkpoint_write_time(checkpoint: Expr, write_bandwidth: Expr) -> Expr:
    """Time to write a checkpoint: S / W."""
    return checkpoint / write_bandwidth


@formula(
    "s",
    take("save mttf"),
    source=_YOUNG,
    valid="save <= 0.1 * mttf; a first order in d / M",
    latex=r"\tau",
)
def young_interval(save: Expr, mttf: Expr) -> Expr:
    """Young's interval between checkpoints: sqrt(2 d M)."""
    return sqrt(2 * save * mttf)


@formula(
    "s",
    take("save mttf"),
    source=_DALY,
    valid=("save >= 0; mttf > 0; no interval is better than M where d exceeds 2 M"),
    latex=r"\tau",
)
def daly_interval(save: Expr, mttf: Expr) -> Expr:
    """Daly's interval between checkpoints.

    tau = sqrt(2 d M) (1 + sqrt(d / 2M) / 3 + (d / 2M) / 9) - d if d < 2M, else M.
    """
    ratio = save / (2 * mttf)
    better = sqrt(2 * save * mttf) * (1 + sqrt(ratio) / 3 + ratio / 9) - save
    return where(save < 2 * mttf, better, mttf)


@formula(
    "s",
    take("interval checkpoint write_bandwidth"),
    source="a checkpoint must be written before the next one starts",
    valid="write_bandwidth > 0; asynchronous checkpoints",
    latex=r"\tau",
)
def interval_asynchronous(
    interval: Expr, checkpoint: Expr, write_bandwidth: Expr
) -> Expr:
    """The interval, not below the time of writing: max(tau, S / W)."""
    return largest(best=interval, writing=checkpoint / write_bandwidth)


@formula(
    "1",
    take("interval save restart mttf"),
    source=_DALY,
    valid=(
        "interval > 0; mttf > 0; exponential failures, also during restart; "
        "work since the last save lost"
    ),
    latex=r"\eta",
)
def goodput_exact(interval: Expr, save: Expr, restart: Expr, mttf: Expr) -> Expr:
    """Productive over wall time: tau / (M e^(R/M) (e^((tau + d)/M) - 1))."""
    segment = exp((interval + save) / mttf) - 1
    return interval / (mttf * exp(restart / mttf) * segment)


@formula(
    "1",
    take("interval save restart mttf"),
    source=_YOUNG,
    valid=(
        "interval > 0; interval + save + restart <= 0.2 * mttf; losses far "
        "below the whole"
    ),
    latex=r"\eta",
)
def goodput_first_order(interval: Expr, save: Expr, restart: Expr, mttf: Expr) -> Expr:
    """Productive over wall time, first order: 1 - d/tau - (tau/2 + R)/M."""
    return 1 - save / interval - (interval / 2 + restart) / mttf


@formula(
    "1",
    take("mttf restart interval save"),
    source=_META,
    valid="interval > 0; restart + interval / 2 < mttf; losses small",
    latex=r"\mathrm{ETTR}",
)
def ettr_expected(mttf: Expr, restart: Expr, interval: Expr, save: Expr) -> Expr:
    """Expected effective training time ratio.

    (1 - (u_0 + tau/2)/M) / (1 + w/tau): the restart and half an interval are lost
    with each failure, and each interval pays for its checkpoint.
    """
    return (1 - (restart + interval / 2) / mttf) / (1 + save / interval)


@formula(
    "chip-h",
    take("chips step_time lost_steps"),
    source=_100K,
    valid="lost_steps >= 0; every chip repeats what was lost",
    latex="H",
)
def chip_time_lost(chips: Expr, step_time: Expr, lost_steps: Expr) -> Expr:
    """Chip-hours lost with the iterations since the last checkpoint: N t k."""
    return chips * step_time * lost_steps


@formula(
    "s",
    take("copy_bytes bandwidth"),
    source=_100K + ": 80 GB over 400 Gbit/s, 1.6 s",
    valid="bandwidth > 0; state held by another replica",
    latex="R",
)
def recovery_by_copy(copy_bytes: Expr, bandwidth: Expr) -> Expr:
    """Time to copy the state from a healthy replica: S / W."""
    return copy_bytes / bandwidth


# Availability ---------------------------------------------------------------------


@formula(
    "1",
    take("mtbf mttr"),
    source=_STEADY,
    valid="mtbf > 0; mttr >= 0; one repair at a time",
    latex="a",
)
def availability_of_unit(mtbf: Expr, mttr: Expr) -> Expr:
    """Share of the time in which a unit is up: MTBF / (MTBF + MTTR)."""
    return mtbf / (mtbf + mttr)


@formula(
    "1",
    take("daily mttr"),
    source=_TPU + ": 0.08% of machines a day, 72 h of repair",
    valid="daily * mttr <= 0.1; a repair for each failure, at once",
    latex="1 - a",
)
def share_in_repair(daily: Expr, mttr: Expr) -> Expr:
    """Share of the units that is in repair: rate of failure times time of repair."""
    return daily * mttr


@formula(
    "1",
    take("unit_availability units shared_availability"),
    source="SemiAnalysis, Trainium2: a chip of a 64-chip torus takes all 64 down",
    valid=(
        "0 <= unit_availability <= 1; 0 <= shared_availability <= 1; units "
        "fail independently; the domain works only whole"
    ),
    latex=r"a_{\mathrm{dom}}",
)
def availability_of_domain(
    unit_availability: Expr, units: Expr, shared_availability: Expr
) -> Expr:
    """Availability of a domain that one failure stops: a^n a_s."""
    return unit_availability**units * shared_availability


@formula(
    "1",
    take("enough shared_availability"),
    source=_TPU + "; binomial redundancy",
    valid=(
        "0 <= enough <= 1; 0 <= shared_availability <= 1; `enough` by the "
        "kernel at_least: spares can take any unit's place"
    ),
    latex="a",
)
def availability_with_spares(enough: Expr, shared_availability: Expr) -> Expr:
    """Availability of a domain with spare units or switched cubes: P(enough) a_s."""
    return enough * shared_availability


@formula(
    "chip-h",
    take("domain_chips mttr"),
    source="chips that go down together times the time they are down",
    valid="mttr >= 0; the domain is down as a whole until it is repaired",
    latex="H",
)
def blast_radius(domain_chips: Expr, mttr: Expr) -> Expr:
    """Chip-hours that one failure takes: n MTTR."""
    return domain_chips * mttr


@formula(
    "chip/year",
    take("chip_rate chips"),
    source="rates add",
    valid="chip_rate >= 0; every failure replaces a chip",
    latex="r",
)
def replacements(chip_rate: Expr, chips: Expr) -> Expr:
    """Chips to replace in a year: lambda_1 N."""
    return chip_rate * chips * q("1 chip")
