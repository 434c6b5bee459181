"""`python -m samples OUT.pdf [PAPER]`: the sample report as a PDF."""

import sys
from pathlib import Path

from isocost.reports.pdf import render_pdf

from . import DATE, report

paper = (sys.argv[2:] or ["A4"])[0]
Path(sys.argv[1]).write_bytes(render_pdf(report(), date=DATE, paper=paper))
