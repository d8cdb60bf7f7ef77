# Thin wrappers: whatever stands here can be run by hand.
.DEFAULT_GOAL := help
.PHONY: help demo test coverage check bench soak fix lock

VENV := .venv
BIN := $(VENV)/bin
PYTHON ?= $(shell for name in python3 python3.13 python3.12 python3.11; do \
	$$name -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$name && break; \
	done)
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet install --require-hashes
LOCKED := --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header
DEPLOYED := SECRET_KEY=$$($(BIN)/python -c 'import secrets; print(secrets.token_urlsafe(50))') \
	REDIS_URL=redis://127.0.0.1:6379 DATABASE_URL=postgres://planmode@127.0.0.1/planmode \
	ALLOWED_HOSTS=plans.example ALLOWED_ORIGINS=https://plans.example \
	EMAIL_HOST=mail.example EMAIL_FROM=plans@plans.example PUBLIC_URL=https://plans.example

help: ## Say what there is
	@sed -n 's/^\([a-z-]*\):[^#]*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 12

demo: $(VENV)/demo.stamp ## Run the demo on this machine (PORT=8001: another port, RESET=1: start over)
	@$(BIN)/python manage.py demo $(if $(filter-out 0,$(RESET)),--reset)

CORES := tests/planmode/core tests/reviews/core tests/prompts
MEASURED := $(foreach core,planmode/core reviews/core prompts,--cov=$(core))

test: $(VENV)/dev.stamp ## Run the whole suite (ARGS="-k name": a part of it)
ifeq ($(strip $(ARGS)),)
	$(BIN)/python -m pytest $(CORES) $(MEASURED) --cov-report=term --cov-fail-under=100
	$(BIN)/python -m pytest $(CORES:%=--ignore=%) $(if $(MARK),-m "$(MARK)")
else
	$(BIN)/python -m pytest $(ARGS)
endif

coverage: $(VENV)/dev.stamp ## Run the whole suite and say what it covers (takes twice as long)
	$(BIN)/python -m pytest --cov --cov-report=term

check: $(VENV)/dev.stamp ## Lint, types, import contracts, migrations, settings
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy .
	$(BIN)/lint-imports
	$(BIN)/python manage.py makemigrations --check --dry-run
	$(BIN)/python manage.py check
	$(DEPLOYED) $(BIN)/python manage.py check --deploy --fail-level WARNING

bench: $(VENV)/dev.stamp ## Measure, beside what the least would be
	$(BIN)/python -m benchmarks.shell
	$(BIN)/python -m benchmarks.diff

SOAK_S := 600
HISTORIES := tests/planmode/test_lifecycle.py tests/planmode/test_histories.py

soak: $(VENV)/dev.stamp ## Play random histories for ten minutes (SOAK_S=60: for one)
	@end=$$(( $$(date +%s) + $(SOAK_S) )); \
	while [ "$$(date +%s)" -lt "$$end" ]; do \
		$(BIN)/python -m pytest -q --hypothesis-profile=soak $(HISTORIES) || exit 1; \
	done

fix: $(VENV)/dev.stamp ## Repair what the linter and the formatter can repair
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

lock: ## Resolve the dependencies again (needs uv)
	uv pip compile $(LOCKED) --extra dev pyproject.toml -o requirements-dev.lock
	uv pip compile $(LOCKED) -c requirements-dev.lock pyproject.toml -o requirements.lock

# A stamp is younger than the lock file whose packages are installed.
$(VENV)/demo.stamp: requirements.lock | $(BIN)/python
	@echo "Installing the dependencies into $(VENV), which takes a minute or two ..."
	@$(PIP) -r requirements.lock
	@touch $@

$(VENV)/dev.stamp: requirements-dev.lock | $(BIN)/python
	@echo "Installing the dependencies and the developers' tools into $(VENV) ..."
	@$(PIP) -r requirements-dev.lock
	@touch $@

$(BIN)/python:
	@test -n "$(PYTHON)" || { \
		echo "Python 3.11 or newer is needed; name one: make PYTHON=/path/to/python3" >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
		echo "$(PYTHON) is too old: Python 3.11 or newer is needed" >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { \
		echo "$(PYTHON) can't make a venv; on Debian: apt install python3-venv" >&2; exit 1; }
	@$(PYTHON) -m venv --clear $(VENV)
