"""The report as one self-contained page that computes.

`live_study` gives the material whose numbers remember their nodes; `render_html`
writes the page. Scripts and styles are the package's own; nothing is fetched.
"""

from isocost.reports.html.live import LiveStudy, live_study
from isocost.reports.html.page import render_html

__all__ = ["LiveStudy", "live_study", "render_html"]
