//go:build unix

package env_test

import (
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/eventpipe"
	"github.com/nettrace-go/nettrace/eventpipe/eventpipetest"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestEnv prints an environment in all ways, and refuses what is wrong.
func TestEnv(t *testing.T) {
	vars := []string{"PATH=/bin", "DOTNET_A=1", "DOTNET_B=x\ny", "EMPTY="}
	for _, c := range []struct {
		name string
		args []string
		code int
		want string // on standard output, or on standard error
	}{
		{"all", nil, exit.Done, "PATH=/bin\nDOTNET_A=1\nDOTNET_B=x\\u{a}y\nEMPTY=\n"},
		{"pattern", []string{"DOTNET_*", "EMPTY"}, exit.Done, "DOTNET_A=1\nDOTNET_B=x\\u{a}y\nEMPTY=\n"},
		{"json", []string{"--json", "DOTNET_*"}, exit.Done, "{\"DOTNET_A\":\"1\",\"DOTNET_B\":\"x\\ny\"}\n"},
		{"no match", []string{"X*"}, exit.Broken, "no variable has the name X*"},
		{"pattern is wrong", []string{"["}, exit.Usage, "not a pattern"},
		{"set is wrong", []string{"--set", "A"}, exit.Usage, "\"A\" is not NAME=VALUE"},
		{"two processes", []string{"-p", "1"}, exit.Usage, "needs one of"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := eventpipetest.Start(t, eventpipetest.Config{Environment: vars})
			got := programtest.Run(t, nil, append([]string{"env", "--port", r.Address() + ",connect"}, c.args...)...)
			got.Exits(t, c.code)
			if c.code == exit.Done {
				expect.Equal(t, "stdout", got.Out, c.want)
				return
			}
			expect.Contains(t, "stderr", got.Stderr, c.want)
		})
	}
}

// TestSet: the process receives each variable before the query.
func TestSet(t *testing.T) {
	r := eventpipetest.Start(t, eventpipetest.Config{Environment: []string{"A=1"}})
	programtest.Run(t, nil, "env", "--port", r.Address()+",connect", "--set", "A=1", "--set", "B=").Exits(t, exit.Done)
	var commands []eventpipe.Command
	for _, q := range r.Requests() {
		commands = append(commands, q.Command)
	}
	set := eventpipe.SetEnvironmentVariable
	expect.Slices(t, "commands", commands, []eventpipe.Command{eventpipe.GetProcessInfo3, set, set, eventpipe.GetProcessEnvironment})
}

// TestOld: an old runtime does not have the query.
func TestOld(t *testing.T) {
	r := eventpipetest.Start(t, eventpipetest.Config{Release: 5})
	got := programtest.Run(t, nil, "env", "--port", r.Address()+",connect")
	got.Exits(t, exit.Version)
	expect.Contains(t, "stderr", got.Stderr, "requires .NET 6 or later")
}
