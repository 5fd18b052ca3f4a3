//go:build linux

package counters_test

import (
	"bufio"
	"net/http"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/proctest"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestListen lets Prometheus' own parser read what is served while a process is
// watched, and finds the numbers of the table there.
func TestListen(t *testing.T) {
	pid := proctest.StartCorners(t, "loop", "15", "wait")
	cmd := programtest.Process(t, "counters", "-p", strconv.Itoa(pid), "--counters=System.Runtime", "--listen=127.0.0.1:0")
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines, line := bufio.NewReader(stderr), ""
	for !strings.Contains(line, "http://") { // a note about Meters comes first
		if line, err = lines.ReadString('\n'); err != nil {
			t.Fatal(err)
		}
	}
	url := line[strings.Index(line, "http://") : len(line)-1]
	families := map[string]*dto.MetricFamily{}
	for end := time.Now().Add(proctest.Patience / 2); len(families) < 15 && time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		answer, err := http.Get(url)
		if err != nil {
			t.Fatal(err)
		}
		families = parseMetrics(t, answer.Body)
		answer.Body.Close()
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	if n := len(families); n < 15 {
		t.Fatalf("%d families", n)
	}
	cpus := families["dotnet_process_cpu_count"]
	expect.NotZero(t, "cpus", cpus)
	expect.Stop(t)
	expect.Equal(t, "cpus.GetType()", cpus.GetType(), dto.MetricType_GAUGE)
	expect.Equal(t, "cpus.GetMetric()[0].GetGauge().GetValue()", cpus.GetMetric()[0].GetGauge().GetValue(), float64(runtime.NumCPU()))
}
