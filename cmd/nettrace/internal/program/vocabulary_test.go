package program

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// word is the one meaning of a flag in all commands that have it.
type word struct {
	short   string // one letter, or empty
	value   string // type of the value, as pflag names it
	meaning string
}

// vocabulary has every flag of the program. A name has one type and one meaning: a new
// command takes the flag from here, or adds one that no other command has.
var vocabulary = map[string]word{
	"help":    {"h", "bool", "print the help"},
	"version": {"v", "bool", "print the version"},

	// Which events and samples.
	"from":     {"", "string", "beginning of the period"},
	"to":       {"", "string", "end of the period"},
	"ticks":    {"", "bool", "ticks of the trace beside times"},
	"provider": {"", "stringArray", "providers: a filter of a file, the selection to record of a process"},
	"event":    {"", "stringSlice", "events by id, range, name or glob"},
	"thread":   {"", "stringSlice", "threads by id or range"},
	"process":  {"", "stringSlice", "processes by id or range"},
	"level":    {"", "string", "events of this level or more severe"},
	"keyword":  {"", "string", "mask of keywords of events"},
	"counters": {"", "string", "sources and counters, as dotnet-counters has them"},
	"type":     {"", "string", "type of samples, dump or maps"},
	"limit":    {"", "uint64", "max rows to print"},

	// Output to standard output.
	"format":          {"f", "string", "output format"},
	"json":            {"", "bool", "the JSON form of --format"},
	"all":             {"", "bool", "list everything, not just the top"},
	"fields":          {"", "bool", "print fields"},
	"rows":            {"", "bool", "print rows"},
	"hex":             {"", "bool", "print bytes"},
	"payload":         {"", "bool", "print payloads as hex"},
	"stacks":          {"", "bool", "print stacks"},
	"addresses":       {"", "bool", "print addresses, not names"},
	"raw-names":       {"", "bool", "print names as the runtime writes them"},
	"lines":           {"", "bool", "print source lines"},
	"details":         {"", "bool", "print all that is known, as JSON"},
	"pdb":             {"", "stringArray", "folders of PDBs and assemblies"},
	"symbols":         {"", "stringArray", "folders of symbols of native programs"},
	"depth":           {"", "int", "max frames of a stack to print"},
	"order":           {"", "string", "order of events"},
	"offset":          {"", "int64", "print the block and the fields at an offset of the stream"},
	"by":              {"", "string", "subject of each row"},
	"sort":            {"", "string", "order of rows"},
	"tree":            {"", "bool", "print calls from the root"},
	"min":             {"", "float64", "min share to print, in percent"},
	"diff":            {"", "string", "file to compare with"},
	"paths":           {"", "string", "print paths from roots to objects of a type"},
	"dominators":      {"", "bool", "print a tree of retained objects"},
	"below":           {"", "string", "print a part of a tree"},
	"roots":           {"", "bool", "print roots"},
	"gc":              {"", "uint32", "number of a collection"},
	"partial":         {"", "bool", "accept a dump of which data was lost"},
	"no-repair":       {"", "bool", "leave truncated stacks"},
	"physical":        {"", "bool", "leave stacks as they were recorded"},
	"async":           {"", "bool", "continue stacks across awaits and tasks"},
	"fold-recursion":  {"", "bool", "show one of several equal runs of frames"},
	"runtime-helpers": {"", "bool", "keep the frames of the runtime's helpers"},
	"spans":           {"", "bool", "print the time lines of threads"},
	"state":           {"", "stringSlice", "states of samples"},
	"focus":           {"", "stringSlice", "samples by their frames"},
	"hide":            {"", "stringSlice", "frames that are left out"},
	"group":           {"", "string", "groups in place of methods"},
	"just-my-code":    {"", "bool", "leave out the frames of .NET"},
	"class":           {"", "stringSlice", "classes of allocations"},
	"route":           {"", "stringSlice", "routes of requests"},
	"trace":           {"", "string", "id of a W3C trace"},
	"span":            {"", "string", "id of the span of a request"},
	"request":         {"", "string", "id of a request, or slowest"},
	"callers":         {"", "string", "method whose callers are printed"},
	"callees":         {"", "string", "method whose callees are printed"},
	"bottom-up":       {"", "bool", "print calls from the leaf"},
	"quiet":           {"q", "bool", "print nothing"},
	"strict":          {"", "bool", "stop at the first defect"},
	"follow":          {"", "bool", "wait for more at the end of a growing file"},
	"wide":            {"", "bool", "lines as long as they are, on a terminal too"},
	"color":           {"", "string", "when to print colours"},
	"schema":          {"", "bool", "list the tables and columns"},
	"page":            {"", "string", "page to open"},
	"no-browser":      {"", "bool", "open no browser"},

	// Output files.
	"output":       {"o", "string", "output file"},
	"force":        {"", "bool", "replace an existing output file"},
	"compact":      {"", "bool", "write large blocks and small ids"},
	"uncompressed": {"", "bool", "write rows without header compression"},
	"no-tags":      {"", "bool", "leave out the tags of metadata"},
	"preserve":     {"", "bool", "write the same bytes"},
	"tables":       {"", "stringSlice", "tables to write"},
	"partition":    {"", "string", "columns that choose the folder of a file"},
	"merge":        {"", "bool", "one profile of all threads, or one summary"},
	"separate":     {"", "bool", "processes of different files are different ones"},
	"shard":        {"", "string", "part of the files"},
	"workers":      {"", "int", "number of goroutines"},
	"command-line": {"", "bool", "add command lines of processes"},
	"events":       {"", "bool", "add the events of the trace"},
	"split":        {"", "string", "size or time of each output file"},
	"drop-rundown": {"", "bool", "leave out events that name methods"},
	"all-rundown":  {"", "bool", "keep all events that name methods"},
	"redact":       {"", "string", "replace text by asterisks"},
	"redact-text":  {"", "stringArray", "text to replace by asterisks"},

	// Checks.
	"rules":    {"", "string", "rule set"},
	"fail-on":  {"", "string", "lowest severity that is a failure"},
	"ignore":   {"", "stringSlice", "what is left out: fields, rules, or samples by their frames"},
	"suppress": {"", "string", "file of suppressions"},
	"explain":  {"", "string", "rule to explain"},
	"list":     {"", "bool", "list the rules, or the ready queries"},

	// Running processes.
	"process-id":                    {"p", "pid", "process by its PID"},
	"name":                          {"n", "string", "process by the name of its program"},
	"port":                          {"", "string", "process at a diagnostics port"},
	"port-mode":                     {"", "string", "permissions of the socket of --port"},
	"port-group":                    {"", "string", "group of the socket of --port"},
	"duration":                      {"", "string", "end after this time"},
	"profile":                       {"", "stringSlice", "profiles of providers to record"},
	"every":                         {"", "duration", "time between two samples or profiles"},
	"refresh-interval":              {"", "duration", "time between values"},
	"listen":                        {"", "string", "address that serves Prometheus, or the page"},
	"max-histograms":                {"", "int", "max histograms to request"},
	"max-time-series":               {"", "int", "max time series to request"},
	"any-session":                   {"", "bool", "take values of any session"},
	"providers":                     {"", "string", "providers to record, in a list"},
	"clrevents":                     {"", "string", "keywords of the runtime to record"},
	"clreventlevel":                 {"", "string", "level of --clrevents"},
	"event-filter":                  {"", "stringArray", "events of a provider to record"},
	"buffersize":                    {"", "int", "size of the buffer for events in the process, in MB"},
	"buffering-mode":                {"", "string", "handling of a full buffer"},
	"children":                      {"", "bool", "record child processes"},
	"config":                        {"", "string", "file with the providers to record, or of the agent"},
	"check-config":                  {"", "bool", "check a configuration and end"},
	"dry-run":                       {"", "bool", "print what would be done"},
	"push":                          {"", "string", "server that receives profiles"},
	"max-cpu":                       {"", "string", "max share of a processor"},
	"crashreport":                   {"", "bool", "write a crash report with the dump"},
	"disable":                       {"", "bool", "end what the command begins without it"},
	"log":                           {"", "string", "what a process logs of a dump"},
	"set":                           {"", "stringArray", "variable to set"},
	"sampling-interval":             {"", "duration", "time between two samples of the sampler of a command"},
	"drain":                         {"", "duration", "max time to wait for the end of a stream"},
	"dsrouter":                      {"", "string", "refused: a router to start"},
	"exit-code":                     {"", "string", "source of the exit code"},
	"keep-raw":                      {"", "bool", "save the bytes of the stream"},
	"kill":                          {"", "bool", "end the command with the recording"},
	"max-size":                      {"", "string", "size at which to stop"},
	"names":                         {"", "string", "when to read the names of methods"},
	"no-thread-times":               {"", "bool", "leave out the processor time of threads"},
	"raw":                           {"", "bool", "write the bytes that the process sent"},
	"cpu-sampler":                   {"", "string", "what takes samples"},
	"cpu-rate":                      {"", "int", "samples of perf per second"},
	"native":                        {"", "bool", "record a process without a .NET runtime"},
	"check-perf":                    {"", "bool", "print what may be recorded"},
	"kallsyms":                      {"", "string", "the symbols of a kernel"},
	"no-unwind":                     {"", "bool", "leave call chains of perf as they were recorded"},
	"no-stacks":                     {"", "bool", "record events without stacks"},
	"resume-runtime":                {"", "bool", "resume a suspended process"},
	"ring":                          {"", "string", "time and size of the events kept in memory"},
	"write-on":                      {"", "stringArray", "rule that writes the events kept in memory"},
	"rotate":                        {"", "string", "time and size of each file of a recording"},
	"keep":                          {"", "int", "max files of a recording"},
	"cooldown":                      {"", "duration", "time after a rule was true without a further file"},
	"max-files":                     {"", "int", "max files that rules write"},
	"max-disk":                      {"", "string", "max size of the files that rules write"},
	"rundown":                       {"", "string", "rundown to record"},
	"no-lines":                      {"", "bool", "no maps of source lines"},
	"sources":                       {"", "string", "what is stored of the files of the code in stacks"},
	"show-child-io":                 {"", "bool", "show the output of the command"},
	"stats":                         {"", "bool", "print the memory and processor time of the recording"},
	"stop-on":                       {"", "string", "event at which to stop"},
	"stopping-event-event-name":     {"", "string", "name of the event at which to stop"},
	"stopping-event-payload-filter": {"", "string", "fields of the event at which to stop"},
	"stopping-event-provider-name":  {"", "string", "provider of the event at which to stop"},

	// Measurements and conformance.
	"count":          {"", "int", "repetitions"},
	"only":           {"", "stringSlice", "what is kept: cases, or frames"},
	"known-failures": {"", "string", "file of cases that fail"},
	"timeout":        {"", "duration", "max time for a case, a dump or a query"},
	"parallel":       {"", "int", "processes at one time"},
	"stream":         {"", "bool", "send all requests to one process"},
}

// commandsOf returns a command and all below it, except those of cobra.
func commandsOf(cmd *cobra.Command) []*cobra.Command {
	list := []*cobra.Command{cmd}
	for _, c := range cmd.Commands() {
		list = append(list, commandsOf(c)...)
	}
	return list
}

// TestVocabulary checks each flag of each command against the vocabulary.
func TestVocabulary(t *testing.T) {
	used := map[string]bool{}
	for _, cmd := range commandsOf(Root(&run.Program{}, []string{"help"})) {
		cmd.InitDefaultHelpFlag()
		t.Run(cmd.CommandPath(), func(t *testing.T) {
			cmd.Flags().VisitAll(func(f *pflag.Flag) {
				used[f.Name] = true
				w, ok := vocabulary[f.Name]
				if !ok {
					t.Errorf("--%s is not in the vocabulary", f.Name)
					return
				}
				expect.Equal(t, "type of --"+f.Name, f.Value.Type(), w.value)
				expect.Equal(t, "short form of --"+f.Name, f.Shorthand, w.short)
			})
		})
	}
	for name := range vocabulary {
		if !used[name] {
			t.Errorf("--%s is in the vocabulary and no command has it", name)
		}
	}
}

// TestFlagHelp checks that the help of a flag with a value names the value, in capitals,
// and that no line of the help is longer than 100 columns.
func TestFlagHelp(t *testing.T) {
	for _, cmd := range commandsOf(Root(&run.Program{}, []string{"help"})) {
		t.Run(cmd.CommandPath(), func(t *testing.T) {
			cmd.Flags().VisitAll(func(f *pflag.Flag) {
				value, _ := pflag.UnquoteUsage(f)
				if value != "" && strings.ToUpper(value) != value && !slices.Contains(namedValues, f.Name) {
					t.Errorf("--%s %s: the value has no name in capitals", f.Name, value)
				}
			})
			var help bytes.Buffer
			args := append(strings.Fields(cmd.CommandPath())[1:], "--help")
			expect.Equal(t, "exit code", execute(t.Context(), &run.Program{Stdout: &help}, args), exit.Done)
			expect.Contains(t, "help", help.String(), "\nUsage:\n", "\nFlags:\n", "--help ")
			expect.AtMost(t, "lines", strings.Count(help.String(), "\n"), run.HelpLines)
			for line := range strings.Lines(help.String()) {
				expect.AtMost(t, "columns of "+line, utf8.RuneCountInString(strings.TrimRight(line, "\n")), run.HelpWidth)
			}
		})
	}
}

// namedValues are the flags whose value is shown with its default.
var namedValues = []string{"redact"}
