# Two commands do everything on a machine with Python 3.11+, git and make:
#
#   make tour    set up .venv and run the tour
#   make test    set up .venv-test and run every check
#
# make test-slow runs the long sweeps that make test leaves out.
# make test-libraries tries the libraries of tests/libraries/table.toml, each in an environment of
# its own in .venv-libraries (minutes, gigabytes and a network the first time), and writes
# docs/libraries.md. `make test-libraries LIBRARIES="timm einops"` tries these.
#
# A set-up runs again only when pyproject.toml changed. Choose an interpreter with
# `make test PYTHON=python3.13`. `make test LOCKED=1` installs the versions of requirements/ci.txt and
# nothing else, each checked by its hash.

NEWEST_FIRST := python3 python3.14 python3.13 python3.12 python3.11 python
NEW_ENOUGH := import sys; sys.exit(sys.version_info < (3, 11))
# Evaluated only when an environment is created (`=`, not `:=`): probing costs a second.
PYTHON = $(shell for candidate in $(NEWEST_FIRST); do \
	$$candidate -c '$(NEW_ENOUGH)' >/dev/null 2>&1 && echo $$candidate && break; done)

PYTEST_ARGS ?=
# Two test processes; each keeps BLAS on one thread so that they do not fight for cores.
WORKERS ?= 2

.PHONY: tour test test-slow test-studio studio test-libraries doctor-score lint format clean

tour: .venv/.installed
	@.venv/bin/chainrule tour

test: lint
	OPENBLAS_NUM_THREADS=1 .venv-test/bin/python -m pytest -q -n $(WORKERS) --dist worksteal $(PYTEST_ARGS)

# The long sweeps that `make test` leaves out.
test-slow: .venv-test/.installed
	OPENBLAS_NUM_THREADS=1 .venv-test/bin/python -m pytest -q -n $(WORKERS) --dist worksteal -m slow $(PYTEST_ARGS)

test-libraries: .venv-test/.installed
	.venv-test/bin/python -m tests.libraries $(LIBRARIES)

# How many bugs of the corpus the doctor names, on three seeds (three quarters of an hour).
doctor-score: .venv-test/.installed
	OPENBLAS_NUM_THREADS=1 .venv-test/bin/python -W ignore -m tests.doctor.score

# The page of the studio in Chromium, which must be installed.
test-studio: .venv-test/.installed
	OPENBLAS_NUM_THREADS=1 .venv-test/bin/python -m pytest -q -m "slow or not slow" tests/studio

# Builds the page into the package again, from web/ (needs Node).
studio:
	cd web && npm ci --no-audit --no-fund && npm run check && npm run build

lint: .venv-test/.installed
	.venv-test/bin/ruff check .
	.venv-test/bin/ruff format --check .
	.venv-test/bin/pyright --pythonpath .venv-test/bin/python

format: .venv-test/.installed
	.venv-test/bin/ruff check --fix .
	.venv-test/bin/ruff format .

.venv/.installed: EXTRAS =
.venv-test/.installed: EXTRAS = [dev]

%/.installed: pyproject.toml
	@python="$(PYTHON)"; test -n "$$python" || { \
		echo "chainrule needs Python 3.11 or newer: make $(MAKECMDGOALS) PYTHON=/path/to/python3" >&2; \
		exit 1; }; \
	$$python -c '$(NEW_ENOUGH)' || { \
		echo "chainrule needs Python 3.11 or newer; $$python is older" >&2; exit 1; }; \
	echo "setting up $* with $$($$python --version)"; \
	$$python -m venv --clear $*
	@if test -n "$(LOCKED)"; then \
		$*/bin/python -m pip install --quiet --disable-pip-version-check --only-binary :all: \
			--require-hashes --requirement requirements/ci.txt && \
		$*/bin/python -m pip install --quiet --disable-pip-version-check --no-deps \
			--no-build-isolation --editable .; \
	else \
		$*/bin/python -m pip install --quiet --disable-pip-version-check --editable '.$(EXTRAS)'; \
	fi
	@touch $@

clean:
	rm -rf .venv .venv-test .venv-libraries .pytest_cache .ruff_cache .hypothesis build dist site
