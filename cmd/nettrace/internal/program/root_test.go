package program

import (
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestRoot: a command line has the command that it names, and no other one that needs time.
func TestRoot(t *testing.T) {
	for _, g := range groups() {
		for _, c := range g.commands {
			var names []string
			for _, made := range Root(&run.Program{}, []string{c.name}).Commands() {
				names = append(names, made.Name())
			}
			expect.Equal(t, "commands of "+c.name, len(names), 3)
			expect.Contains(t, "commands of "+c.name, " "+names[0]+" "+names[1]+" "+names[2]+" ", " "+c.name+" ", " man ", " version ")
		}
	}
	for _, args := range [][]string{nil, {"--version"}, {"completion", "bash"}} {
		expect.Equal(t, "commands without one", len(Root(&run.Program{}, args).Commands()), 2)
	}
	all := 2
	for _, g := range groups() {
		all += len(g.commands)
	}
	for _, args := range [][]string{{"help", "top"}, {"--help"}, {"man", "out"}, {"__complete", "to"}, {"tpo"}} {
		expect.Equal(t, "commands of "+args[0], len(Root(&run.Program{}, args).Commands()), all)
	}
}
