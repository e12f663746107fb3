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
# The suites that `make test` runs, as a regular expression (empty for everything), or in which way it compiles all.
SUITES ?=
RUN_TESTS = .build/debug/fanfarePackageTests.xctest --testing-library swift-testing --no-parallel --filter
OPTIONS_thread = --sanitize=thread
OPTIONS_address = --sanitize=address
OPTIONS_release = -c release -Xswiftc -enable-testing
VARIANT_thread = TSAN_OPTIONS="halt_on_error=1 suppressions=$(CURDIR)/Tests/thread-sanitizer.txt"
VARIANT_address = ASAN_OPTIONS="detect_leaks=0"
# What a run at random repeats (its seed), and on which Redis chaos runs (single or cluster).
SEED ?=
REDIS ?= single
# What `make attack` and `make check-console` play (all: leave it empty), and how many minutes `make fuzz GATEWAYS=1` takes.
ONLY ?=
MINUTES ?= 10
# What `make bench` measures (all: leave it empty), and whether in short.
FIGURES ?=
QUICK ?=

# Where `make install` puts things; DESTDIR stands in front for packages.
PREFIX ?= /usr/local
DESTDIR ?=

.DEFAULT_GOAL := help
.PHONY: help setup build debug install deb demo test check-faults chaos attack fuzz instructions bench format lint generate clean

help: ## Lists the targets
	@grep -E '^[a-z%-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/%/PART/; s/:[^#]*## /\t/' | expand -t 16

setup: ## Installs what is missing, or says what to install
	@./scripts/setup.sh

build: setup ## Builds the fanfare executable for use (.build/release/fanfare)
	@./scripts/commit.sh
	$(SWIFT) build $(RELEASE) -j $(JOBS) --product fanfare

debug: setup ## Builds the executable for tests (.build/debug/fanfare)
	$(SWIFT) build $(DEBUG) -j $(JOBS) --product fanfare

install: build ## Installs the executable, completions, manual page and example configuration under PREFIX
	install -D -m 755 .build/release/fanfare "$(DESTDIR)$(PREFIX)/bin/fanfare"
	./scripts/share.sh .build/release/fanfare "$(DESTDIR)$(PREFIX)/share"

deb: build ## Writes Debian packages of the executable, and of its debug symbols, into .build/deb
	@./scripts/setup.sh deb
	@./scripts/deb.sh .build/release/fanfare .build/deb

demo: build ## Runs and verifies a broadcast on this machine, without configuration
	@.build/release/fanfare demo --devices $(DEVICES)

test: ## Runs all tests; SUITES='GatewayTests.SyncTests' for some, WALKS=1 the random walks, VARIANT=thread, address or release
	@./scripts/setup.sh test
ifdef VARIANT
	$(VARIANT_$(VARIANT)) $(SWIFT) test -j $(JOBS) --scratch-path .build-$(VARIANT) --disable-xctest --no-parallel \
	    $(or $(OPTIONS_$(VARIANT)),$(error VARIANT is thread, address or release))
else
	@$(if $(SUITES)$(WALKS),,./scripts/instructions.sh)
	$(SWIFT) build $(DEBUG) -j $(JOBS) --build-tests
ifdef WALKS
	@seed=$(or $(SEED),$$(od -An -N4 -tu4 /dev/urandom | tr -d ' ')); echo "seed $$seed"; \
	FANFARE_SEED=$$seed $(RUN_TESTS) "$$(grep -rl TestSeed Tests/*Tests | cut -d/ -f2 | sort -u | paste -sd'|')" \
	    || { echo "repeat with: make test WALKS=1 SEED=$$seed" >&2; exit 1; }
else
	@$(if $(SUITES),$(RUN_TESTS) '$(SUITES)',./scripts/tests.sh)
endif
endif

check-%: ## Tries a part from outside: api, clients, console, containers, deb, metrics or upgrade (scripts/check.sh)
	@SEED='$(SEED)' ONLY='$(ONLY)' PICTURES='$(PICTURES)' EXAMPLES='$(EXAMPLES)' FROM='$(FROM)' \
	    ./scripts/check.sh $*

check-faults: build ## Kills, cuts, floods and fuzzes running gateways for ten minutes with fixed seeds; SEED=n for others
	@./scripts/setup.sh chaos
	@./scripts/faults.sh .build/release/fanfare

instructions: setup ## Compares the instruction counts of the hot path with the baseline (callgrind); BASELINE=1 writes it anew
	@./scripts/instructions.sh $(if $(BASELINE),--update)

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

attack: build ## Besieges two gateways while a neighbour works; SEED=n again, QUICK=1 in short, ONLY=name for some
	@./scripts/setup.sh chaos
	@cd chaos && timeout --kill-after=30 1500 python3 -m attack --binary ../.build/release/fanfare \
	    $(if $(SEED),--seed $(SEED)) $(if $(QUICK),--quick) $(if $(ONLY),--only $(ONLY))

fuzz: $(if $(GATEWAYS),build,setup) ## Fuzzes the parsers and the HTTP/2 engine for FUZZ_SECONDS each; GATEWAYS=1 running gateways for MINUTES, SEED=n again
ifdef GATEWAYS
	@./scripts/setup.sh chaos
	@cd chaos && python3 -m fuzz --binary ../.build/release/fanfare --minutes $(MINUTES) $(if $(SEED),--seed $(SEED))
else
	./scripts/fuzz.sh $(FUZZ_SECONDS)
endif

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

generate: ## Writes anew what is made from other files: the functions of the store's scripts, the pictures of the documents
	@cd scripts && python3 -m store_scripts
	@cd scripts && python3 -m documents draw

clean: ## Removes everything that was built
	rm -rf .build .build-*
