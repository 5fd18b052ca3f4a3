package deploy_test

import (
	"flag"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	apps "k8s.io/api/apps/v1"
	batch "k8s.io/api/batch/v1"
	core "k8s.io/api/core/v1"

	"github.com/nettrace-go/nettrace/internal/expect"
)

var update = flag.Bool("update", false, "write commands.txt")

const (
	commandsFile = "commands.txt"
	unitFile     = "systemd/nettrace-agent.service"
)

// TestCommands compares commands.txt with the command lines of the manifests and of the
// unit. A test of the program reads that file and parses each line.
func TestCommands(t *testing.T) {
	var got strings.Builder
	for _, args := range [][]string{
		sidecarArgs(t), daemonSetArgs(t), debugArgs(t), jobArgs(t), unitArgs(t),
	} {
		got.WriteString(strings.Join(args, "\t") + "\n")
	}
	if *update {
		expect.NoError(t, os.WriteFile(commandsFile, []byte(got.String()), 0o644))
	}
	want, err := os.ReadFile(commandsFile)
	expect.NoError(t, err)
	expect.Equal(t, "command lines (go test -update writes them)", string(want), got.String())
}

func sidecarArgs(t *testing.T) []string {
	deployment := build(t, "kubernetes/sidecar")["Deployment"].(*apps.Deployment)
	return container(t, deployment.Spec.Template.Spec.Containers, "nettrace").Args
}

func daemonSetArgs(t *testing.T) []string {
	set := build(t, "kubernetes/daemonset")["DaemonSet"].(*apps.DaemonSet)
	return container(t, set.Spec.Template.Spec.Containers, "agent").Args
}

func debugArgs(t *testing.T) []string {
	return decodeFile[*core.Pod](t, "kubernetes/debug/ephemeral.yaml").Spec.EphemeralContainers[0].Args
}

// jobArgs returns the arguments of the first pod.
func jobArgs(t *testing.T) []string {
	job := decodeFile[*batch.Job](t, "kubernetes/summarize/job.yaml")
	args := container(t, job.Spec.Template.Spec.Containers, "summarize").Args
	return strings.Split(strings.ReplaceAll(strings.Join(args, "\t"), "$(JOB_COMPLETION_INDEX)", "0"), "\t")
}

// unitArgs returns the arguments in the unit.
func unitArgs(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile(unitFile)
	expect.NoError(t, err)
	for line := range strings.Lines(string(text)) {
		if command, found := strings.CutPrefix(line, "ExecStart="); found {
			words := strings.Fields(command)
			expect.Equal(t, "program", words[0], "/usr/bin/nettrace")
			return words[1:]
		}
	}
	t.Fatal("the unit has no ExecStart")
	return nil
}

// TestUnit lets systemd check the unit.
func TestUnit(t *testing.T) {
	verify, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Skipf("not checked: %v", err)
	}
	text, err := os.ReadFile(unitFile)
	expect.NoError(t, err)
	self, err := os.Executable() // the program need not be installed
	expect.NoError(t, err)
	path := t.TempDir() + "/nettrace-agent.service"
	unit := strings.ReplaceAll(string(text), "/usr/bin/nettrace", self)
	expect.NoError(t, os.WriteFile(path, []byte(unit), 0o644))
	out, err := exec.Command(verify, "verify", path).CombinedOutput()
	if err != nil || len(out) > 0 {
		t.Errorf("systemd-analyze verify: %v\n%s", err, out)
	}
	for _, capability := range []string{"CAP_SYS_PTRACE", "CAP_DAC_OVERRIDE"} {
		expect.Equal(t, capability+" is in the unit", slices.ContainsFunc(strings.Split(unit, "\n"), func(line string) bool {
			return strings.HasPrefix(line, "CapabilityBoundingSet=") && strings.Contains(line, capability)
		}), true)
	}
}
