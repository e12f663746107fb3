# Fanfare's commands. `make demo` and `make test` install what is missing on Debian and Ubuntu, or say what to install.

SWIFT ?= swift
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
# Fuzzing time in seconds.
FUZZ_SECONDS ?= 60
DEVICES ?= 10000
# The executable holds Swift's runtime, so that it runs where no Swift is installed (and a little faster).
RELEASE = -c release --static-swift-stdlib -Xlinker --build-id=sha1 -Xlinker --no-export-dynamic
# Tests need neither an index nor debug information. Compiling each module as a whole takes half of the time, and emitting
# its interface in the same pass saves a third of the rest.
DEBUG = --disable-index-store -debug-info-format none -Xswiftc -whole-module-optimization \
    -Xswiftc -no-emit-module-separately-wmo -Xswiftc -num-threads -Xswiftc $(JOBS)
# The suites that `make test` runs, as a regular expression; empty for everything.
SUITES ?=
# What `make chaos` and `make walks` repeat (a run's seed), and on which Redis chaos runs (single or cluster).
SEED ?=
REDIS ?= single
# What `make attack` and `make check-console` play (all: leave it empty), and how long `make attack-fuzz` goes on.
ONLY ?=
MINUTES ?= 10
# Whether `make check-console` takes the pictures of the documents instead.
PICTURES ?=
# What `make check-upgrade` begins with: a commit, which it builds, or an executable.
FROM ?=
# What `make bench` measures (all: leave it empty), and whether in short.
FIGURES ?=
QUICK ?=

# Where `make install` puts things; DESTDIR stands in front for packages.
PREFIX ?= /usr/local
DESTDIR ?=

.DEFAULT_GOAL := help
.PHONY: help setup build install completions demo test check-api check-clients check-faults check-metrics chaos instructions instructions-baseline
.PHONY: deb check-deb check-containers check-console check-upgrade attack attack-fuzz walks test-thread test-release test-address fuzz bench format lint pictures scripts clean

help: ## Lists the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 16

setup: ## Installs what is missing, or says what to install
	@./scripts/setup.sh

build: setup ## Builds the fanfare executable for use (.build/release/fanfare)
	@./scripts/commit.sh
	$(SWIFT) build $(RELEASE) -j $(JOBS) --product fanfare

install: build ## Installs the executable, completions, manual page and example configuration under PREFIX
	install -D -m 755 .build/release/fanfare "$(DESTDIR)$(PREFIX)/bin/fanfare"
	./scripts/share.sh .build/release/fanfare "$(DESTDIR)$(PREFIX)/share"

deb: build ## Writes Debian packages of the executable, and of its debug symbols, into .build/deb
	@./scripts/setup.sh deb
	@./scripts/deb.sh .build/release/fanfare .build/deb

check-deb: deb ## Installs, runs, upgrades and purges the package in a bare Debian (as root; debootstrap)
	@./scripts/setup.sh check-deb
	@./scripts/check-deb.sh .build/deb .build/release/fanfare

check-containers: deb ## Carries out Dockerfile and compose.yaml, checks the manifests for Kubernetes (as root; no engine needed)
	@./scripts/setup.sh check-containers
	python3 -m venv .build-containers
	.build-containers/bin/pip install --quiet --disable-pip-version-check -r scripts/containers/requirements.txt
	@cd scripts && ../.build-containers/bin/python -m containers ../.build/release/fanfare ../.build/deb \
	    --compose ../.build-containers/bin/docker-compose

check-console: ## Tests the console in Chromium: each view and action, accessibility, an hour of updates; ONLY=names, PICTURES=1
	@./scripts/setup.sh check-console
	$(SWIFT) build $(DEBUG) -j $(JOBS) --product fanfare
	python3 -m venv .build-console
	.build-console/bin/pip install --quiet --disable-pip-version-check -r scripts/console/requirements.txt
	@cd scripts && ../.build-console/bin/python -m console ../.build/debug/fanfare \
	    $(if $(ONLY),--only $(ONLY)) $(if $(PICTURES),--screenshots)

completions: build ## Writes completions for bash, zsh and fish and the manual page under .build/share
	./scripts/share.sh .build/release/fanfare .build/share

demo: build ## Runs and verifies a broadcast on this machine, without configuration
	@.build/release/fanfare demo --devices $(DEVICES)

test: ## Runs all tests with servers of its own; SUITES='GatewayTests.SyncTests' for some
	@./scripts/setup.sh test
	@$(if $(SUITES),,./scripts/instructions.sh)
	$(SWIFT) build $(DEBUG) -j $(JOBS) --build-tests
	@$(if $(SUITES),.build/debug/fanfarePackageTests.xctest --testing-library swift-testing --no-parallel \
	    --filter '$(SUITES)',./scripts/tests.sh)

check-faults: build ## Kills, cuts, floods and fuzzes running gateways for ten minutes with fixed seeds; SEED=n for others
	@./scripts/setup.sh chaos
	@./scripts/faults.sh .build/release/fanfare

walks: setup ## Runs the suites that draw at random with a seed of their own, which is printed; SEED=n again
	$(SWIFT) build $(DEBUG) -j $(JOBS) --build-tests
	@seed=$(or $(SEED),$$(od -An -N4 -tu4 /dev/urandom | tr -d ' ')); echo "seed $$seed"; \
	FANFARE_SEED=$$seed .build/debug/fanfarePackageTests.xctest --testing-library swift-testing --no-parallel --filter \
	    "$$(grep -rl TestSeed Tests/*Tests | cut -d/ -f2 | sort -u | paste -sd'|')" \
	    || { echo "repeat with: make walks SEED=$$seed" >&2; exit 1; }

instructions: setup ## Compares the instruction counts of the hot path with the baseline (callgrind)
	@./scripts/instructions.sh

instructions-baseline: setup ## Writes that baseline anew
	@./scripts/instructions.sh --update

check-metrics: ## Checks /metrics, its documents, the alerts and the dashboard on a running gateway with Prometheus
	@./scripts/setup.sh metrics
	$(SWIFT) build $(DEBUG) -j $(JOBS) --product fanfare
	@cd scripts && python3 -m monitoring ../.build/debug/fanfare

test-thread: setup ## Runs the tests under the thread sanitizer
	TSAN_OPTIONS="halt_on_error=1 suppressions=$(CURDIR)/Tests/thread-sanitizer.txt" \
	$(SWIFT) test -j $(JOBS) --scratch-path .build-thread --sanitize=thread --disable-xctest --no-parallel

test-release: setup ## Runs the tests on code that is compiled as it is shipped, optimised
	$(SWIFT) test -c release -Xswiftc -enable-testing -j $(JOBS) --scratch-path .build-release --disable-xctest \
	    --no-parallel

test-address: setup ## Runs the tests under the address sanitizer
	ASAN_OPTIONS="detect_leaks=0" \
	$(SWIFT) test -j $(JOBS) --scratch-path .build-address --sanitize=address --disable-xctest --no-parallel

fuzz: setup ## Fuzzes the JSON reader and the HTTP/2 engine, each for FUZZ_SECONDS
	./scripts/fuzz.sh $(FUZZ_SECONDS)

bench: ## Measures beside h2load and nginx; FIGURES=engine,small for some, QUICK=1 in short
	@./scripts/setup.sh bench
	for product in fanfare push-benchmark store-benchmark; do \
	    $(SWIFT) build $(RELEASE) -j $(JOBS) --product $$product || exit 1; done
	@cd loadtest && python3 -m bench --binaries ../.build/release --figures "$(FIGURES)" $(if $(QUICK),--quick)

chaos: build ## Kills gateways and Redis under load and checks the invariants; SEED=n again, QUICK=1 in short, REDIS=cluster
	@./scripts/setup.sh chaos
	@cd chaos && timeout --kill-after=30 600 python3 -m harness --binary ../.build/release/fanfare --redis $(REDIS) \
	    $(if $(SEED),--seed $(SEED)) $(if $(QUICK),--quick)
	@cd chaos && timeout --kill-after=30 300 python3 -m harness --binary ../.build/release/fanfare --quick --evict \
	    $(if $(SEED),--seed $(SEED))
	@cd chaos && timeout --kill-after=30 300 python3 -m mixed --binary ../.build/release/fanfare \
	    $(if $(QUICK),--devices 3000) $(if $(SEED),--seed $(SEED))
	@cd chaos && timeout --kill-after=30 600 python3 -m match --binary ../.build/release/fanfare \
	    $(if $(QUICK),--devices 2000) $(if $(SEED),--seed $(SEED))
	@cd chaos && timeout --kill-after=30 600 python3 -m orders --binary ../.build/release/fanfare \
	    $(if $(QUICK),--quick) $(if $(SEED),--seed $(SEED))

check-upgrade: build ## Replaces gateways of another version under load, forth and back; FROM=a commit or an executable
	@./scripts/setup.sh chaos
	@./scripts/upgrade.sh .build/release/fanfare "$(FROM)" "$(SEED)"

attack: build ## Besieges two gateways while a neighbour works; SEED=n again, QUICK=1 in short, ONLY=name for some
	@./scripts/setup.sh chaos
	@cd chaos && timeout --kill-after=30 1500 python3 -m attack --binary ../.build/release/fanfare \
	    $(if $(SEED),--seed $(SEED)) $(if $(QUICK),--quick) $(if $(ONLY),--only $(ONLY))

attack-fuzz: build ## Fuzzes all routes and the transport of running gateways for MINUTES; SEED=n again
	@./scripts/setup.sh chaos
	@cd chaos && python3 -m fuzz --binary ../.build/release/fanfare --minutes $(MINUTES) $(if $(SEED),--seed $(SEED))

check-api: ## Checks the running gateway against docs/openapi.yaml; SEED=n again, EXAMPLES=n for more or fewer
	@./scripts/setup.sh apicheck
	$(SWIFT) build $(DEBUG) -j $(JOBS) --product fanfare
	python3 -m venv .build-apicheck
	.build-apicheck/bin/pip install --quiet --disable-pip-version-check -r apicheck/requirements.txt
	@cd apicheck && ../.build-apicheck/bin/python -m apicheck --binary ../.build/debug/fanfare \
	    $(if $(SEED),--seed $(SEED)) $(if $(EXAMPLES),--examples $(EXAMPLES))

check-clients: ## Tests the clients, and generates others from the description (Python, Go) and drives a whole life through each
	@./scripts/setup.sh test
	@./scripts/setup.sh check-clients
	$(SWIFT) build $(DEBUG) -j $(JOBS) --product fanfare
	@./scripts/clients.sh .build/debug/fanfare
	@./scripts/client-python.sh .build/debug/fanfare
	@./scripts/push-libraries.sh .build/debug/fanfare
	@FANFARE_BINARY=$(CURDIR)/.build/debug/fanfare ./clients/android/build.sh test $(SEED)

format: ## Formats the sources
	$(SWIFT) format --in-place --recursive --parallel Package.swift Sources Tests Benchmarks

lint: ## Checks formats, scripts, documents and alerts; installs the checkers, or says what to install
	@./scripts/setup.sh lint
	$(SWIFT) format lint --strict --recursive --parallel Package.swift Sources Tests Benchmarks
	shellcheck -x scripts/*.sh clients/android/*.sh clients/python/examples/*.sh .ci/run
	pyflakes3 scripts chaos loadtest apicheck clients/python
	python3 scripts/console_assets.py --check
	@cd scripts && python3 -m store_scripts --check
	luacheck --no-color --quiet Sources/Store/GatewayStore
	@cd scripts && python3 -m documents check
	@cd scripts && python3 -m monitoring.rules

pictures: ## Draws the pictures of the documents anew, from docs/diagrams and Package.swift
	@cd scripts && python3 -m documents draw

scripts: ## Writes the texts and the Swift functions of the store's scripts anew, from the Lua files
	@cd scripts && python3 -m store_scripts

clean: ## Removes everything that was built
	rm -rf .build .build-*
