//go:build linux

package otlp_test

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	pb "github.com/google/pprof/profile"

	"github.com/nettrace-go/nettrace/agent"
	"github.com/nettrace-go/nettrace/agent/delivery"
	"github.com/nettrace-go/nettrace/eventpipe"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
	"github.com/nettrace-go/nettrace/internal/tier"
)

// TestLive profiles a real process until each kind has a profile, sends the profiles to
// the Collector's receiver, and compares their sums with those of the pprof.
func TestLive(t *testing.T) {
	tier.NeedsNightly(t) // profiles a process until all kinds have samples
	const patience = 3 * time.Minute
	c := newCollector(t)
	target := newTarget(t, c.url)
	te := shared.OtherReader(t)
	root, err := exec.Command(te, "path").Output()
	expect.NoError(t, err)
	app := filepath.Join(strings.TrimSpace(string(root)), "apps", "corners", "Corners.dll")
	const mark = "NETTRACE_OTLP_TEST"
	value := strconv.Itoa(os.Getpid())
	cmd := exec.Command(te, "run", app, "loop", "300", "exc", "cpu", "alloc", "lock", "wait")
	cmd.Env = append(os.Environ(), mark+"="+value)
	expect.NoError(t, cmd.Start())
	defer func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}()

	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	var sent []*pb.Profile
	seen := map[agent.Kind]bool{}
	options := agent.Options{Selectors: []eventpipe.Selector{{Environment: map[string]string{mark: value}}}, Every: 2 * time.Second, Sample: time.Second}
	for w, err := range agent.Windows(ctx, options) {
		expect.NoError(t, err)
		if err != nil {
			continue
		}
		var body bytes.Buffer
		expect.NoError(t, w.Pprof.Write(&body))
		labels := map[string]string{"service_name": w.Program(), "pid": strconv.Itoa(w.Process.PID)}
		expect.NoError(t, target.Send(ctx, &delivery.Item{
			ID: w.ID("host"), Kind: w.Kind.String(), Start: w.Start, End: w.End, Labels: labels, Body: body.Bytes(),
		}))
		sent = append(sent, w.Pprof)
		if seen[w.Kind] = true; len(seen) == len(agent.AllKinds()) {
			break
		}
	}
	expect.Equal(t, "kinds", len(seen), len(agent.AllKinds()))
	expect.Len(t, "messages", c.list(), len(sent))
	expect.Stop(t)
	compared := 0
	for i, got := range c.list() {
		pid, _ := got.ResourceProfiles().At(0).Resource().Attributes().Get("process.pid")
		expect.Equal(t, "process.pid", pid.Int(), int64(cmd.Process.Pid))
		for v, one := range got.ResourceProfiles().At(0).ScopeProfiles().At(0).Profiles().All() {
			compared += compare(t, sent[i], v, sumsOf(one, got.Dictionary()))
		}
	}
	t.Logf("%d profiles, %d sums", len(sent), compared)
	expect.AtLeast(t, "compared sums", compared, 50)
}
