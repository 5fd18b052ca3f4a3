package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/nettrace-go/nettrace/analysis/parts"
)

// command is one command line of the program. Of its words, FILE and OTHER are
// replaced by the names of inputs, and THREADS by a list of thread ids. A
// command line with <FILE reads the input from standard input.
type command struct {
	line  string
	limit int64 // size in bytes of the largest uncompressed input that it is run with
}

// Limits of commands. The cost of a command grows with its input, and the run
// must end in a few minutes.
const (
	large  = 1 << 40 // every input
	medium = 4 << 20
	small  = 1 << 20
	tiny   = 100 << 10
)

// commands returns the command lines that are run with each input. They are
// spelled as in the first version that was compared: see renames.tsv.
func commands() []command {
	var all []command
	for _, table := range [][]command{readers, reports(), samplers, writers} {
		all = append(all, table...)
	}
	return all
}

// reports print a part of a report.
func reports() []command {
	var all []command
	for _, part := range parts.Names() {
		all = append(all,
			command{"report " + part + " FILE", medium},
			command{"report " + part + " --wide --color always FILE", small},
			command{"report " + part + " --json FILE", medium},
			command{"report " + part + " --json --workers 3 FILE", small},
			command{"report " + part + " --format markdown FILE OTHER", small},
			command{"report " + part + " - <FILE", tiny},
		)
	}
	return all
}

// readers print the content of a file.
var readers = []command{
	{"info FILE", large},
	{"info --json --all FILE", large},
	{"info --all FILE", medium},
	{"info --json FILE", medium},
	{"info --strict FILE", medium},
	{"info FILE OTHER", small},
	{"info --wide --color always FILE", tiny},
	{"info --json OTHER FILE", small},
	{"info - <FILE", small},
	{"info --json - <FILE", tiny},

	{"events FILE", medium},
	{"events --fields FILE", large},
	{"events --order time --fields --stacks --payload FILE", medium},
	{"events --order time --format ndjson FILE", large},
	{"events --format ndjson --fields --payload --stacks --rows FILE", medium},
	{"events --format ndjson --fields --stacks --rows --strict FILE", small},
	{"events --format ndjson --fields --stacks --workers 3 FILE", medium},
	{"events --payload FILE", small},
	{"events --stacks FILE", small},
	{"events --strict FILE", small},
	{"events --limit 10 FILE", medium},
	{"events --limit 10 --order time --format ndjson FILE", small},
	{"events --from 100ms --to 300ms FILE", medium},
	{"events --from 0.2s --order time --format ndjson --stacks FILE", small},
	{"events --to 2026-11-21T09:30:01Z --fields FILE", small},
	{"events --provider Microsoft-Windows-DotNET*,Contoso* --id 1-100,144 FILE", small},
	{"events --name GC*,*Stop --fields FILE", small},
	{"events --level warning FILE", small},
	{"events --keyword 0x8010 --fields FILE", small},
	{"events --process 1-5000,20000-29999 FILE", small},
	{"events --thread THREADS --format ndjson FILE", small},
	{"events --provider Nobody FILE", small},
	{"events --fields --wide --color always FILE", tiny},
	{"events --fields - <FILE", small},
	{"events --from 100ms --order time - <FILE", tiny},

	{"counters FILE", medium},
	{"counters --format table FILE", tiny},
	{"counters --wide --color always FILE", tiny},
	{"counters --format csv FILE", small},
	{"counters --format json FILE", small},
	{"counters --format prometheus FILE", small},
	{"counters --counters System.Runtime[cpu-usage,dotnet.exceptions],Corners* --format json FILE", small},
	{"counters --counters Nothing FILE", tiny},
	{"counters --format csv - <FILE", tiny},

	{"report FILE", large},
	{"report --format json FILE", medium},
	{"report --json --workers 3 FILE", medium},
	{"report --json --wide --color never FILE OTHER", small},
	{"report --format markdown FILE", small},
	{"report - <FILE", tiny},
	{"report --format html FILE", medium},
	{"report --command-line --events --output OUT.html FILE", small},
	{"report --page flame --type wall --from 1ms --to 2s --thread THREADS --process 1-32767 --state running --output OUT.html FILE", tiny},
	{"report --focus Main --ignore Wait --hide ^System --only Main --group namespace --class String --output OUT.html FILE", tiny},
	{"report --physical --output OUT.html FILE", tiny},
	{"report exceptions --physical FILE", tiny},
	{"report --just-my-code --fold-recursion --runtime-helpers --provider Microsoft* --event 1 --output OUT.html FILE", tiny},

	{"query FILE events-by-type", medium},
	{"query --format csv FILE top-total", small},
	{"query --json --limit 20 FILE states", small},
	{"query --schema FILE", small},
	{"query --wide --color always --timeout 1m FILE OTHER gc", tiny},

	{"heap FILE", medium},
	{"heap --json FILE", small},
	{"heap --format csv --limit 0 --raw-names FILE", small},
	{"heap --roots FILE", small},
	{"heap --paths System.* FILE", small},
	{"heap --dominators --min 2 FILE", small},
	{"heap --dominators --below handle --min 10 FILE", small},
	{"heap --diff OTHER FILE", small},
	{"heap --format folded FILE", small},
	{"heap --format pprof FILE", small},
	{"heap --format heapsnapshot FILE", small},
	{"heap --partial --gc 11 --wide --color always FILE", small},
	{"heap - <FILE", tiny},

	{"blocks FILE", large},
	{"blocks --rows FILE", medium},
	{"blocks --hex FILE", small},
	{"blocks --rows --hex FILE", medium},
	{"blocks --strict --rows FILE", small},
	{"blocks --rows - <FILE", tiny},
	{"blocks --fields FILE", small},
	{"blocks --wide FILE", tiny},
	{"blocks --offset 400 FILE", small},

	{"check FILE", large},
	{"check --profile strict FILE", medium},
	{"check --profile reader FILE", small},
	{"check --profile lint --fail-on warning FILE", medium},
	{"check --profile dotnet-runtime FILE", small},
	{"check --profile one-collect FILE", small},
	{"check --format json --profile lint FILE", medium},
	{"check --format sarif --profile lint FILE", small},
	{"check --format junit --profile lint FILE", small},
	{"check --format github --profile lint FILE", small},
	{"check --json FILE", small},
	{"check --profile lint --fail-on never FILE", small},
	{"check --profile lint --fail-on information --ignore NT-EOS-006 --ignore NT4-EVB-010 FILE", small},
	{"check --suppress suppressions.txt FILE", small},
	{"check FILE OTHER", small},
	{"check --wide --color always FILE OTHER", tiny},
	{"check --format sarif OTHER FILE", small},
	{"check - <FILE", small},
	{"check --format json - <FILE", tiny},

	{"diff FILE FILE", medium},
	{"diff FILE OTHER", medium},
	{"diff --wide FILE OTHER", tiny},
	{"diff OTHER FILE", small},
	{"diff --order time FILE OTHER", small},
	{"diff --order time --ignore sequence,properties,processor FILE OTHER", small},
	{"diff --ignore time,thread,captureThread,stack,payload,labels,sequencePoints,lost FILE OTHER", small},
	{"diff --quiet FILE OTHER", tiny},
	{"diff - OTHER <FILE", tiny},
}

// samplers show or write the samples and stacks of a file.
var samplers = []command{
	{"stacks FILE", medium},
	{"stacks --addresses FILE", small},
	{"stacks --raw-names FILE", small},
	{"stacks --repair FILE", medium},
	{"stacks --cut 10 FILE", small},
	{"stacks --repair --cut 20 FILE", small},
	{"stacks --provider Microsoft-Windows-DotNETRuntime --id 10,80 FILE", small},
	{"stacks --process 1-5000,20000-29999 FILE", small},
	{"stacks --focus Main --just-my-code FILE", small},
	{"stacks --ignore Main --hide Write --only System FILE", small},
	{"stacks --group module FILE", small},
	{"stacks --async FILE", small},
	{"stacks --state running,native FILE", small},
	{"stacks --runtime-helpers FILE", small},
	{"stacks --wide FILE", tiny},
	{"stacks - <FILE", tiny},

	{"top FILE", large},
	{"top --json FILE", medium},
	{"top --type wall --tree FILE", medium},
	{"top --type cpu --by module FILE", small},
	{"top --type switch FILE", small},
	{"top --type alloc --by class FILE", medium},
	{"top --type alloc --by type --sort total -n 5 FILE", small},
	{"top --type lock --by class FILE", small},
	{"top --type wait --by thread FILE", small},
	{"top --type exceptions --by class FILE", small},
	{"top --type gc --by class FILE", small},
	{"top --type event --by method FILE", small},
	{"top --provider Microsoft-Windows-DotNETRuntime --event 80 FILE", small},
	{"top --provider Microsoft-Windows-DotNETRuntime --event GCAllocationTick --by process FILE", small},
	{"top --from 100ms --to 400ms FILE", small},
	{"top --no-repair --raw-names --lines 0 FILE", small},
	{"top --runtime-helpers --type cpu FILE", small},
	{"top --async --type wall FILE", medium},
	{"top --async --json FILE", small},
	{"top --by source FILE", small},
	{"top --just-my-code --group namespace FILE", small},
	{"top --focus Work,Main --ignore Log --hide Invoke --only System --json FILE", small},
	{"top --callers Main --min 0 --limit 40 FILE", small},
	{"top --callees Main --json FILE", small},
	{"top --bottom-up --limit 40 FILE", small},
	{"top --type alloc --class String --by class FILE", small},
	{"top --state waiting,blocked --json FILE", small},
	{"top --state idle --by thread FILE", small},
	{"top --fold-recursion --tree --min 5 FILE", small},
	{"top --tree --lines 20 --json FILE", small},
	{"top --thread THREADS --process 1-30000 FILE", small},
	{"top --wide --color always FILE", tiny},
	{"top --diff OTHER FILE", small},
	{"top --diff OTHER --sort total --json FILE", small},
	{"top --diff OTHER --tree FILE", tiny},
	{"top --type alloc - <FILE", tiny},
	{"top --workers 3 FILE", medium},

	{"threadtime FILE", medium},
	{"threadtime --json --limit 5 FILE", small},
	{"threadtime --spans --limit 100 FILE", small},
	{"threadtime --spans --format json --thread THREADS FILE", small},
	{"threadtime --process 1-30000 --from 100ms --to 400ms FILE", small},
	{"threadtime --wide --color always FILE", tiny},
	{"threadtime - <FILE", tiny},
	{"threadtime --workers 3 FILE", small},

	{"convert FILE -o out.pb", large},
	{"convert FILE -o out.pb.gz --command-line --raw-names", small},
	{"convert FILE -o out.pprof --no-repair --fold-recursion", small},
	{"convert FILE -o out.speedscope.json", medium},
	{"convert FILE -o out.speedscope.json --merge --type wall", small},
	{"convert FILE -o out.chromium.json", medium},
	{"convert FILE -o out.chromium.json --workers 3", small},
	{"convert FILE -o out.chromium.json --from 100ms --to 400ms", small},
	{"convert FILE -o out.folded", medium},
	{"convert FILE -o - --to folded --type alloc", small},
	{"convert FILE -o - --to folded --type lock --no-repair", small},
	{"convert FILE -o out.txt --type exceptions --raw-names", small},
	{"convert FILE -o out.folded --type cpu --fold-recursion", small},
	{"convert FILE -o out.folded --type wall --state running,native --runtime-helpers", small},
	{"convert FILE -o out.folded --focus Main --ignore Log --hide Invoke --only System", small},
	{"convert FILE -o out.folded --just-my-code --group module", small},
	{"convert FILE -o out.folded --async", small},
	{"convert FILE -o out.folded --type alloc --class String", small},
	{"convert FILE -o out.folded --type wait --thread THREADS", small},
	{"convert FILE -o out.folded --type gc --process 1-30000", small},
	{"convert FILE -o out.folded --type event", small},
	{"convert FILE -o out.folded --type switch", tiny},
	{"convert FILE -o out.folded --provider Microsoft-Windows-DotNETRuntime --event 80", small},
	{"convert FILE -o out.bin --to speedscope --from 0.1s --to 0.4s", small},
	{"convert - -o out.pb <FILE", tiny},
	{"convert FILE -o out.heapsnapshot", small},
}

// writers make a trace of one or two others.
var writers = []command{
	{"convert FILE -o out.nettrace", large},
	{"convert FILE -o out.nettrace --to v4", medium},
	{"convert FILE -o out.nettrace --to v5", tiny},
	{"convert FILE -o out.nettrace --to v4 --no-tags", small},
	{"convert FILE -o out.nettrace --preserve", medium},
	{"convert FILE -o out.nettrace --compact", medium},
	{"convert FILE -o out.nettrace --compact --to v4", small},
	{"convert FILE -o out.nettrace --uncompressed", small},
	{"convert FILE -o out.nettrace --uncompressed --to v4", small},
	{"convert FILE -o out.nettrace.zst", small},
	{"convert FILE -o out.nettrace.zst --workers 3", tiny},
	{"convert FILE -o out.nettrace --workers 3", tiny},
	{"convert FILE -o out.nettrace.gz", tiny},
	{"convert FILE -o -", small},
	{"convert - -o out.nettrace <FILE", tiny},

	{"repair FILE -o out.nettrace", large},
	{"repair FILE -o out.nettrace.zst", tiny},
	{"repair - -o - <FILE", tiny},

	{"symbolize FILE -o out.nettrace", medium},

	{"slice FILE -o out.nettrace", medium},
	{"slice FILE -o out.nettrace --from 100ms --to 300ms", large},
	{"slice FILE -o out.nettrace --from 100ms --to 300ms --format v6", small},
	{"slice FILE -o out.nettrace --from 0.2s --all-rundown", small},
	{"slice FILE -o out.nettrace --to 0.2s --drop-rundown", small},
	{"slice FILE -o out.nettrace --format v4 --to 2026-11-21T09:30:01Z", small},
	{"slice FILE -o out.nettrace --provider Microsoft-DotNETCore-SampleProfiler,Universal*", small},
	{"slice FILE -o out.nettrace --provider Microsoft-Windows-DotNETRuntime --id 1-100", small},
	{"slice FILE -o out.nettrace --name GC*,Exception*", small},
	{"slice FILE -o out.nettrace --thread THREADS", small},
	{"slice FILE -o out.nettrace --process 1-5000,20000-29999", small},
	{"slice FILE -o out.nettrace --provider Nobody", tiny},
	{"slice FILE -o out.nettrace --split 64KB", medium},
	{"slice FILE -o out.nettrace --split 250ms --format v6", small},
	{"slice FILE -o out.nettrace --split 32KiB --drop-rundown --redact", small},
	{"slice FILE -o out.nettrace --redact", medium},
	{"slice FILE -o out.nettrace --redact=paths", small},
	{"slice FILE -o out.nettrace --redact --redact-text System --redact-text Main", small},
	{"slice - -o out.nettrace --from 100ms --to 300ms <FILE", small},
	{"slice - -o out.nettrace --split 64KB --drop-rundown <FILE", tiny},

	{"merge FILE OTHER -o out.nettrace", medium},
	{"merge OTHER FILE -o out.nettrace", small},
	{"merge FILE OTHER -o out.nettrace --separate", tiny},
	{"merge FILE -o out.nettrace", small},
	{"merge FILE OTHER -o - --redact", small},
	{"merge FILE OTHER -o out.nettrace.gz --redact=paths --redact-text Main", tiny},
	{"summarize FILE OTHER -o out.nts --workers 1", small},
	{"summarize FILE OTHER -o out.nts --shard 0/2", tiny},
}

// lone are command lines that read no input, or are run with one input only.
var lone = []string{
	"check --list",
	"check --explain NT6-LBL-008",
	"check --explain NT-EOS-006",
	"check --explain NONE",
	"check --profile nothing FILE",
	"check --ignore NONE FILE",
	"check",
	"check FILE missing.nettrace",
	"info missing.nettrace",
	"info FILE missing.nettrace FILE",
	"events --provider",
	"events --order backwards FILE",
	"events --from yesterday FILE",
	"events FILE FILE",
	"convert FILE -o out.unknown",
	"convert FILE -o out.nettrace --to v3",
	"convert FILE -o suppressions.txt --to v6",
	"convert FILE -o suppressions.txt --to v6 --force",
	"convert missing.nettrace -o out.nettrace",
	"convert FILE -o missing/out.nettrace",
	"convert FILE -o out.nettrace --type alloc",
	"convert FILE -o out.pb --compact",
	"repair FILE -o suppressions.txt",
	"repair FILE -o suppressions.txt --force",
	"slice FILE -o out.nettrace --split 3",
	"slice FILE -o suppressions.txt --force",
	"slice FILE -o out.nettrace --redact-text Main",
	"merge FILE -o suppressions.txt --force",
	"summarize FILE -o out.json",
	"summarize --merge FILE -o out.nts",
	"diff FILE missing.nettrace",
	"diff FILE",
	"diff --ignore nothing FILE FILE",
	"top --type nothing FILE",
	"top --by nothing FILE",
	"stacks --cut -1 FILE",
	"conformance list",
	"conformance list valid/event",
	"conformance list --only invalid*.v6",
	"conformance list --wide --color always invalid/stack",
	"conformance script",
	"conformance copy cases",
	"conformance run --only valid --timeout 120s -- PROGRAM events --format ndjson -",
	"conformance run --json --parallel 2 --timeout 120s -- PROGRAM events --format ndjson --rows --fields --payload -",
	"conformance run --only valid/metadata --stream -- PROGRAM info",
	"conformance run --only valid/metadata --known-failures known.txt -- PROGRAM info -",
	"conformance write --only valid/metadata --json -- PROGRAM info -",
	"conformance write --only valid/metadata --parallel 2 --timeout 120s --known-failures known.txt -- PROGRAM info -",
}

// leftOut has the commands and flags that no case runs, with the reason.
var leftOut = []struct{ name, reason string }{
	{"bench", "prints times"},
	{"version", "prints the commit and the Go version of the build"},
	{"collect", "records a running process"},
	{"agent", "profiles running processes"},
	{"ps", "lists running processes"},
	{"list-profiles", "reads no file"},
	{"man", "writes help texts"},
	{"completion", "prints a script of the command library"},
	{"help", "prints help texts"},
	{"events --follow", "waits for a file to grow"},
	{"events --process-id", "reads a running process"},
	{"events --duration", "needs a running process"},
	{"events --profile", "needs a running process"},
	{"view", "serves until a signal ends it"},
	{"report --process-id", "reads a running process"},
	{"report --duration", "needs a running process"},
	{"top --process-id", "reads a running process"},
	{"top --name", "reads a running process"},
	{"top --port", "reads a running process"},
	{"top --duration", "needs a running process"},
	{"top --ring", "needs a running process"},
	{"top --refresh-interval", "needs a running process"},
	{"counters --process-id", "reads a running process"},
	{"counters --name", "reads a running process"},
	{"counters --port", "reads a running process"},
	{"counters --duration", "needs a running process"},
	{"counters --listen", "opens a network port"},
	{"counters --any-session", "needs a running process"},
	{"counters --max-histograms", "needs a running process"},
	{"counters --max-time-series", "needs a running process"},
	{"counters --refresh-interval", "needs a running process"},
}

// accepts reports whether the command is run with an input. Files that differ
// only in their compression get the commands of large inputs and those that
// read standard input; the streams, which have few events, get no command of
// samplers that is not run with larger traces either.
func (c command) accepts(in input) bool {
	switch in.kind {
	case packedFile:
		return c.limit == large || strings.Contains(c.line, "<FILE")
	case stream:
		return c.limit >= medium || !slices.Contains(samplers, c)
	}
	return in.size <= c.limit
}

// threads is the word THREADS: in each 16 ids the first 8.
func threads() string {
	var list []string
	for id := 0; id < 1<<15; id += 16 {
		list = append(list, fmt.Sprintf("%d-%d", id, id+7))
	}
	return strings.Join(list, ",")
}
