SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help

PYTHON ?= python3
PORT ?= 8000
BASE_IMAGE ?= python:3.11-bookworm
SANDBOX_IMAGE ?= superboard-sandbox
BIN := .venv/bin
VENV := .venv/made
SERVING := .venv/serving
READY := .venv/ready
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile --constraint constraints.txt
# pip compiles one module after another; this takes all processors, and leaves out what few imports ever reach.
COMPILE := $(BIN)/python -m compileall -q -j 0 -x '/(plotly|openai|mypy|mypyc|pip|setuptools|tests?)/' .venv/lib
CODE := manage.py leaderboard runner benchmarks deploy tests
export PORT

.PHONY: help demo test test-postgres chaos check format bench sandbox-image clean

help: ## List the targets
	@sed -nE 's/^([a-z-]+):.*## (.*)/\1\t\2/p' $(MAKEFILE_LIST) | expand -t 15

demo: $(SERVING) ## Serve the site with its fixtures on 127.0.0.1; PORT=8001 picks another port
	@exec $(BIN)/python manage.py demo --port "$$PORT"

test: $(READY) ## Run every test that this machine has the engines for; ARGS="tests/browser -k board" picks some
	@CHROMIUM="$$($(BIN)/python -m tests.browser.chromium)"; export CHROMIUM; \
	LEFT_OUT="$$($(BIN)/python -m tests.needs)"; eval "$$LEFT_OUT"; \
	exec $(BIN)/python -m pytest --numprocesses auto $(ARGS)

test-postgres: $(READY) ## Run the tests that use the database on a PostgreSQL of their own; ARGS as with test
	@CHROMIUM="$$($(BIN)/python -m tests.browser.chromium)"; export CHROMIUM; \
	LEFT_OUT="$$($(BIN)/python -m tests.needs)"; eval "$$LEFT_OUT"; \
	exec $(BIN)/python -m tests.servers $(BIN)/python -m pytest --numprocesses auto --only-database $(ARGS)

chaos: $(READY) ## Kill processes of sites at work for 20 minutes; ARGS="--minutes 5 --seed 1 --broker redis"
	@exec $(BIN)/python -m tests.chaos $(ARGS)

check: $(READY) ## Lint, check types, import contracts, templates and migrations
	$(BIN)/ruff check $(CODE)
	$(BIN)/ruff format --check $(CODE)
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/djlint --lint --quiet templates
	$(BIN)/python manage.py makemigrations --check --dry-run

format: $(READY) ## Rewrite code the way `make check` wants them
	$(BIN)/ruff check --fix $(CODE)
	$(BIN)/ruff format $(CODE)

bench: $(READY) ## Print how fast we are against what else there is; ARGS=rendering picks one
	@exec $(BIN)/python -m benchmarks $(ARGS)

sandbox-image: ## Build the image that agents work in; BASE_IMAGE=... names another one to start from
	@tar --exclude=__pycache__ -cf - constraints.txt deploy/sandbox runner/sandbox/inside \
		| docker build --build-arg BASE_IMAGE="$(BASE_IMAGE)" --tag "$(SANDBOX_IMAGE)" --file deploy/sandbox/Dockerfile -

clean: ## Delete what can be made again; var/, which holds data, stays
	rm -rf .venv build *.egg-info .coverage .coverage.* htmlcov .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# Made anew when what it is made from changes. The pip that comes with a Python may need three times as long.
$(VENV): constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "$(PYTHON) is not Python 3.11 or newer. Name one that is: make PYTHON=python3.12" >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null \
		|| { echo "$(PYTHON) cannot make virtual environments. On Debian: apt-get install python3-venv" >&2; exit 1; }
	$(PYTHON) -m venv .venv
	$(PIP) --upgrade pip
	@touch $@

$(SERVING): $(VENV) pyproject.toml
	$(PIP) --editable '.[server]'
	$(COMPILE)
	@touch $@

# What serves, and the developers' tools.
$(READY): $(VENV) pyproject.toml
	$(PIP) --editable '.[server,dev]'
	$(COMPILE)
	@touch $(SERVING) $@
