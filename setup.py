"""Lists the packages below the folders that pyproject.toml maps; all else stands there.

Setuptools' own search cannot give `dsl/schema` the name `isocost.dsl.schema`.
"""

import tomllib
from pathlib import Path

from setuptools import find_packages, setup

PROJECT = tomllib.loads(Path("pyproject.toml").read_text(encoding="utf-8"))

setup(
    packages=[
        name
        for package, folder in PROJECT["tool"]["setuptools"]["package-dir"].items()
        for name in [package, *(f"{package}.{sub}" for sub in find_packages(folder))]
    ]
)
