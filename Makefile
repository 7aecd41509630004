# The two commands of the README, and the checks behind them. Everything runs in .venv, made from requirements.lock.

PYTHON ?= python3.11
BIN := .venv/bin
CORES ?= $(shell nproc)
SUDO := $(if $(filter 0,$(shell id -u)),,sudo)

.PHONY: demo test test-browser test-slurm test-faults fuzz lint bench clean

.venv/ready: requirements.lock
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --disable-pip-version-check --requirement requirements.lock
	touch $@

demo: .venv/ready
	$(BIN)/snakemake --cores $(CORES) --configfile config/demo.yaml

test: .venv/ready lint
	$(BIN)/pytest --numprocesses $(CORES) --dist loadfile

lint: .venv/ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/snakefmt --check Snakefile workflow
	$(BIN)/mypy
	$(BIN)/snakemake --lint --configfile config/test.yaml

# The page in Debian's chromium; installs the browser and axe-core if they are not there.
test-browser: .venv/ready
	command -v chromedriver > /dev/null || { $(SUDO) apt-get update -qq && $(SUDO) apt-get install -y -qq chromium chromium-driver > /dev/null; }
	command -v npm > /dev/null || $(SUDO) apt-get install -y -qq npm > /dev/null
	test -d .axe/node_modules/axe-core || npm install --silent --no-save --prefix .axe axe-core@4.10.3
	$(BIN)/snakemake --cores $(CORES) --configfile config/test.yaml
	$(BIN)/pytest tests/browser

# Every rule on a real one-node SLURM from Debian's packages; needs root, cleans up after itself.
test-slurm: .venv/ready
	$(BIN)/pytest tests/slurm/check_run_on_slurm.py

# Runs that are killed, disks that fill up (needs root), hostile names; KILLS=20 for twenty kills over the whole test
# configuration.
test-faults: .venv/ready
	$(BIN)/pytest --numprocesses $(CORES) --dist loadfile tests/faults tests/faults/check_full_disk.py

# More than 100,000 inputs over all readers of files from outside, then some that are guided by the lines they reach, for
# readers that are Python through and through; atheris does that, and is needed for nothing else.
fuzz: .venv/ready
	FUZZ_INPUTS=5000 $(BIN)/pytest -s --numprocesses $(CORES) tests/fuzz/test_readers_refuse_rubbish.py
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --upgrade --target .venv/atheris atheris==3.0.0
	for reader in method_yaml catalog zip tar embeddings_text repeats; do \
	    PYTHONPATH=.venv/atheris $(BIN)/python -m tests.fuzz.coverage_guided $$reader -runs=2000 || exit 1; \
	done

bench: .venv/ready
	$(BIN)/python -m benchmarks

clean:
	rm -rf .venv .kernels .environments results/demo results/test
