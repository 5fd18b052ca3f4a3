# What a developer needs. "make help" lists the targets.

SHELL := bash

T     ?= 2m
COUNT ?= 6
GOAL  ?= 6
HOURS ?= 8
FILE  ?=
TRACE ?= corpora/azmcp-net10-startup.v4.nettrace.zst

# The pattern "work" matches the packages of all modules in go.work. The module dev, which
# is not in it, has what only developers need, and the versions of the tools.
DEV := GOWORK=off go -C dev

TOOLS := $(addprefix bin/,actionlint deadcode gorelease goreleaser govulncheck staticcheck)

$(TOOLS): dev/go.mod
	$(DEV) build -o $(CURDIR)/$@ $$(sed -n 's|^\t\([^ ]*/$(@F)\(/v2\)*\)$$|\1|p' dev/go.mod)

.PHONY: bin/mutants bin/snapshot bin/uncovered
bin/mutants bin/snapshot bin/uncovered:
	$(DEV) build -o $(CURDIR)/$@ ./$(@F)

# What gcc is fastest with on the row loop: with all of -O3 it packs stores.
C_FLAGS := -O2 -march=native -fno-tree-slp-vectorize -fno-if-conversion -fno-if-conversion2

# The other reader, for bench-te: the folder shared is the one the tests use.
TE := $(or $(NETTRACE_SHARED),$(CURDIR)/../shared)/oracle/te

# What the gate compares HEAD with.
BASE ?= origin/main

# The packages that other machines test: on 386 all that decode, encode or check bytes;
# under qemu, which takes ten times as long, those that the others need.
FOREIGN := ./codec/... ./gen ./conformance ./conformance/check ./conformance/ndjson ./conformance/rows ./conformance/values
QEMU    := ./codec ./codec/raw ./codec/rule ./codec/wire ./gen ./conformance ./conformance/check

# Whose tests reach the statements of codec/....
COVER := ./codec/... ./fuzz ./gen ./conformance ./conformance/check ./conformance/conformancetest ./conformance/values ./eventpipe/record

.PHONY: help run build packages image image-check dev test test-check test-nightly race check cover dead lint actions tidy tidy-check release-check docs site oracle corpora cases snapshot snapshot-compare scores bench bench-peer bench-te bench-convert bench-gate bench-instructions gate gate-proof mutants fuzz fuzz-ci fuzz-all fuzz-planted oss-fuzz-check test-foreign viewers types python duckdb beam-demo otlp collector integrations vulnerabilities nightly

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' Makefile | expand -t 20

run: build ## build the program and show a real trace
	bin/nettrace info $(TRACE)
	bin/nettrace events --fields --limit 10 $(TRACE)

build: ## build bin/nettrace, which needs no library of the system
	CGO_ENABLED=0 go build -buildvcs=true -o bin/nettrace ./cmd/nettrace

# The image has the commit, and so the time, that go build writes into the programs.
IMAGE := bin/nettrace-image.tar
IMAGE_FOR ?= amd64 arm64

image: ## write bin/nettrace-image.tar, the container image for the processors IMAGE_FOR: amd64 and arm64
	@for arch in $(IMAGE_FOR); do \
	  CGO_ENABLED=0 GOOS=linux GOARCH=$$arch go build -buildvcs=true -trimpath -ldflags '-s -w' -o bin/image/$$arch/nettrace ./cmd/nettrace || exit 1; \
	done
	$(DEV) run ./image -o $(CURDIR)/$(IMAGE) $(foreach arch,$(IMAGE_FOR),$(arch)=$(CURDIR)/bin/image/$(arch)/nettrace)

image-check: image ## unpack the image, and run its program in a chroot without libc (needs root or sudo)
	NETTRACE_IMAGE=$(CURDIR)/$(IMAGE) NETTRACE_IMAGE_FOR='$(IMAGE_FOR)' $(DEV) test -count=1 -v -run '^TestArchive$$' ./image

# Without cgo, packages that compare with C and C++ are left out: bench-c, duckdb. viewers
# runs the tests of browser. The tests read files of the other modules, which the go command
# does not look at when it decides whether an earlier result is still true.
dev: ## check the module of developers: manifests, image, JSON Schema, links, bundle, other readers, release, mutants
	CGO_ENABLED=0 $(DEV) vet -tags check ./...
	cd dev && export GOWORK=off CGO_ENABLED=0 && go test $(QUICK) -tags check -count=1 $$(go list ./... | grep -v /browser$$)

# Runners of the open CI are no root.
APT := $(if $(filter-out 0,$(shell id -u 2>/dev/null)),sudo )apt-get

packages: ## install the Debian packages that the tests need
	$(APT) update -q && DEBIAN_FRONTEND=noninteractive $(APT) install -qy --no-install-recommends gcc libc6-dev zstd python3 man-db tmux

# lint, or the same target, runs go vet. Without it, and without the tables for debuggers,
# the test binaries take less time to build.
QUICK := -vet=off -ldflags=-w

# The packages of the released modules. The other modules require large libraries, which
# take long to compile.
RELEASED := ./... ./codec/... ./cmd/nettrace/... ./corpora/...

# A tier of tests is a target, and a build tag of the same name (internal/tier). A package
# that imports net would be compiled a second time with cgo. The last lines say how many
# test functions ran, and which tests were skipped and why. Where nothing changed, go test
# repeats an earlier result; it does not see changes of files outside of a test's module, as
# of pages in docs: make docs and .ci/check run such tests in any case.
tier = set -o pipefail; CGO_ENABLED=0 go test -json $(QUICK) $(1) | go run ./internal/testsummary

test: ## run the tests of the released modules
	@$(call tier,-timeout 10m $(RELEASED))

# The tests of make test are not run a second time but where they differ: where a test or
# what it calls asks for the tier, or reads blocks, whose bytes the reader overwrites here
# as it does under the race detector: a program that keeps borrowed bytes fails. make viewers
# runs the other package, for which it installs programs.
CHECK_TAGS := check,nettrace_poison
IN_CHECK = $$(go list -tags $(CHECK_TAGS) -test -f '{{.ImportPath}} {{join .Deps " "}} ' work | \
  sed -n '/^[^ ]*\.test .*nettrace\/\(internal\/tier\|codec\/internal\/traces\|codec\/raw\) /s/\.test .*//p' | grep -v /conformance/viewers)

# Tests of collecting wait for processes: hence three packages at once.
test-check: ## after make test: run the tests that take long, and with all input those that read less there
	@set -o pipefail; packages=$(IN_CHECK) || exit 1; $(call tier,-tags $(CHECK_TAGS) -p 3 -timeout 20m $$packages)

test-nightly: ## run the tests that take minutes or hours: running processes, 1 GB traces, all runtimes, 5,000,000 random traces; make nightly includes it
	@set -o pipefail; packages=$$(go list work | grep -v /conformance/viewers) || exit 1; $(call tier,-tags nightly -count=1 -timeout 4h $$packages)

# The packages with a go statement, and those whose tests call them from several goroutines.
# integrations is outside of the workspace: make otlp TAGS=nightly has the race detector. Of those in DIVIDED, tests with the names of IN_PARALLEL do that, or divide a trace as
# --workers does; make nightly runs all.
CONCURRENT = $(filter-out $(DIVIDED),$(addprefix ./,$(shell grep -rlE --include='*.go' --exclude='*_test.go' --exclude-dir=dev --exclude-dir=gate --exclude-dir=integrations --exclude-dir=viewers \
  '^[[:space:]]*go [a-zA-Z]|\.Go[^A-Za-z]' . | xargs -n1 dirname | sed "s|^\./||" | sort -u))) \
  ./cmd/nettrace/internal/folderlock ./codec/clr
DIVIDED = ./. ./analysis/parts ./codec ./columns ./eventpipe/record ./gen ./internal/codectest ./profile $(addprefix ./cmd/nettrace/internal/,change events tables)
IN_PARALLEL := Chunk|Worker|Recorder|Source|Example|Follow|Pipe|Prompt|Ahead|RoundTrip|CloseEarly

# The race detector needs a C compiler. It makes all ten times slower. Many tests wait:
# hence more at once.
race: ## run the tests of packages with goroutines under the race detector; TAGS=nightly runs all
	@if command -v "$$(go env CC)" >/dev/null; then \
	  export CGO_ENABLED=1; flags="-race -tags=$(TAGS) -p 4 $(QUICK) -timeout $(if $(TAGS),4h,20m)"; \
	  if [ -n '$(TAGS)' ]; then set -- $(RELEASED); else set -- $(CONCURRENT); fi; \
	  echo "go test $$flags $$*"; go test $$flags "$$@" || exit 1; \
	  [ -n '$(TAGS)' ] || { echo "go test $$flags -run '$(IN_PARALLEL)' $(DIVIDED)"; go test $$flags -run '$(IN_PARALLEL)' $(DIVIDED); }; \
	elif [ -n "$${CI:-}" ]; then echo "go test -race needs a C compiler" >&2; exit 1; \
	else echo "no C compiler: the race run is left out"; fi

check: ## run all parts of CI: test first, then what takes longer (.ci/check lists the parts)
	@.ci/check

cover: bin/uncovered ## list the statements of codec/... that no test reaches, with the reasons
	@profile=$$(mktemp) && go test -coverpkg=./codec/... -coverprofile=$$profile $(COVER) >/dev/null && \
	  bin/uncovered $$profile; code=$$?; rm -f $$profile; exit $$code

tidy: ## run go mod tidy in every module
	.ci/tidy

tidy-check: ## print the changes that go mod tidy would make, and fail if a module needs one
	.ci/tidy --diff

# The version that the modules of this repository require of each other.
VERSION ?= $(shell sed -n 's|.*nettrace-go/nettrace/codec v|v|p' go.mod)

release-check: $(if $(ALL),bin/goreleaser) bin/gorelease ## check VERSION of the modules before its tags exist: go get, go install, program, image, API; ALL=1 adds archives and packages, and builds all platforms twice
	.ci/release check $(VERSION) $(if $(ALL),all)

# goreleaser puts these files into the archives and packages. The manual pages have the
# date of the commit. The flags are those of .goreleaser.yaml and image: the packages are
# compiled once for all three.
release-files: ## write the manual pages and completions into bin/release
	@rm -rf bin/release && mkdir -p bin/release/completions
	@CGO_ENABLED=0 go build -buildvcs=true -trimpath -ldflags '-s -w' -o bin/release/nettrace ./cmd/nettrace
	@SOURCE_DATE_EPOCH=$$(git log -1 --format=%ct) bin/release/nettrace man bin/release/man && gzip -9 --no-name bin/release/man/*
	@for shell in bash zsh fish powershell; do bin/release/nettrace completion $$shell >bin/release/completions/nettrace.$${shell/powershell/ps1} || exit 1; done

api: bin/gorelease ## compare the public API of the released modules with their last tags
	@.ci/release api $(VERSION)

# The workflow "release" calls it: it needs the tag, cosign, syft and a token of GitHub.
publish: bin/goreleaser
	@mkdir -p bin && .ci/release notes $(VERSION) >bin/notes.md
	GOFLAGS= GORELEASER_CURRENT_TAG=$(VERSION) bin/goreleaser release --clean --release-notes bin/notes.md

.PHONY: tag notices release-files api publish
tag: ## print the tags of VERSION, after checking that it can be released; RUN=1 sets them
	@.ci/release tag $(VERSION) $(if $(RUN),run)

notices: ## write THIRD_PARTY_NOTICES: the licences of linked modules and of the page's packages
	@$(DEV) run ./notices

dead: bin/deadcode ## list functions that neither a program nor a test calls, unless dev/dead/explained.tsv explains them
	@bin/deadcode -tags nightly -json -test work | $(DEV) run ./dead

# dev/systems reads the packages and their tests as on other systems from source: a fifth of
# the time of go vet, which compiles what they import for each system, and of deadcode.
# Package eventpipe has files for systems that have no other file.
OTHER_SYSTEMS := windows/386=work darwin/arm64=work freebsd/amd64=./eventpipe

lint: bin/deadcode bin/staticcheck ## gofmt, go vet, staticcheck, deadcode and actionlint (pinned in dev/go.mod), tidy-check; ALL_SYSTEMS=1 runs go vet for Windows, macOS and FreeBSD too
	@unformatted=$$(gofmt -l .) && [ -z "$$unformatted" ] || { echo "not gofmt'd: $$unformatted" >&2; exit 1; }
	go vet -tags nightly work
	@if command -v "$$(go env CC)" >/dev/null; then CGO_ENABLED=1 $(DEV) vet ./cgo; \
	else echo "no C compiler: vet of dev/cgo is left out"; fi
	$(DEV) run ./systems -tags nightly $(OTHER_SYSTEMS)
	@[ -z '$(ALL_SYSTEMS)' ] || for system in $(OTHER_SYSTEMS); do \
	  IFS='/=' read -r os arch packages <<<"$$system"; \
	  echo "GOOS=$$os GOARCH=$$arch go vet $$packages"; GOOS=$$os GOARCH=$$arch go vet $$packages || exit 1; \
	done
	bin/staticcheck -tags nightly work
	$(MAKE) --no-print-directory dead
	$(MAKE) --no-print-directory actions
	$(MAKE) --no-print-directory tidy-check

# actionlint checks the shell lines of workflows with shellcheck. In CI it has to be there.
actions: bin/actionlint ## check the workflows of .github
	@command -v shellcheck >/dev/null || { [ -z "$${CI:-}" ] || { $(APT) update -q && $(APT) install -qy --no-install-recommends shellcheck; } >/dev/null 2>&1; } || \
	  { echo "actionlint needs shellcheck, which cannot be installed" >&2; exit 1; }
	bin/actionlint

docs: ## execute the examples of the documentation, and print how many are equal; UPDATE=1 rewrites their outputs
	go test $(QUICK) -tags check -count=1 -v -run '^TestPages$$' ./cmd/nettrace/internal/docs $(if $(UPDATE),-update)
	$(DEV) test $(QUICK) -count=1 -v -run '^TestLinks$$' ./site

site: ## write the documentation as HTML pages into bin/site
	$(DEV) run ./site -docs ../docs -o ../bin/site

oracle: ## compare with another reader; FILE=x asks it about one file
	go run ./internal/oracle $(FILE)

corpora: ## make the traces of corpora anew that package gen makes
	go run ./conformance/generated -write

# The program zstd makes the archive, which nettrace contains, a seventh smaller than
# the package of Go does.
CASES := conformance/cases/cases.tar.zst

cases: ## write the cases of conformance/cases
	go run ./conformance/casegen -write
	@git diff --quiet -- $(CASES) || { mkdir -p bin && zstd -dq $(CASES) -fo bin/cases.tar && zstd -q -19 --no-check -f bin/cases.tar -o $(CASES); }

snapshot: build bin/snapshot ## write into DIR hashes of the results of bin/nettrace, or of the binary NETTRACE, for all traces
	bin/snapshot -nettrace "$(or $(NETTRACE),bin/nettrace)" -o "$(DIR)"

snapshot-compare: bin/snapshot ## print the differences between the snapshots A and B; with STDERR=false, without standard error
	bin/snapshot compare -stderr=$(or $(STDERR),true) "$(A)" "$(B)"

scores: ## test three readers with the cases and write conformance/SCORES.md
	go run ./conformance/scores -write -te $(TE)

bench: ## run the benchmarks COUNT times, then those beside peers
	go test -run '^$$' -bench . -count $(COUNT) ./bench/... ./codec
	$(DEV) test -run '^$$' -bench . -count $(COUNT) ./peer/...

bench-peer: ## measure beside dotnetdiag, demand GOAL times its speed
	$(DEV) run ./peer/cmd/versus -rounds 21 -goal $(GOAL)

bench-te: ## measure beside dotnetdiag and TraceEvent, demand GOAL times their speed
	$(DEV) run ./peer/cmd/versus -te $(TE) -goal $(GOAL)

bench-gate: ## compare the benchmarks of HEAD with those of BASE
	@bench/gate/run -base "$(BASE)"

gate: ## compare the benchmarks of HEAD with those of BASE if the codec differs
	@bench/gate/ci

bench-instructions: ## count the instructions of BASE and HEAD in each row of the gate
	@bench/gate/run -base "$(BASE)" -instructions

gate-proof: ## plant slowdowns, and write into bench/README.md how often the gate finds them (1 hour)
	@bench/gate/run -proof bench/gate/plants.patch -rows bench/gate/proof.txt -into bench/README.md -budget 57m

bench-c: ## measure the row loop of version 4 beside the same in C
	CGO_ENABLED=1 CGO_CFLAGS="$(C_FLAGS)" $(DEV) test -count 1 -v ./cgo

bench-report: ## measure the targets, write bench/RESULTS.md, fail if a required value is missed
	go run ./bench/report -te $(TE) -cflags "$(C_FLAGS)" -o bench/RESULTS.md

fuzz: ## run every fuzz target for T, two at a time
	fuzz/run $(T)

fuzz-ci: ## run every fuzz target on a number of inputs, from its seeds alone
	@cache=$$(mktemp -d) && CACHE=$$cache WHOLE=300x fuzz/run 1000x; code=$$?; rm -rf "$$cache"; exit $$code

fuzz-all: ## run the fuzz targets in turn for HOURS, with a corpus that stays
	@end=$$((SECONDS + $(HOURS) * 3600)); while [ $$SECONDS -lt $$end ]; do \
	  CACHE=$(CURDIR)/fuzz/testdata/corpus fuzz/run 10m || exit 1; \
	done; CACHE=$(CURDIR)/fuzz/testdata/corpus fuzz/minimise

fuzz-planted: ## plant bugs in a copy, and see each found within a minute
	fuzz/planted 60s

oss-fuzz-check: ## build the fuzz targets as OSS-Fuzz does, and run each for 5 s (10 minutes)
	fuzz/oss-fuzz/check

# A mutant may ask for memory without end: hence the limit, in KiB. With DIR, an
# interrupted run continues.
mutants: bin/mutants ## change the code in small ways, one at a time, and demand that a test fails for each (2 hours); DIR=x keeps the results
	@ulimit -v 16777216; bin/mutants $(if $(DIR),-dir "$(DIR)")

bench-convert: build ## measure convert beside dotnet-trace, demand ten times its speed in a quarter of its memory
	go build -o bin/bench-convert ./bench/convert
	bin/bench-convert -nettrace bin/nettrace -te $(TE) -traces $(dir $(TE))../traces

# 386 runs on this machine, the others under qemu-user, in CI at least. arm64 has the byte
# order and the word size of amd64, and the modules have no assembly: what it can show beyond
# the other two takes minutes, and is looked for every night.
test-foreign: ## run the tests as on 386 and s390x; TAGS=nightly adds arm64
	GOARCH=386 CGO_ENABLED=0 go test $(QUICK) $(FOREIGN)
	@command -v qemu-s390x >/dev/null || { $(APT) update -q && $(APT) install -qy --no-install-recommends qemu-user; } >/dev/null 2>&1; \
	for run in $(if $(TAGS),"arm64 qemu-aarch64") "s390x qemu-s390x"; do \
	  read -r arch qemu <<<"$$run"; \
	  if ! command -v $$qemu >/dev/null; then \
	    [ -z "$${CI:-}" ] || { echo "$$arch: not tested: $$qemu cannot be installed" >&2; exit 1; }; \
	    echo "$$arch: left out: $$qemu cannot be installed"; continue; \
	  fi; \
	  echo "go test for $$arch under $$qemu"; \
	  GOARCH=$$arch CGO_ENABLED=0 go test $(QUICK) -timeout 20m -exec $$qemu $(QEMU) || exit 1; \
	done

# The name and version of an npm package.
npm = $(shell sed -n 's/.*"\($(1)\)": "\(.*\)".*/\1@\2/p' view/page/package.json)

# The browser is Debian's, speedscope npm's. In CI both have to be there.
AXE := axe-core@4.14.1

viewers: ## open profiles in go tool pprof, and in speedscope and Chrome DevTools in a browser, and test the page of view; TAGS=nightly adds large traces and all pictures
	@command -v chromium >/dev/null || { $(APT) update -q && DEBIAN_FRONTEND=noninteractive $(APT) install -qy --no-install-recommends chromium; } >/dev/null 2>&1 || true
	@npm install --silent --no-save --prefix bin/viewers $(call npm,speedscope) $(AXE) >/dev/null 2>&1 || echo "no speedscope or no $(AXE) from npm"
	go test $(QUICK) -tags check -count=1 -v ./conformance/viewers
	cd dev/browser && GOWORK=off go test $(QUICK) -tags '$(or $(TAGS),check)' -count=1 -timeout $(if $(TAGS),2h,20m) -v .

# esbuild does not check types. In CI npm has to be there.
TYPESCRIPT := $(call npm,typescript)

types: ## check the types of the page's TypeScript
	@npm install --silent --no-save --prefix bin/typescript $(TYPESCRIPT) >/dev/null 2>&1 || { \
	  echo "the types are not checked: no $(TYPESCRIPT) from npm" >&2; [ -z "$${CI:-}" ]; exit $$?; }; \
	bin/typescript/node_modules/.bin/tsc --noEmit -p view/page

PYTHON := conformance/adapters/python

python: build ## test the reader in Python with the conformance cases
	@if command -v python3 >/dev/null; then \
	  echo "bin/nettrace conformance run -- python3 $(PYTHON)/adapter.py"; \
	  bin/nettrace conformance run --stream --known-failures $(PYTHON)/known-failures.txt -- python3 $(PYTHON)/adapter.py --stream; \
	elif [ -n "$${CI:-}" ]; then echo "the reader in Python needs python3" >&2; exit 1; \
	else echo "no python3: the reader in Python is not tested"; fi

vulnerabilities: bin/govulncheck ## look for known vulnerabilities in the modules that the packages of each module call
	for dir in codec . cmd/nettrace; do (cd $$dir && GOWORK=$(CURDIR)/go.work $(CURDIR)/bin/govulncheck ./...) || exit 1; done

duckdb: ## compare the ready queries of nettrace query with DuckDB over the Parquet files of convert
	CGO_ENABLED=1 $(DEV) vet ./duckdb && CGO_ENABLED=1 $(DEV) test -count=1 ./duckdb

# The modules integrations and integrations/nettracereceiver are released and have no replacements: a workspace has them, in
# which the large libraries of go.work's modules do not count.
INTEGRATIONS := GOWORK=$(CURDIR)/bin/integrations.work

bin/integrations.work: go.work
	@mkdir -p bin && { sed -e 's|^\t\./|\t../|; s|^\t\.$$|\t..\n\t../integrations\n\t../integrations/nettracereceiver|; s|=> \.|=> ..|' go.work; \
	  echo 'replace github.com/nettrace-go/nettrace/cmd/nettrace $(VERSION) => ../cmd/nettrace'; } >$@

integrations: bin/integrations.work ## build the programs of integrations: bin/nettrace-otlp, bin/nettrace-beam
	for name in otlp beam; do CGO_ENABLED=0 $(INTEGRATIONS) go build -o bin/nettrace-$$name ./integrations/$$name/cmd/nettrace-$$name || exit 1; done

otlp: bin/integrations.work ## test integrations/otlp with the Collector's receiver, and the receiver of integrations/nettracereceiver; TAGS=nightly adds running processes and the race detector
	$(INTEGRATIONS) go vet ./integrations/otlp/... ./integrations/nettracereceiver && \
	$(if $(TAGS),CGO_ENABLED=1 )$(INTEGRATIONS) go test $(if $(TAGS),-race )$(QUICK) -tags '$(TAGS)' -count=1 -v ./integrations/otlp/... ./integrations/nettracereceiver

collector: ## build a Collector with the receiver nettrace by the Collector's builder: bin/collector/nettrace-collector
	GOWORK=off go run go.opentelemetry.io/collector/cmd/builder@v0.156.0 --config integrations/nettracereceiver/builder-config.yaml

beam-demo: bin/integrations.work ## test the pipeline of integrations/beam with 2,000 copies of traces, most of them damaged, and run it with prism in one process and in several
	$(INTEGRATIONS) go vet ./integrations/beam/... && $(INTEGRATIONS) go test -tags nightly -count=1 -timeout 30m -v ./integrations/beam/...
	$(INTEGRATIONS) integrations/beam/demo.sh

nightly: test-nightly mutants fuzz-all oss-fuzz-check image-check duckdb beam-demo ## what takes hours: all tests, mutants, fuzzing for HOURS, and race, viewers, otlp, test-foreign, lint and release-check with all their parts
	$(MAKE) race TAGS=nightly
	$(MAKE) viewers otlp test-foreign TAGS=nightly
	$(MAKE) lint ALL_SYSTEMS=1
	$(MAKE) release-check ALL=1
