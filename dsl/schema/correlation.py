"""`correlation`: inputs in doubt that are high together, or one high, another low."""

from typing import Any

from isocost.dsl.schema.base import kind, listing, quantity


@kind("correlation")
class Correlation:
    """Inputs in doubt whose draws go together, each with each of the others."""

    between: Any = listing(
        "The inputs: paths of statements with an interval or a distribution, such as "
        "`trainium2.price`, `my_scenario.site.electricity`."
    )
    rank: Any = quantity(
        "1",
        "Rank correlation (Spearman's) of each pair of them: 1 where they are high "
        "together, -1 where one is high as the other is low.",
        low=-1.0,
        high=1.0,
    )
