"""Where the time of a report goes: numbers, layout, writing; pages a second, memory.

The rival is the layout engine by itself, at work on the same pages: their HTML and
style sheet as `isocost` hands them over, the numbers made before.
"""

import json
import subprocess
import tempfile
from pathlib import Path

from benchmarks._frame import PYTHON, Outcome, scenario

#: One report by the command's own function, timed at its seams.
PHASES = """
import argparse, json, resource, sys, time
begun = time.perf_counter()
import isocost.report as command
from isocost.reports import pdf, press
from isocost.reports.endings import Draft

seconds, pages = {}, []

def timed(name, function, look=lambda made: None):
    def wrapped(*args, **options):
        start = time.perf_counter()
        made = function(*args, **options)
        seconds[name] = time.perf_counter() - start
        look(made)
        return made
    return wrapped

def written(self, *args):
    seconds["numbers"] = time.perf_counter() - begun
    press.Press.lay_out = timed(
        "layout", press.Press.lay_out, lambda made: pages.append(len(made.pages))
    )
    return before(self, *args)

before, Draft.written = Draft.written, timed("pages", written)
parser = argparse.ArgumentParser()
command.configure(parser)
command.run(parser.parse_args(sys.argv[1:4]))
seconds["whole"] = time.perf_counter() - begun
most = [resource.getrusage(who).ru_maxrss / 1024 for who in
        (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
html = None
if len(sys.argv) > 4:
    import attrs, datetime
    study = command._study(parser.parse_args(sys.argv[1:4]), ".pdf")
    from isocost.reports.arrange import arranged
    from isocost.reports.assemble import assemble
    from isocost.reports.document import render_page
    page = render_page(
        arranged(assemble(study), "A4"), paper="A4", date=datetime.date(2026, 1, 1)
    )
    open(sys.argv[4], "w").write(page.html)
    open(sys.argv[5], "w").write(page.css)
print(json.dumps({"seconds": seconds, "pages": pages[-1], "memory": most}))
"""
ALONE = """
import sys, time
start = time.perf_counter()
from weasyprint import CSS, HTML
from weasyprint.text.fonts import FontConfiguration
from isocost.reports.document import HERE
fonts = FontConfiguration()
sheets = [CSS(filename=name, font_config=fonts) for name in
          (sys.argv[2], HERE / "theme.css")]
HTML(filename=sys.argv[1], base_url=f"{HERE.as_uri()}/").write_pdf(
    sys.argv[3], stylesheets=sheets, font_config=fonts, pdf_variant="pdf/a-3a"
)
print(time.perf_counter() - start)
"""


def run() -> Outcome:
    """One report of the study, told in its phases."""
    study = scenario("scenarios/trainium2/study.scn")
    with tempfile.TemporaryDirectory() as folder:
        html, css, out = (str(Path(folder, n)) for n in ("a.html", "a.css", "a.pdf"))
        told = json.loads(_said(PHASES, study, "-o", out, html, css))
        alone = float(_said(ALONE, html, css, out))
    seconds, pages = told["seconds"], told["pages"]
    seconds["writing"] = seconds["pages"] - seconds["layout"]
    notes: dict[str, float | str] = {
        name: f"{seconds[name]:.1f} s" for name in ("numbers", "layout", "writing")
    }
    notes["memory"] = " and ".join(f"{most:.0f} MB" for most in told["memory"])
    notes["pages"] = pages
    return Outcome(
        what="pages of a report, from the study's text to its PDF",
        value=pages / seconds["whole"],
        unit="pages/s",
        rival="WeasyPrint on the same pages, without numbers",
        rival_value=pages / alone,
        limit=3.0,
        higher_is_better=True,
        notes=notes,
    )


def _said(script: str, *arguments: str) -> str:
    """The last line that a script prints."""
    ran = subprocess.run(
        [PYTHON, "-c", script, *arguments], check=True, capture_output=True, text=True
    )
    return ran.stdout.strip().splitlines()[-1]
