"""The sample charts and report, the real study, and a browser, loaded by path."""

import importlib.util
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import attrs
import pytest

from isocost.dsl.check import check
from isocost.dsl.load import load as load_scenarios
from isocost.dsl.resolve import resolve
from isocost.engine.evaluate import Evaluation
from isocost.engine.quantities import table
from isocost.reports import view
from isocost.reports.assemble import assemble, date_of
from isocost.reports.html import LiveStudy, live_study, render_html
from isocost.reports.outputs import with_files
from isocost.reports.pdf import render_pdf

HERE = Path(__file__).parent
STUDY = HERE.parents[1] / "scenarios" / "trainium2" / "study.scn"


def load(name: str) -> ModuleType:
    """A module or a package beside this file."""
    known = f"isocost_{name}"
    if known in sys.modules:
        return sys.modules[known]
    folder = HERE / name
    path = folder / "__init__.py" if folder.is_dir() else HERE / f"{name}.py"
    inside = [str(folder)] if folder.is_dir() else None
    spec = importlib.util.spec_from_file_location(
        known, path, submodule_search_locations=inside
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[known] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def samples() -> ModuleType:
    return load("samples")


@pytest.fixture(scope="session")
def sample_pdf(samples: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample report as a PDF file."""
    path = tmp_path_factory.mktemp("pdf") / "report.pdf"
    path.write_bytes(render_pdf(samples.report(), date=samples.DATE))
    return path


@pytest.fixture(scope="session")
def sheets() -> ModuleType:
    return load("sheets")


@attrs.frozen
class Made:
    """The Trainium2 study, computed with few draws, and its report."""

    study: LiveStudy
    report: view.Report


def made_from(path: str) -> Made:
    """The live material and the report of a scenario file."""
    checked = check(resolve(load_scenarios(path)), table())
    study = live_study(Evaluation(checked, 128))
    return Made(study, assemble(study))


@pytest.fixture(scope="session")
def make() -> Callable[[str], Made]:
    return made_from


@pytest.fixture(scope="session")
def made_study() -> Made:
    return made_from(str(STUDY))


@pytest.fixture(scope="session")
def live_page(made_study: Made, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The study's page as a file."""
    study = made_study.study
    report = with_files(study, made_study.report)
    path = tmp_path_factory.mktemp("page") / "study.html"
    path.write_text(render_html(report, date=date_of(study), study=study), "utf-8")
    return path


@pytest.fixture(scope="session")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A browser, if the machine has one."""
    module = load("browser")
    if module.DRIVER is None or module.CHROME is None:
        pytest.skip("needs Debian's chromium and chromium-driver")
    with module.browser(tmp_path_factory.mktemp("profile")) as window:
        yield window
