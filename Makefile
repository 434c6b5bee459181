# Everything here sets up what it needs; run `make help` for the list.

VENV := .venv
BIN := $(VENV)/bin
STUDY := scenarios/trainium2/study.scn
PDF := build/trainium2.pdf
# Two workers: more only compete where there are few cores.
WORKERS ?= 2
PYTEST_ARGS ?=
export PYTHON

.DEFAULT_GOAL := help
.PHONY: help report test lint style types imports build/typing format bench rivals golden \
	lock setup clean distclean

help: ## this list
	@sed -n 's/^\([a-z]*\):[^#]*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 20

report: $(VENV)/stamp-run ## the Trainium2 study as a PDF: build/trainium2.pdf
	@mkdir -p build
	$(BIN)/isocost report $(STUDY) -o $(PDF)

# The tests run even when a linter complains, so that one run tells everything, and
# they run last, so that pytest's summary closes the output.
test: $(VENV)/stamp-dev ## linters, types, import rules and all tests
	@linted=0; $(MAKE) --no-print-directory --keep-going lint || linted=1; \
	$(BIN)/pytest -n $(WORKERS) $(PYTEST_ARGS) && exit $$linted

lint: style types imports ## ruff, mypy --strict and the import rules

style: $(VENV)/stamp-dev
	$(BIN)/ruff check --quiet .
	$(BIN)/ruff format --quiet --check .

types: build/typing
	$(BIN)/mypy --no-error-summary -p isocost
	$(BIN)/mypy --no-error-summary benchmarks tests tools/*.py

imports: build/typing
	PYTHONPATH=build/typing:tools $(BIN)/lint-imports --no-cache --no-logo

build/typing: $(VENV)/stamp-dev
	@$(BIN)/python tools/typing_tree.py

format: $(VENV)/stamp-dev ## the code in its canonical form
	$(BIN)/ruff check --quiet --fix-only .
	$(BIN)/ruff format --quiet .

bench: $(VENV)/stamp-bench ## the benchmarks, each against a rival or a limit
	-@$(MAKE) --no-print-directory rivals
	$(BIN)/python -m benchmarks --json build/benchmarks.json

# The tools of the field that benchmarks race against, apart from our own environment.
rivals: build/rivals/stamp

build/rivals/stamp: requirements/rivals.txt $(VENV)/stamp-dev
	$(BIN)/python -m venv --clear build/rivals
	build/rivals/bin/pip install --quiet --disable-pip-version-check \
		--require-hashes -r requirements/rivals.txt
	@touch $@

golden: $(VENV)/stamp-dev ## accept what the tests print as the new goldens
	$(BIN)/pytest -n $(WORKERS) --update-golden $(PYTEST_ARGS)

# Exact versions with hashes, from the ranges in pyproject.toml. `make lock` keeps
# what is locked and adds what is new; `make lock LOCK_ARGS=--upgrade` renews it all.
LOCK_ARGS ?=
COMPILE = CUSTOM_COMPILE_COMMAND="make lock" build/lock/bin/pip-compile --quiet \
	--generate-hashes --allow-unsafe --strip-extras --no-emit-index-url \
	--no-emit-find-links --no-emit-trusted-host $(LOCK_ARGS)

lock: $(VENV)/stamp-run ## requirements/*.txt, after a change to the dependencies
	test -x build/lock/bin/pip-compile || { $(BIN)/python -m venv build/lock && \
		build/lock/bin/pip install --quiet pip-tools==7.6.2; }
	$(COMPILE) --build-deps-for editable --build-deps-for wheel \
		-o requirements/run.txt pyproject.toml
	$(COMPILE) --extra dev -c requirements/run.txt \
		-o requirements/dev.txt pyproject.toml
	$(COMPILE) -o requirements/rivals.txt requirements/rivals.in
	$(COMPILE) --extra bench -c requirements/dev.txt \
		-o requirements/bench.txt pyproject.toml

setup: $(VENV)/stamp-dev ## the environment only, for editors and the like

$(VENV)/stamp-run: requirements/run.txt pyproject.toml setup.py tools/setup.sh
	tools/setup.sh run
	@touch $@

$(VENV)/stamp-dev: requirements/run.txt requirements/dev.txt pyproject.toml setup.py \
		tests/package-lock.json tools/setup.sh
	tools/setup.sh dev
	@touch $@ $(VENV)/stamp-run

# The readers of other formats, and nothing that the tests or the tool would miss.
$(VENV)/stamp-bench: $(VENV)/stamp-dev requirements/bench.txt
	$(BIN)/python -m pip -qq --disable-pip-version-check install --require-hashes \
		-r requirements/bench.txt
	@touch $@

clean: ## remove what was built
	rm -rf build dist *.egg-info .pytest_cache .ruff_cache .mypy_cache .hypothesis

distclean: clean ## that, and the environment
	rm -rf $(VENV)
