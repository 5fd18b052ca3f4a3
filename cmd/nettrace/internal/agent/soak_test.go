//go:build linux

package agent_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/proctest"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/tier"
)

// TestLiveSoak profiles 8 processes for 30 minutes with three targets: one is down for a sixth of the time, one answers 429 and 500, and
// one stores a profile and then closes the connection. Every profile arrives at each
// target or is counted as dropped.
func TestLiveSoak(t *testing.T) {
	tier.NeedsNightly(t) // profiles for 30 minutes
	const length = 30 * time.Minute
	const processes = 8
	servers := [3]*pyroscope{
		{},
		{answer: func(n int64) int {
			return []int{http.StatusOK, http.StatusTooManyRequests, http.StatusOK, http.StatusInternalServerError}[n%4]
		}},
		{answer: func(n int64) int {
			if n%5 == 0 {
				return 0
			}
			return http.StatusOK
		}},
	}
	value := fmt.Sprint(os.Getpid(), "-soak")
	text := fmt.Sprintf("processes: [{env: {%s: %q}}]\nlisten: 127.0.0.1:0\nadmin: %s\ntargets:\n", mark, value, freeAddress(t))
	var first *httptest.Server // that is down for a time
	for i, s := range servers {
		s.small = true
		web := httptest.NewServer(s)
		defer web.Close()
		if i == 0 {
			first = web
		}
		text += fmt.Sprintf("- {type: pyroscope, name: target%d, url: %q, max_backoff_period: 10s}\n", i, web.URL)
	}
	path := filepath.Join(t.TempDir(), "agent.yaml")
	expect.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	for range processes {
		proctest.RunCorners(t, []string{mark + "=" + value}, "loop", strconv.Itoa(int(length.Seconds())+600), "exc", "wait", "lock")
	}
	var printed strings.Builder
	program := exec.CommandContext(t.Context(), programtest.Build(t, "CGO_ENABLED=0"), "agent", "--config", path)
	cmd := start(t, program, &printed)
	begun := time.Now()
	memory := watchMemory(cmd.Process.Pid)
	time.Sleep(length / 3)
	first.Close()
	time.Sleep(length / 6)
	again, err := net.Listen("tcp", first.Listener.Addr().String())
	expect.NoError(t, err)
	web := &http.Server{Handler: servers[0], ReadHeaderTimeout: time.Minute}
	defer web.Close()
	go func() { _ = web.Serve(again) }() // until Close
	time.Sleep(time.Until(begun.Add(length)))
	meanPrivate, peakPrivate := memory()
	peak, err := proctest.HighWater(cmd.Process.Pid)
	expect.NoError(t, err)
	address := strings.TrimSpace(strings.SplitN(strings.SplitN(text, "admin: ", 2)[1], "\n", 2)[0])
	samples := metric(t, "http://"+address+"/metrics", "nettrace_agent_samples_total", "kind")
	made := sum(metric(t, "http://"+address+"/metrics", "nettrace_agent_profiles_total", "kind"))
	expect.NoError(t, cmd.Process.Signal(syscall.SIGTERM))
	expect.NoError(t, cmd.Wait())

	all, windows := map[string]bool{}, map[string]bool{}
	for _, s := range servers {
		expect.NoError(t, s.errors())
		for _, p := range s.list() {
			all[p.id] = true
			windows[fmt.Sprint(p.labels["pid"], p.labels["__name__"], p.start)] = true
		}
	}
	expect.Equal(t, "ids", len(all), len(windows))
	for i, s := range servers {
		ids := map[string]int{}
		for _, p := range s.list() {
			ids[p.id]++
		}
		missing := int64(0)
		for id := range all {
			if ids[id] == 0 {
				missing++
			}
		}
		lost := droppedAt(printed.String(), i)
		t.Logf("target %d: %d requests, %d stored, %d by id, %d missing, %d counted as dropped", i, s.requests.Load(), len(s.list()), len(ids), missing, lost)
		expect.AtMost(t, fmt.Sprintf("missing at target %d", i), missing, lost)
		expect.AtLeast(t, fmt.Sprintf("stored at target %d or dropped", i), int64(len(ids))+lost, made)
	}
	cpu := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	per := func(n int64) time.Duration { return (cpu * 1000 / time.Duration(max(n, 1))).Round(time.Microsecond) }
	t.Logf("%v, %d processes, %d profiles of %d made before the end; memory: peak %d kB, without files peak %d kB, mean %d kB",
		length, processes, len(all), made, peak, peakPrivate, meanPrivate)
	t.Logf("processor time %v (%.2f %% of one); for 1,000 samples of stacks %v, for 1,000 samples of all kinds %v",
		cpu, 100*cpu.Seconds()/time.Since(begun).Seconds(), per(samples["wall"]), per(sum(samples)))
	expect.AtLeast(t, "profiles", len(all), processes*2*int(length/(12*time.Second)))
	expect.AtMost(t, "peak memory in kB", peak, 64_000)
}

// watchMemory reads the memory of a process that no file holds once a second until the
// returned function is called, which returns the mean and the peak in kB.
func watchMemory(pid int) (result func() (mean, peak int64)) {
	quit, done := make(chan struct{}), make(chan [2]int64)
	go func() {
		var total, peak, n int64
		for tick := time.NewTicker(time.Second); ; {
			if private, err := proctest.Private(pid); err == nil {
				total, peak, n = total+private, max(peak, private), n+1
			}
			select {
			case <-tick.C:
			case <-quit:
				tick.Stop()
				done <- [2]int64{total / max(n, 1), peak}
				return
			}
		}
	}()
	return func() (int64, int64) {
		close(quit)
		r := <-done
		return r[0], r[1]
	}
}

func sum(list map[string]int64) (n int64) {
	for _, v := range list {
		n += v
	}
	return n
}

// droppedAt returns the number of profiles that the agent has printed as dropped, at
// its end too, when its metrics cannot be read any more.
func droppedAt(printed string, target int) (sum int64) {
	for line := range strings.Lines(printed) {
		rest, ok := strings.CutPrefix(line, fmt.Sprintf("nettrace: target target%d: ", target))
		if ok && strings.Contains(rest, " profiles were dropped: ") {
			count, _, _ := strings.Cut(rest, " ")
			n, _ := strconv.ParseInt(count, 10, 64)
			sum += n
		}
	}
	return sum
}

// freeAddress returns a local address that nobody listened to a moment ago.
func freeAddress(t *testing.T) string {
	t.Helper()
	web := httptest.NewServer(http.NotFoundHandler())
	defer web.Close()
	return web.Listener.Addr().String()
}

// metric returns the sums of a metric by a label.
func metric(t *testing.T, url, name, label string) map[string]int64 {
	t.Helper()
	r, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	expect.NoError(t, err)
	sums := map[string]int64{}
	for line := range strings.Lines(string(text)) {
		if !strings.HasPrefix(line, name+"{") {
			continue
		}
		_, rest, _ := strings.Cut(line, label+`="`)
		value, _, _ := strings.Cut(rest, `"`)
		fields := strings.Fields(line)
		n, err := strconv.ParseFloat(fields[len(fields)-1], 64)
		expect.NoError(t, err)
		sums[value] += int64(n)
	}
	return sums
}
