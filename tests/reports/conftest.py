"""The sample charts and the sample report, loaded by path."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

SAMPLES = Path(__file__).parent / "samples.py"


def load() -> ModuleType:
    """`samples.py` as a module."""
    spec = importlib.util.spec_from_file_location("isocost_samples", SAMPLES)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["isocost_samples"] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def samples() -> ModuleType:
    return load()
