"""The variables of failures, queues and supply: one name, one unit, one meaning."""

from collections.abc import Mapping

from isocost.engine.formula import Param, p

FAILURES: Mapping[str, Param] = {
    "server_rate": p("/server-day", "r_f", "failures of a server (per node-day)"),
    "chips_per_server": p("chip/server", "n_c", "chips in a server"),
    "chip_rate": p("/chip-h", r"\lambda_1", "failures by chip that stop the job"),
    "job_rate": p("/h", r"\lambda_0", "failures of a job whatever its size"),
    "chips": p("chip", "N", "chips of the job"),
    "failure_rate": p("/h", r"\lambda", "failures that stop the job"),
    "events": p("1", "k", "interruptions seen"),
    "observed": p("h", "T", "time observed"),
    "mttf": p("h", "M", "mean time to failure of the whole"),
    "part_mttf": p("year", "M_p", "mean time to failure of one part"),
    "parts": p("1", "N_p", "parts of which the first failure counts"),
    "save": p("s", "d", "time for which a checkpoint blocks the run"),
    "restart": p("s", "R", "time from failure to running again"),
    "interval": p("s", r"\tau", "productive time between checkpoints"),
    "parameters": p("1", "N_w", "parameters of the model"),
    "state_bytes": p("B", "b", "state saved by parameter (14 to 16 B)"),
    "checkpoint": p("B", "S", "size of a checkpoint"),
    "write_bandwidth": p("B/s", "W", "bandwidth to where checkpoints are kept"),
    "step_time": p("s", "t", "time of an iteration"),
    "lost_steps": p("1", "k", "iterations done since the last checkpoint"),
    "copy_bytes": p("B", "S_c", "state to copy to the replacement"),
    "bandwidth": p("B/s", "W", "bandwidth of the copy"),
    "mtbf": p("h", r"\mathrm{MTBF}", "mean time between failures of one unit"),
    "mttr": p("h", r"\mathrm{MTTR}", "mean time to repair it"),
    "unit_availability": p("1", "a", "share of the time in which a unit is up"),
    "units": p("1", "n", "units that must all be up"),
    "shared_availability": p("1", "a_s", "the same for what all units share"),
    "enough": p("1", "P", "probability that enough units are up"),
    "domain_chips": p("chip", "n", "chips that go down together"),
    "daily": p("/day", "r", "share of the units that fail in a day"),
}

QUEUES: Mapping[str, Param] = {
    "arrivals": p("request/s", r"\lambda", "requests that arrive"),
    "sojourn": p("s", "W", "time in the system"),
    "service": p("s", "S", "mean time of service"),
    "servers": p("1", "c", "servers, each with one request at a time"),
    "use": p("1", r"\rho", "share of the servers that is busy"),
    "queued": p("1", "C", "probability that a request waits (Erlang C)"),
    "quantile": p("1", "q", "share of the requests within the time"),
    "service_cv": p("1", "c_s", "coefficient of variation of service times"),
    "arrival_cv": p("1", "c_a", "coefficient of variation of times between arrivals"),
    "prefill": p("s", "D", "time of a prefill alone"),
    "speedup": p("1", "K", "speed-up of a prefill by parallelism within operators"),
    "output": p("token/request", "n_o", "output tokens of a request"),
    "weights_time": p("s/token", "a_m", "memory time of a step, batch aside"),
    "cache_time": p(
        "s/token/request", "c_m", "memory time of a step for each request in it"
    ),
    "fixed_time": p("s/token", "a_f", "arithmetic and overhead of a step, batch aside"),
    "work_time": p(
        "s/token/request", "c_f", "arithmetic of a step for each request in it"
    ),
    "batch": p("request", "b", "requests that decode together"),
    "slots": p("request", "B", "requests that memory admits"),
    "ttft": p("s", r"\mathrm{TTFT}", "time to the first token"),
    "tpot": p("s/token", r"\mathrm{TPOT}", "time of each further token"),
    "choices": p("1", "k", "queues looked at before joining the shortest"),
}

FLOWS: Mapping[str, Param] = {
    "volume": p("chip", "V", "chips delivered in the period"),
    "wafers": p("wafer", "W", "wafers started"),
    "dies_per_chip": p("die/chip", "n_d", "dies of one kind in a chip"),
    "dies_per_wafer": p("die/wafer", "N", "gross dies on a wafer"),
    "yields": p("1", "Y", "good units over units started, all steps"),
    "packages_per_chip": p("package/chip", "n_q", "packages in a chip as sold"),
    "packages_per_wafer": p("package/wafer", "N_q", "interposers from a wafer"),
    "stacks_per_chip": p("stack/chip", "n_s", "memory stacks of a chip"),
    "stack_capacity": p("GB/stack", "B", "capacity of a stack"),
    "parts_per_chip": p("part/chip", "n_p", "parts (cables, switches) by chip"),
    "chip_share_power": p("W/chip", "p_a", "power of a chip with its share of all"),
    "spend": p("$", "x", "what is paid to one supplier"),
    "bill": p("$", "X", "what is paid to all"),
    "stacks": p("stack", "N_s", "memory stacks"),
}

SYMBOLS: Mapping[str, Param] = {**FAILURES, **QUEUES, **FLOWS}


def take(names: str) -> dict[str, Param]:
    """The parameters of these names, in this order."""
    return {name: SYMBOLS[name] for name in names.split()}
