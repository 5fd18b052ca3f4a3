//go:build linux

package nettracereceiver_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
	"github.com/nettrace-go/nettrace/internal/tier"
)

// started runs a program and returns it with the lines that it prints. It is killed at the end of the test.
func started(t *testing.T, lines func(*exec.Cmd) (io.ReadCloser, error), cmd *exec.Cmd) *bufio.Scanner {
	t.Helper()
	out, err := lines(cmd)
	expect.NoError(t, err)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	expect.NoError(t, cmd.Start())
	expect.Stop(t)
	t.Cleanup(func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL); _ = cmd.Wait() })
	return bufio.NewScanner(out)
}

// until reads lines up to one that has a text, and returns it.
func until(t *testing.T, lines *bufio.Scanner, text string) string {
	t.Helper()
	for lines.Scan() {
		if strings.Contains(lines.Text(), text) {
			return lines.Text()
		}
	}
	t.Fatalf("no line has %q", text)
	return ""
}

const collectorConfig = `
receivers:
  nettrace:
    processes:
      - environment: {NETTRACE_COLLECTOR_TEST: "MARK"}
    collection_interval: 1s
exporters:
  file: {path: FILE}
service:
  telemetry: {metrics: {level: none}}
  pipelines:
    metrics: {receivers: [nettrace], exporters: [file]}
    logs: {receivers: [nettrace], exporters: [file]}
    traces: {receivers: [nettrace], exporters: [file]}
`

// TestCollector builds a Collector by its builder, and compares what it gets from a web server on .NET 11, under the load of a client on .NET 10, with
// what the server wrote down.
func TestCollector(t *testing.T) {
	tier.NeedsNightly(t) // compiles a Collector
	te, apps, dir := shared.OtherReader(t), filepath.Join(shared.Dir(t), "aspnet", "bin"), t.TempDir()
	root, err := filepath.Abs("../..")
	expect.NoError(t, err)
	build := exec.Command("make", "-C", root, "collector")
	build.Env = append(os.Environ(), "GOWORK=off", "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	mark := strconv.Itoa(os.Getpid())
	output, truth := filepath.Join(dir, "out.json"), filepath.Join(dir, "server.ndjson")
	config := filepath.Join(dir, "config.yaml")
	expect.NoError(t, os.WriteFile(config, []byte(strings.NewReplacer("MARK", mark, "FILE", output).Replace(collectorConfig)), 0o666))
	marked := append(os.Environ(), "NETTRACE_COLLECTOR_TEST="+mark)

	server := exec.Command(te, "run11", filepath.Join(apps, "11a", "shop.dll"), "18410", truth)
	server.Env = marked
	_, pid, _ := strings.Cut(until(t, started(t, (*exec.Cmd).StdoutPipe, server), "ready"), " ")
	collector := exec.Command(filepath.Join(root, "bin", "collector", "nettrace-collector"), "--config", config)
	logLines := started(t, (*exec.Cmd).StderrPipe, collector)
	until(t, logLines, `"process.pid": `+pid)

	client := exec.Command(te, "run", filepath.Join(apps, "client", "client.dll"), "18410", "77", "mix", filepath.Join(dir, "client.ndjson"), "60")
	client.Env = marked
	input, err := client.StdinPipe()
	expect.NoError(t, err)
	clientLines := started(t, (*exec.Cmd).StdoutPipe, client)
	until(t, clientLines, "warm")
	until(t, logLines, `"process.runtime.version": "10.`)
	_, _ = io.WriteString(input, "go\n")
	until(t, clientLines, "done")
	_, _ = io.WriteString(input, "stop\n")
	expect.NoError(t, client.Wait())
	number, err := strconv.Atoi(pid)
	expect.NoError(t, err)
	expect.NoError(t, syscall.Kill(number, syscall.SIGTERM))
	_ = server.Wait()
	expect.NoError(t, collector.Process.Signal(os.Interrupt))
	rest := ""
	for logLines.Scan() {
		rest += logLines.Text() + "\n"
	}
	expect.NoError(t, collector.Wait())
	expect.Lacks(t, "log of the Collector", rest, "dropped", "refused", "lost")
	compareWithTruth(t, output, truth)
}

// compareWithTruth compares the messages in the file of a Collector with what a server wrote down.
func compareWithTruth(t *testing.T, output, truth string) {
	t.Helper()
	messages, err := os.ReadFile(output)
	expect.NoError(t, err)
	spans, finished, metrics := map[string]ptrace.Span{}, map[string]int{}, map[string]map[string]bool{}
	for line := range bytes.Lines(messages) {
		if m, err := (&ptrace.JSONUnmarshaler{}).UnmarshalTraces(line); err == nil {
			for _, of := range m.ResourceSpans().All() {
				for _, scope := range of.ScopeSpans().All() {
					for _, s := range scope.Spans().All() {
						spans[s.SpanID().String()] = s
					}
				}
			}
		}
		if m, err := (&plog.JSONUnmarshaler{}).UnmarshalLogs(line); err == nil {
			for _, of := range m.ResourceLogs().All() {
				for _, scope := range of.ScopeLogs().All() {
					for _, r := range scope.LogRecords().All() {
						expect.Equal(t, "body", r.Body().AsString(), "")
						if id, _ := r.Attributes().Get("dotnet.log.event.id"); scope.Scope().Name() == "Microsoft.AspNetCore.Hosting.Diagnostics" && id.Int() == 2 {
							finished[r.SpanID().String()]++
						}
					}
				}
			}
		}
		if m, err := (&pmetric.JSONUnmarshaler{}).UnmarshalMetrics(line); err == nil {
			for _, of := range m.ResourceMetrics().All() {
				version, _ := of.Resource().Attributes().Get("process.runtime.version")
				major, _, _ := strings.Cut(version.Str(), ".")
				if metrics[major] == nil {
					metrics[major] = map[string]bool{}
				}
				for _, scope := range of.ScopeMetrics().All() {
					for _, one := range scope.Metrics().All() {
						metrics[major][one.Name()] = true
					}
				}
			}
		}
	}
	text, err := os.ReadFile(truth)
	expect.NoError(t, err)
	requests := 0
	for line := range bytes.Lines(text) {
		var want request
		expect.NoError(t, json.Unmarshal(line, &want))
		if want.Type != "request" {
			continue
		}
		requests++
		s, ok := spans[want.SpanID]
		if !ok {
			t.Errorf("%s %s has no span", want.Method, want.Path)
			continue
		}
		expect.Equal(t, "trace", s.TraceID().String(), want.TraceID)
		expect.Equal(t, "parent", strings.TrimLeft(s.ParentSpanID().String(), "0"), strings.TrimLeft(want.ParentSpanID, "0"))
		route, _ := s.Attributes().Get("http.route")
		expect.Equal(t, "route", strings.TrimPrefix(route.Str(), "/"), strings.TrimPrefix(want.Route, "/"))
		if status, _ := s.Attributes().Get("http.response.status_code"); !want.Aborted {
			expect.Equal(t, "status of "+want.Path, status.Int(), want.Status)
		}
		expect.Equal(t, "records of the end of "+want.Path, finished[want.SpanID], 1)
	}
	t.Logf("%d requests of the truth, %d spans, %d metrics of .NET 11, %d of .NET 10", requests, len(spans), len(metrics["11"]), len(metrics["10"]))
	expect.AtLeast(t, "requests", requests, 200)
	for _, major := range []string{"10", "11"} {
		for _, name := range []string{"dotnet.process.cpu.time", "dotnet.gc.collections", "dotnet.exceptions"} {
			expect.Equal(t, name+" of "+major, metrics[major][name], true)
		}
	}
}
