"""`prose("…{path}…")`: a paragraph whose numbers and words follow the results.

Each argument is a text, or a list of `when(condition, "…")` with a last text for all
other cases; they are joined. `lead = true` sets it larger, `box = "Title"` apart.
"""

from isocost.reports import view as v
from isocost.reports.exhibits import Call
from isocost.reports.study import Study
from isocost.reports.telling import tell

SECTION = "scope"


def build(study: Study, call: Call) -> list[v.Block]:
    """One paragraph or box; nothing where no text holds."""
    texts = [tell(study, {"text": arg}, "text") for arg in call.args]
    text = " ".join(one for one in texts if one)
    if not text:
        return []
    if "box" in call.named:
        return [v.Callout(tell(study, call.named, "box"), text)]
    return [v.Paragraph(text, lead="lead" in call.named)]
