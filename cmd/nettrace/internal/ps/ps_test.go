//go:build unix

package ps

import (
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/attach"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/choice"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
	"github.com/nettrace-go/nettrace/eventpipe"
)

// TestProcessTable checks the table and the JSON of processes that report all,
// few or no properties.
func TestProcessTable(t *testing.T) {
	list := []attach.Candidate{
		{Process: eventpipe.Process{PID: 7, NSPID: 7, Name: "dotnet", CommandLine: []string{"dotnet", "app.dll", "a b"}, UID: -1, Address: "/tmp/x"},
			Info: &eventpipe.ProcessInfo{EntryAssembly: "app", Version: "10.0.1", OS: "Linux", Architecture: "x64", PortableRID: "linux-x64"}},
		{Process: eventpipe.Process{PID: 8, NSPID: 1, Name: "evil\x1b[2J", UID: -1, Container: strings.Repeat("0f", 32), Address: "/tmp/y"}, Info: &eventpipe.ProcessInfo{}},
		{Process: eventpipe.Process{NSPID: 1, UID: -1, Address: "/tmp/z"}, Info: &eventpipe.ProcessInfo{Version: "3.x"}},
		{Process: eventpipe.Process{PID: 9, NSPID: 9, Name: "none", UID: -1}, Info: &eventpipe.ProcessInfo{},
			Err: &eventpipe.UnreachableError{PID: 9, Reason: eventpipe.Disabled, Detail: "by DOTNET_EnableDiagnostics=0"}},
	}
	for _, c := range []struct {
		format          string
		stdout, problem string
	}{
		{choice.Text, "PID  NAME           RUNTIME  ARCH  USER  CONTAINER        COMMAND\n" +
			"  7  app            10.0.1   x64   -     -                dotnet app.dll a b\n" +
			"  8  evil\\u{1b}[2J  -        -     -     0f0f0f0f0f0f     /tmp/y\n" +
			"  -  -              3.x      -     -     other (1 there)  /tmp/z\n" +
			"  9  none           -        -     -     -                -\n",
			"nettrace: process 9: its diagnostics are turned off: by DOTNET_EnableDiagnostics=0 (start it without that variable)\n"},
		{choice.JSON, `{"pid":7,"nspid":7,"name":"app","version":"10.0.1","os":"Linux","architecture":"x64","rid":"linux-x64","commandLine":"dotnet app.dll a b","port":"/tmp/x"}` + "\n" +
			`{"pid":8,"nspid":1,"name":"evil\u001b[2J","commandLine":"/tmp/y","container":"` + strings.Repeat("0f", 32) + `","port":"/tmp/y"}` + "\n" +
			`{"nspid":1,"version":"3.x","commandLine":"/tmp/z","port":"/tmp/z"}` + "\n" +
			`{"pid":9,"nspid":9,"name":"none","error":"process 9: its diagnostics are turned off: by DOTNET_EnableDiagnostics=0 (start it without that variable)","reason":"its diagnostics are turned off"}` + "\n", ""},
	} {
		t.Run(c.format, func(t *testing.T) {
			var out, problem strings.Builder
			p := &run.Program{Stdout: &out, Stderr: &problem}
			if err := listProcesses(p, list, &options{format: choice.Of(c.format)}); err != nil {
				t.Fatal(err)
			}
			if out.String() != c.stdout || problem.String() != c.problem {
				t.Errorf("printed\n%s\n%s, want\n%s\n%s", out.String(), problem.String(), c.stdout, c.problem)
			}
		})
	}
}
