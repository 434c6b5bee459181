"""Whether less or more of a metric is better, as far as its path tells."""

#: Metrics that are better the more there is of them, by the start of their path.
MORE = (
    "throughput.",
    "mfu",
    "mbu",
    "goodput",
    "irr",
    "cost.npv",
    "availability",
    "ettr",
    "bisection",
    "scale_up.bandwidth",
    "scale_up.over_scale_out",
    "network.free",
)


def direction(text: str) -> tuple[str, int]:
    """A goal's path, and 1 to make it small or -1 to make it large.

    `min:PATH` and `max:PATH` say so; else the path decides.
    """
    for mark, sign in (("min:", 1), ("max:", -1)):
        if text.startswith(mark):
            return text.removeprefix(mark), sign
    return text, -1 if text.startswith(MORE) else 1
