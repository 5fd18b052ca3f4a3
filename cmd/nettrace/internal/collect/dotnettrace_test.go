//go:build unix

package collect_test

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/eventpipe/eventpipetest"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
	"github.com/nettrace-go/nettrace/internal/tier"
)

// port is a placeholder for the address of a runtime in the table of options.
const port = "PORT"

// options are those of dotnet-trace collect, with values.
var options = []struct {
	option, args string
	want         string // "": the recording is complete; otherwise a text on standard error
}{
	{"--process-id", "-p 2147480000", "no such process"},
	{"--process-id", "--process-id 2147480000", "no such process"},
	{"--name", "--name no-such-program", "no .NET process has the name no-such-program"},
	{"--diagnostic-port", "--diagnostic-port " + port, ""},
	{"--dport", "--dport " + port, ""},
	{"--dsrouter", "--dsrouter android", "start dotnet-dsrouter android, and record with -p and its PID"},
	{"--buffersize", "--buffersize 64", ""},
	{"--buffersize", "--buffersize 0", "not a size in MB"},
	{"--buffersize", "--buffersize 4294967297", "want 1 to 1048576"},
	{"--output", "--output FILE --force", ""},
	{"--providers", "--providers System.Runtime:0:1:EventCounterIntervalSec=1,My-Source", ""},
	{"--providers", "--providers My-Source:FFFF:LogAlways", ""},
	{"--profile", "--profile dotnet-common,dotnet-sampled-thread-time", ""},
	{"--profile", "--profile gc-verbose", ""},
	{"--profile", "--profile gc-collect", ""},
	{"--profile", "--profile database", ""},
	{"--profile", "--profile cpu-sampling", "use dotnet-common,dotnet-sampled-thread-time"},
	{"--profile", "--profile thread-time", "use dotnet-sampled-thread-time"},
	{"--format", "--format NetTrace", ""},
	{"--format", "--format Speedscope --profile gc-collect", "nothing to show"}, // the trace of the test is empty
	{"--format", "--format Chromium --profile gc-collect", "nothing to show"},
	{"--format", "--format:Speedscope", "the value of a flag follows =: --format=Speedscope"},
	{"--providers", "--providers A:3:5:K=a=b", `put the value between quotes: K="a=b"`},
	{"--duration", "--duration 00:00:00:01", ""},
	{"--duration", "--duration 5", "5 has no unit: want 5s, or 120h"},
	{"--clrevents", "--clrevents gc+exception+allocationsampling", ""},
	{"--clrevents", "--clrevents gc --providers Microsoft-Windows-DotNETRuntime:1:4", "warning: --clrevents has no effect"},
	{"--clreventlevel", "--clrevents gc --clreventlevel verbose", ""},
	{"--clreventlevel", "--clrevents gc --clreventlevel 5", ""},
	{"--clreventlevel", "--profile gc-collect --clreventlevel 5", "warning: --clreventlevel has no effect without --clrevents"},
	{"--show-child-io", "--show-child-io", ""},
	{"--show-child-io", "--show-child-io=false", ""},
	{"--resume-runtime", "--resume-runtime", ""},
	{"--resume-runtime", "--resume-runtime=false", ""},
	{"--resume-runtime", "--resume-runtime:false", "the value of a flag follows =: --resume-runtime=false"},
	{"--resume-runtime", "--resume-runtime false", "the value of a flag that is true or false follows =: --resume-runtime=false"},
	{"--stopping-event-provider-name", "--stopping-event-provider-name My-Source --providers My-Source", ""},
	{"--stopping-event-event-name", "--stopping-event-provider-name Microsoft-Windows-DotNETRuntime --stopping-event-event-name GC/Start --clrevents gc", ""},
	{"--stopping-event-event-name", "--stopping-event-event-name GC/Start", "--stopping-event-provider-name is missing"},
	{"--stopping-event-payload-filter", "--stopping-event-provider-name Microsoft-Windows-DotNETRuntime --stopping-event-event-name GC/Start --stopping-event-payload-filter Depth:2 --clrevents gc", ""},
	{"--stopping-event-payload-filter", "--stopping-event-provider-name A --stopping-event-payload-filter B:2", "--stopping-event-event-name is missing"},
	{"--rundown", "--rundown true", ""},
	{"--rundown", "--rundown false --providers A", ""},
	{"--buffering-mode", "--buffering-mode Drop", ""},
	{"--buffering-mode", "--buffering-mode 0", ""},
	{"--buffering-mode", "--buffering-mode Block", "requires .NET 11 or later"},
	{"--buffering-mode", "--buffering-mode 1", "requires .NET 11 or later"},
	{"--help", "--help", ""},
	{"--help", "-h", ""},
	{"--help", "-?", "--help prints the help"},
}

// TestDotnetTrace: each option of dotnet-trace collect has its effect, or is refused with
// what to use instead.
func TestDotnetTrace(t *testing.T) {
	tier.NeedsCheck(t) // looks at all processes and records for a second
	data := shared.Trace(t, "net10-empty.v4")
	for _, c := range options {
		t.Run(c.args, func(t *testing.T) {
			r := eventpipetest.Start(t, eventpipetest.Config{Trace: eventpipetest.Trace{Data: data}})
			address := r.Address() + ",connect"
			args := strings.ReplaceAll(strings.ReplaceAll(c.args, port, address), "FILE", filepath.Join(t.TempDir(), "f.nettrace"))
			words := append([]string{"collect"}, strings.Fields(args)...)
			if !strings.Contains(args, address) && !strings.Contains(c.args, "2147480000") && !strings.Contains(c.args, "no-such-program") {
				words = append(words, "--port", address)
			}
			if c.option != "--output" {
				words = append(words, "-o", filepath.Join(t.TempDir(), "a.nettrace"))
			}
			if c.option != "--duration" {
				words = append(words, "--duration", "1ms")
			}
			got := programtest.Run(t, nil, words...)
			if c.want == "" {
				got.Exits(t, exit.Done)
				expect.Lacks(t, "stderr", got.Stderr, "warning: --")
				return
			}
			expect.Contains(t, "stderr", got.Stderr, c.want)
		})
	}
}

// TestDotnetTraceOptions: the table has each option in the help of dotnet-trace.
func TestDotnetTraceOptions(t *testing.T) {
	help, err := exec.Command(shared.OtherReader(t), "trace", "collect", "--help").Output()
	if err != nil {
		t.Fatal(err)
	}
	tried := map[string]bool{}
	for _, c := range options {
		tried[c.option] = true
	}
	lines := regexp.MustCompile(`(?m)^  (-.*?)  `).FindAllStringSubmatch(string(help), -1)
	expect.AtLeast(t, "options in the help", len(lines), 18)
	for _, line := range lines {
		for _, name := range regexp.MustCompile(`--[a-z-]+`).FindAllString(line[1], -1) {
			if !tried[name] {
				t.Errorf("%s is not in the table", name)
			}
		}
	}
}
