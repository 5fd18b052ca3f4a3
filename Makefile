# What a developer needs. "make help" lists the targets.

SHELL := bash

T     ?= 2m
COUNT ?= 6
GOAL  ?= 6
FILE  ?=
TRACE ?= corpora/azmcp-net10-startup.v4.nettrace.zst

# What runs under the race detector: where borrowed bytes are overwritten.
RACE := ./codec ./codec/raw ./codec/rule ./codec/wire

# Modules of their own, so that nobody else downloads what they need.
NESTED := $(patsubst %/go.mod,%,$(wildcard */go.mod */*/go.mod */*/*/go.mod))

# The other reader, for bench-te: the folder shared is the one the tests use.
TE := $(or $(NETTRACE_SHARED),$(CURDIR)/../shared)/oracle/te

.PHONY: help run build test race lint oracle corpora cases scores bench bench-peer bench-te fuzz nightly

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' Makefile | expand -t 12

run: build ## build the program and show a real trace
	bin/nettrace info $(TRACE)
	bin/nettrace events --fields --limit 10 $(TRACE)

build: ## build bin/nettrace
	go build -o bin/nettrace ./cmd/nettrace

test: race ## run every test, codec also under the race detector
	for m in . $(NESTED); do (cd $$m && go test -timeout 20m ./...) || exit 1; done

# The race detector needs a C compiler. It makes all ten times slower, so large
# traces are left out.
race:
	@if command -v "$$(go env CC)" >/dev/null; then \
	  echo "go test -race -short $(RACE)"; CGO_ENABLED=1 go test -race -short $(RACE); \
	elif [ -n "$${CI:-}" ]; then echo "go test -race needs a C compiler" >&2; exit 1; \
	else echo "no C compiler: the race run is left out"; fi

lint: ## gofmt, go vet, staticcheck (pinned in tools.mod)
	@unformatted=$$(gofmt -l .) && [ -z "$$unformatted" ] || { echo "not gofmt'd: $$unformatted" >&2; exit 1; }
	for m in . $(NESTED); do (cd $$m && go vet ./...) || exit 1; done
	for m in . $(NESTED); do (cd $$m && go tool -modfile=$(CURDIR)/tools.mod staticcheck ./...) || exit 1; done

oracle: ## compare with another reader; FILE=x asks it about one file
	go run ./conformance/oracle $(FILE)

corpora: ## make the traces of corpora anew that package gen makes
	go run ./conformance/generated -write

cases: ## make the cases of conformance/cases anew
	go run ./conformance/casegen -write

scores: ## judge three readers by the cases and write conformance/SCORES.md
	go run ./conformance/scores -write -te $(TE)

bench: ## run the benchmarks COUNT times, then those beside peers
	go test -run '^$$' -bench . -count $(COUNT) ./bench/...
	for m in $(NESTED); do (cd $$m && go test -run '^$$' -bench . -count $(COUNT) ./...) || exit 1; done

bench-peer: ## measure beside dotnetdiag, demand GOAL times its speed
	cd bench/peer && go run ./cmd/versus -rounds 21 -goal $(GOAL)

bench-te: ## measure beside dotnetdiag and TraceEvent, demand GOAL times their speed
	cd bench/peer && go run ./cmd/versus -te $(TE) -goal $(GOAL)

fuzz: ## run every fuzz target for T, one after another
	@for pkg in $$(go list ./fuzz/...); do \
	  targets=$$(go test -list '^Fuzz' $$pkg) || { echo "$$targets"; exit 1; }; \
	  for target in $$(grep '^Fuzz' <<<"$$targets"); do \
	    echo "== $$target"; \
	    go test -run '^$$' -fuzz "^$$target\$$" -fuzztime=$(T) -fuzzminimizetime=10x $$pkg || exit 1; \
	  done; \
	done

nightly: ## read and write five million random traces
	NETTRACE_TRACES=5000000 go test -run '^TestRoundTrip$$' -timeout 3h ./gen
