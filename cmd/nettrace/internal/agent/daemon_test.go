package agent

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	pb "github.com/google/pprof/profile"

	core "github.com/nettrace-go/nettrace/agent"
	"github.com/nettrace-go/nettrace/agent/config"
	"github.com/nettrace-go/nettrace/agent/delivery"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/attach"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/proctest"
	"github.com/nettrace-go/nettrace/codec/clr/counters"
	"github.com/nettrace-go/nettrace/eventpipe"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// lines keeps what a daemon prints.
type lines struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *lines) say(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	fmt.Fprintf(&l.text, format+"\n", args...)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// parse returns a configuration that no process matches.
func parse(t *testing.T, text string) *config.Config {
	t.Helper()
	c, err := config.Parse([]byte("processes: [{name: no-such-program, service_name: shop}]\nadmin: 127.0.0.1:0\n" + text))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestSay: text of processes and servers makes one line without control characters, and
// without the names of packages.
func TestSay(t *testing.T) {
	var out lines
	say := newDaemon(&standard, out.say).say
	say("%s: %v", "a\x1b[2J", errors.New("b\nc"))
	say("%v", &core.ProcessError{Process: eventpipe.Process{Name: "shop", PID: 7}, Err: errors.New("d")})
	expect.Equal(t, "lines", out.String(), `a\u{1b}[2J: b\u{a}c`+"\nshop (PID 7): d\n")
}

// applied returns a daemon that uses a configuration until the end of the test.
func applied(t *testing.T, text string) (*daemon, *lines) {
	t.Helper()
	var out lines
	d := newDaemon(&standard, out.say)
	if err := d.apply(parse(t, text)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.stop)
	return d, &out
}

func get(t *testing.T, e *endpoint, path string) (int, string) {
	t.Helper()
	r, err := http.Get(e.url(path))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	text, _ := io.ReadAll(r.Body)
	return r.StatusCode, string(text)
}

// process is one that a test reports to the handler.
var process = eventpipe.Process{PID: 4711, Name: "dotnet", Address: "/tmp/dotnet-diagnostic-4711-1-socket", Container: "c1"}

var info = &eventpipe.ProcessInfo{EntryAssembly: "shop", Version: "10.0.1"}

// value is a value of a counter.
func value(v float64) *counters.Message {
	return &counters.Message{Kind: counters.Measurement, Value: counters.Value{
		Source: counters.Meters, Type: counters.Gauge, Provider: "System.Runtime", Name: "queue", Tags: "name=a",
		Value: counters.Number{Float64: v, Valid: true},
	}}
}

// TestMetrics: the counters of a process have its labels, and are in one further
// answer after its end.
func TestMetrics(t *testing.T) {
	d, out := applied(t, "listen: 127.0.0.1:0")
	h := d.handler
	h.Attached(&process, info)
	h.Counter(&process, value(3))
	const series = `queue{container_id="c1",exported_name="a",name="shop",otel_scope_name="System.Runtime",pid="4711",pod_uid=""} 3`
	const up = `nettrace_process_up{container_id="c1",name="shop",pid="4711",pod_uid=""} `
	_, text := get(t, d.public, "/metrics")
	expect.Contains(t, "answer", text, series, up+"1")
	h.Ended(&process)
	h.Counter(&process, value(4))
	_, text = get(t, d.public, "/metrics")
	expect.Contains(t, "answer after the end", text, series, up+"0")
	_, text = get(t, d.public, "/metrics")
	expect.Lacks(t, "next answer", text, "4711")
	expect.Contains(t, "messages", out.String(), "shop (PID 4711): attached, .NET 10.0.1", "shop (PID 4711): the agent has left")
}

// TestMetricsOfHostileProcess: names that Prometheus does not accept change no other
// series.
func TestMetricsOfHostileProcess(t *testing.T) {
	d, _ := applied(t, "listen: 127.0.0.1:0")
	hostile := process
	hostile.Name, hostile.Address = "a\xff", "other"
	d.handler.Attached(&hostile, &eventpipe.ProcessInfo{})
	m := value(3)
	m.Value.Tags = "pid=1,exported_pid=2"
	d.handler.Counter(&hostile, m)
	d.handler.Attached(&process, info)
	d.handler.Counter(&process, value(4))
	status, text := get(t, d.public, "/metrics")
	expect.Equal(t, "status", status, 200)
	expect.Contains(t, "answer", text, `exported_exported_pid="1",exported_pid="2",name="a�"`, `exported_name="a",name="shop"`)
}

// TestDetached: a process without sessions is not up, and its counters are in one
// further answer, until the agent attaches again.
func TestDetached(t *testing.T) {
	d, _ := applied(t, "listen: 127.0.0.1:0")
	h := d.handler
	h.Attached(&process, info)
	h.Counter(&process, value(3))
	h.Detached(&process)
	const up = `nettrace_process_up{container_id="c1",name="shop",pid="4711",pod_uid=""} `
	expect.Equal(t, "processes with sessions", h.series.running(), 0)
	_, text := get(t, d.public, "/metrics")
	expect.Contains(t, "first answer", text, up+"0", "queue{")
	_, text = get(t, d.public, "/metrics")
	expect.Contains(t, "second answer", text, up+"0")
	expect.Lacks(t, "second answer", text, "queue{")
	h.Attached(&process, info)
	_, text = get(t, d.public, "/metrics")
	expect.Contains(t, "answer when it is attached again", text, up+"1")
	h.Detached(&process)
	h.Ended(&process)
	get(t, d.public, "/metrics")
	_, text = get(t, d.public, "/metrics")
	expect.Lacks(t, "answer after the end", text, "4711")
}

// TestManyEnded: processes that ended do not fill the memory if nobody asks for
// metrics.
func TestManyEnded(t *testing.T) {
	s := &series{list: map[string]*counted{}}
	for n := range 1000 {
		p := eventpipe.Process{PID: n, Address: fmt.Sprint(n)}
		s.begin(&p, nil)
		s.end(&p)
	}
	expect.AtMost(t, "processes", len(s.list), maxEnded)
}

// TestAdmin: the second port serves the state of the agent.
func TestAdmin(t *testing.T) {
	d, _ := applied(t, "targets: [{type: files, path: "+t.TempDir()+"}]")
	for path, want := range map[string]int{"/healthz": 200, "/readyz": 503, "/debug/pprof/heap": 200, "/debug/pprof/none": 404, "/other": 404} {
		status, _ := get(t, d.admin, path)
		expect.Equal(t, "status of "+path, status, want)
	}
	d.ready.Store(true)
	status, _ := get(t, d.admin, "/readyz")
	expect.Equal(t, "status of /readyz when ready", status, 200)
	_, text := get(t, d.admin, "/metrics")
	expect.Contains(t, "metrics", text, `nettrace_agent_sent_total{target="files-1"} 0`, "nettrace_agent_config_last_reload_successful 1", "process_cpu_seconds_total")
}

// window is a profile with one sample.
func window(n int) *core.Window {
	f := &pb.Function{ID: 1, Name: "Shop.Main"}
	l := &pb.Location{ID: 1, Line: []pb.Line{{Function: f}}}
	return &core.Window{Process: process, Info: info, Start: time.Unix(int64(10*n), 0), Pprof: &pb.Profile{
		SampleType: []*pb.ValueType{{Type: "wall", Unit: "nanoseconds"}}, Function: []*pb.Function{f}, Location: []*pb.Location{l},
		Sample: []*pb.Sample{{Location: []*pb.Location{l}, Value: []int64{1}}},
	}}
}

// setReceivers makes a daemon use other receivers, and stops none.
func setReceivers(d *daemon, list []*receiver) {
	_ = d.handler.hand(d.config, list, func() error { return nil }) // which has no error
}

// TestReload: a configuration with an error changes nothing; one without replaces
// receivers and addresses, and keeps those that are the same.
func TestReload(t *testing.T) {
	folder := t.TempDir()
	first := "targets: [{type: files, path: " + folder + "/a}, {type: files, path: " + folder + "/b}]"
	path := filepath.Join(folder, "agent.yaml")
	write := func(text string) {
		expect.NoError(t, os.WriteFile(path, []byte("processes: [{name: no-such-program, service_name: shop}]\nadmin: 127.0.0.1:0\n"+text), 0o600))
	}
	d, out := applied(t, first)
	o := &options{config: path, variant: standard}
	receivers, admin, profiling := d.handler.current(), d.admin, d.ended

	blocked := filepath.Join(folder, "file")
	expect.NoError(t, os.WriteFile(blocked, nil, 0o600))
	for _, bad := range []string{
		"every: soon",
		"targets: [{type: files, path: " + blocked + "/a}]",
		"listen: 256.0.0.1:1\n" + first,
		"targets: [{type: pyroscope, url: http://a, tls_config: {ca_file: missing}}]",
	} {
		write(bad)
		d.reload(o)
		expect.Slices(t, "receivers after "+bad, d.handler.current(), receivers)
		expect.Equal(t, "address after "+bad, d.admin, admin)
		expect.Equal(t, "profiling goes on after "+bad, d.ended, profiling)
	}
	expect.Equal(t, "messages that the configuration stays", strings.Count(out.String(), "the configuration in use stays"), 4)
	_, text := get(t, d.admin, "/metrics")
	expect.Contains(t, "metrics", text, "nettrace_agent_config_last_reload_successful 0", "nettrace_agent_config_reload_failures_total 4")

	write("external_labels: {cluster: eu}\ntargets: [{type: files, path: " + folder + "/b, name: files-2}, {type: files, path: " + folder + "/c, name: c}]\n")
	d.reload(o)
	next := d.handler.current()
	expect.Equal(t, "receiver that stays", next[0], receivers[1])
	expect.Equal(t, "new receiver", next[1].target.Name, "c")
	expect.Equal(t, "profiling goes on", d.ended, profiling)
	d.handler.Window(window(1))
	stopAll(next)
	for _, dir := range []string{"b", "c"} {
		list, err := os.ReadDir(filepath.Join(folder, dir))
		expect.NoError(t, err)
		expect.Len(t, "profiles in "+dir, list, 1)
	}
	write("every: 20s\n" + first)
	setReceivers(d, nil) // the others were stopped
	d.reload(o)
	expect.Equal(t, "profiling begins again", d.ended != profiling, true)
}

// TestWindow: what an item has.
func TestWindow(t *testing.T) {
	got := &keeper{}
	d, _ := applied(t, "external_labels: {cluster: eu}\nlisten: 127.0.0.1:0")
	q, err := delivery.New(got, delivery.Options{})
	expect.NoError(t, err)
	setReceivers(d, []*receiver{{queue: q}})
	d.handler.Window(window(1))
	setReceivers(d, nil)
	q.Drain(t.Context())
	expect.Len(t, "items", got.items, 1)
	item := got.items[0]
	expect.Equal(t, "kind", item.Kind, "wall")
	for name, want := range map[string]string{"service_name": "shop", "name": "shop", "pid": "4711", "container_id": "c1", "cluster": "eu"} {
		expect.Equal(t, "label "+name, item.Labels[name], want)
	}
	z, err := gzip.NewReader(bytes.NewReader(item.Body))
	expect.NoError(t, err)
	p, err := pb.Parse(z)
	expect.NoError(t, err)
	expect.Equal(t, "function", p.Function[0].Name, "Shop.Main")
}

// keeper is a target that keeps items.
type keeper struct{ items []*delivery.Item }

func (k *keeper) Send(_ context.Context, item *delivery.Item) error {
	k.items = append(k.items, item)
	return nil
}

// TestChanges: a target that fails, that accepts again, and profiles that were
// dropped are reported once.
func TestChanges(t *testing.T) {
	failing := &script{err: fmt.Errorf("connection refused")}
	q, err := delivery.New(failing, delivery.Options{MaxBytes: 2000})
	expect.NoError(t, err)
	r := &receiver{target: config.Target{Name: "main", Type: config.Files}, queue: q}
	q.Add(&delivery.Item{ID: "1", Body: make([]byte, 1000)})
	ctx, cancel := context.WithCancel(t.Context())
	failing.then = cancel // after the first attempt
	q.Run(ctx)
	expect.Slices(t, "lines", r.changes(), []string{"target main: connection refused; 1 profiles wait"})
	q.Add(&delivery.Item{ID: "2", Body: make([]byte, 1000)})
	expect.Slices(t, "lines when full", r.changes(), []string{"target main: 1 profiles were dropped: queue_full"})
	failing.err = nil
	q.Drain(t.Context())
	expect.Slices(t, "lines when it accepts", r.changes(), []string{"target main accepts profiles again"})
	expect.Len(t, "lines without a change", r.changes(), 0)
}

type script struct {
	err  error
	then func()
}

func (s *script) Send(context.Context, *delivery.Item) error {
	s.then()
	return s.err
}

// TestOtherFailure: a target that begins to fail for another reason is reported, and
// so is a warning, once.
func TestOtherFailure(t *testing.T) {
	target := &script{}
	q, err := delivery.New(target, delivery.Options{})
	expect.NoError(t, err)
	r := &receiver{target: config.Target{Name: "main"}, queue: q}
	for _, c := range []struct {
		name string
		err  error
		want []string
	}{
		{"no connection", fmt.Errorf("connection refused"), []string{"target main: connection refused; 1 profiles wait"}},
		{"another text", fmt.Errorf("port 4711: connection refused"), nil},
		{"refused", &delivery.StatusError{Status: 404}, []string{"target main: the server answers 404 Not Found; 0 profiles wait", "target main: 1 profiles were dropped: refused"}},
		{"warning", &delivery.Warning{Text: "one of two"}, []string{"target main accepts profiles again", "target main accepts profiles with a warning: one of two"}},
		{"same warning", &delivery.Warning{Text: "one of two"}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			if q.Stats().Waiting == 0 {
				q.Add(&delivery.Item{ID: "1"})
			}
			ctx, cancel := context.WithCancel(t.Context())
			target.err, target.then = c.err, cancel
			q.Run(ctx)
			expect.Slices(t, "lines", r.changes(), c.want)
		})
	}
}

// TestProblems: the same problem of a process is printed once in an hour, and counted each
// time.
func TestProblems(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out lines
		d := newDaemon(&standard, out.say)
		other := eventpipe.Process{PID: 5, Name: "other", Address: "other"}
		problem := func(p *eventpipe.Process, text string) {
			d.handler.Problem(p, &core.ProcessError{Process: *p, Err: errors.New("eventpipe: " + text)})
		}
		for range 10 {
			problem(&process, "a")
			problem(&other, "b")
		}
		problem(&process, "c")
		time.Sleep(repeatTime)
		problem(&process, "c")
		expect.Equal(t, "lines", out.String(), "dotnet (PID 4711): a\nother (PID 5): b\ndotnet (PID 4711): c\ndotnet (PID 4711): c\n")
		expect.Equal(t, "problems", d.handler.problems, 22)
		before := out.String()
		for n := range 5 { // windows with the same two problems
			problem(&process, fmt.Sprintf("dropped %d events", 1000*n))
			problem(&process, "the first events are missing")
		}
		expect.Equal(t, "lines of two problems", strings.TrimPrefix(out.String(), before), "dotnet (PID 4711): dropped 0 events\ndotnet (PID 4711): the first events are missing\n")
		for n := range 10 * maxPrinted {
			problem(&process, strings.Repeat("x", n))
		}
		expect.AtMost(t, "kept problems of a process", len(d.handler.printed[process.Address]), maxPrinted)
		d.handler.Ended(&process)
		d.handler.Ended(&other)
		expect.Equal(t, "kept problems", len(d.handler.printed), 0)
	})
}

// TestUnreachable: processes that are selected and cannot be reached are printed once, and
// are in the metrics until they can be reached or have ended.
func TestUnreachable(t *testing.T) {
	d, out := applied(t, "listen: 127.0.0.1:0")
	h := d.handler
	unreachable := func(pid int, name string, reason eventpipe.Reason) eventpipe.Process {
		return eventpipe.Process{PID: pid, Name: name, Err: &eventpipe.UnreachableError{PID: pid, Reason: reason}}
	}
	const name = "no-such-program" // which the configuration selects
	list := []eventpipe.Process{
		unreachable(1, name, eventpipe.OtherNamespace), unreachable(2, name, eventpipe.NoSocket), unreachable(3, "other", eventpipe.OtherNamespace),
	}
	before := out.String()
	const metric = "nettrace_agent_unreachable_processes{reason="
	const inNamespace, withoutPort, denied = metric + `"it is in another namespace"} 1`, metric + `"its diagnostics port does not exist"} 1`, metric + `"permission denied"} 1`
	check := func(what string, want, unwanted []string) {
		t.Helper()
		_, text := get(t, d.admin, "/metrics")
		expect.Contains(t, what, text, want...)
		expect.Lacks(t, what, text, unwanted...)
	}
	h.survey(list)
	check("metrics when a process may be starting", []string{inNamespace}, []string{withoutPort})
	h.survey(list)
	h.survey(list)
	check("metrics after it has been without a port for some time", []string{inNamespace, withoutPort}, nil)
	got := strings.TrimPrefix(out.String(), before)
	expect.Equal(t, "lines", strings.Count(got, "\n"), 2)
	expect.Contains(t, "messages", got, "no-such-program (PID 1): not profiled: process 1: it is in another namespace", "no-such-program (PID 2): not profiled: ")

	for range 3 {
		h.Problem(&process, &core.ProcessError{Process: process, Err: &eventpipe.UnreachableError{PID: 4711, Reason: eventpipe.PermissionDenied}})
	}
	check("metrics with a port of another user", []string{inNamespace, withoutPort, denied}, nil)
	h.Attached(&process, info)
	check("metrics when it is attached", []string{inNamespace}, []string{denied})
	h.Problem(&process, &eventpipe.UnreachableError{PID: 4711, Reason: eventpipe.PermissionDenied}) // of one session
	check("metrics when it is attached and has a problem", []string{inNamespace}, []string{denied})
	h.Detached(&process)
	h.Problem(&process, &eventpipe.UnreachableError{PID: 4711, Reason: eventpipe.PermissionDenied})
	h.Ended(&process)
	h.survey(nil)
	check("metrics at the end", nil, []string{metric})
}

// TestLabelsOfHostileProcess: the labels of profiles are UTF-8, which receivers demand.
func TestLabelsOfHostileProcess(t *testing.T) {
	d, _ := applied(t, "listen: 127.0.0.1:0")
	hostile := process
	hostile.Name = "a\xffb"
	labels := d.handler.labels(&hostile, nil)
	expect.Equal(t, "name", labels["name"], "a\uFFFDb")
	expect.Equal(t, "service_name", labels["service_name"], "a\uFFFDb")
}

// TestDecide: why a process is profiled or not.
func TestDecide(t *testing.T) {
	c := attach.Candidate{Process: eventpipe.Process{PID: 1, Name: "shop", CommandLine: []string{"shop", "--port", "80"}}, Info: &eventpipe.ProcessInfo{}}
	unreachable := c
	unreachable.Err = fmt.Errorf("no permission")
	for _, one := range []struct {
		name      string
		processes string
		candidate *attach.Candidate
		want      decision
	}{
		{"name", "[{name: sh*}]", &c, decision{true, "shop", "entry 1 matches"}},
		{"second entry", "[{name: other}, {command_line: port 80, service_name: web}]", &c, decision{true, "web", "entry 2 matches"}},
		{"unreachable", "[{name: shop}]", &unreachable, decision{false, "shop", "entry 1 matches, but no permission"}},
		{"other name", "[{name: other}]", &c, decision{false, "", "the name is not other"}},
		{"no entry", "[{name: other}, {container_id: ab}]", &c, decision{false, "", "entry 1: the name is not other; entry 2: the container is none or unknown"}},
		{"command line", "[{command_line: port 81}]", &c, decision{false, "", "the command line does not match port 81"}},
		{"pod", "[{pod_uid: x}]", &c, decision{false, "", "the pod is none or unknown"}},
		{"variable", "[{env: {A: b}}]", &c, decision{false, "", "the variable A is not b, or cannot be read"}},
	} {
		t.Run(one.name, func(t *testing.T) {
			cfg, err := config.Parse([]byte("listen: :1\nprocesses: " + one.processes))
			expect.NoError(t, err)
			expect.Equal(t, "decision", decide(cfg.Processes, one.candidate), one.want)
		})
	}
}

// TestReloadErrors: each error of a configuration is a line, in other programs too.
func TestReloadErrors(t *testing.T) {
	for _, name := range []string{"nettrace agent", "other-agent"} {
		t.Run(name, func(t *testing.T) {
			d, out := applied(t, "targets: [{type: files, path: "+t.TempDir()+"}]")
			before := out.String()
			path := filepath.Join(t.TempDir(), "agent.yaml")
			expect.NoError(t, os.WriteFile(path, []byte("processes: [{nam: a}]\nevery: soon\n"), 0o600))
			d.reload(&options{config: path, variant: Variant{Name: name}})
			got := strings.Split(strings.TrimPrefix(out.String(), before), "\n")
			expect.Len(t, "lines", got, 4) // the last one is empty
			expect.Stop(t)
			expect.Equal(t, "first line", got[0], path+`: line 1: unknown key "nam"`)
			expect.Contains(t, "second line", got[1], path+": line 2: ")
		})
	}
}

// TestReloadCounts: a new configuration loses no profile: those that a target without a
// place in it did not accept are counted as dropped and printed, and a queue in a folder
// goes on with the settings of the new one.
func TestReloadCounts(t *testing.T) {
	refusing := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "not now", http.StatusServiceUnavailable)
	}))
	defer refusing.Close()
	var accepted atomic.Int64
	web := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { accepted.Add(1) }))
	defer web.Close()
	queue := t.TempDir()
	target := func(name, url, more string) string {
		return fmt.Sprintf("targets: [{type: pyroscope, name: %s, url: %q%s}]\n", name, url, more)
	}

	d, out := applied(t, target("a", refusing.URL, ""))
	d.handler.Window(window(1))
	expect.NoError(t, d.apply(parse(t, target("b", refusing.URL, ""))))
	expect.Contains(t, "messages", out.String(), "target a: 1 profiles were dropped: shutdown")
	_, text := get(t, d.admin, "/metrics")
	expect.Contains(t, "metrics", text, `nettrace_agent_dropped_total{reason="shutdown",target="a"} 1`)

	inFolder := "queue: {path: " + queue + "}\n"
	expect.NoError(t, d.apply(parse(t, inFolder+target("c", refusing.URL, ""))))
	d.handler.Window(window(2))
	before := d.handler.current()
	blocked := filepath.Join(queue, "e")
	expect.NoError(t, os.WriteFile(blocked, nil, 0o600))
	err := d.apply(parse(t, inFolder+"targets: [{type: pyroscope, name: c, url: "+web.URL+"}, {type: pyroscope, name: e, url: "+web.URL+"}]\n"))
	if err == nil {
		t.Fatal("error of a target whose folder is a file: got none")
	}
	expect.Slices(t, "receivers after an error", d.handler.current(), before)
	expect.NoError(t, d.apply(parse(t, inFolder+target("c", web.URL, ""))))
	proctest.WaitFor(t, func() bool { return accepted.Load() == 1 })

	expect.NoError(t, d.apply(parse(t, inFolder+target("f", refusing.URL, ""))))
	d.handler.Window(window(3))
	expect.NoError(t, d.apply(parse(t, inFolder+target("c", web.URL, ""))))
	expect.Contains(t, "messages", out.String(), "target f: 1 profile left in "+filepath.Join(queue, "f")+" until")
}

// TestReloadFolder: after a reload that gives a folder to a target with another name, its
// bounds hold for the profiles too that the receiver before writes at its end.
func TestReloadFolder(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "profiles")
	target := func(more string) string {
		return "targets: [{type: files, path: " + folder + ", min_backoff_period: 1h, max_backoff_period: 1h" + more + "}]"
	}
	d, _ := applied(t, target(", name: first"))
	expect.NoError(t, os.Remove(folder))
	expect.NoError(t, os.WriteFile(folder, nil, 0o600)) // so that the profiles wait
	for n := range 3 {
		d.handler.Window(window(n))
	}
	old := d.handler.current()[0]
	proctest.WaitFor(t, func() bool { return old.queue.Stats().Failures == 1 })
	expect.NoError(t, os.Remove(folder))
	expect.NoError(t, os.Mkdir(folder, 0o700))
	expect.NoError(t, d.apply(parse(t, target(", name: second, max_files: 2"))))
	expect.Equal(t, "profiles of the receiver before", old.queue.Stats().Sent, 3)
	d.handler.Window(window(3))
	stopAll(d.handler.current())
	list, err := os.ReadDir(folder)
	expect.NoError(t, err)
	expect.Len(t, "profiles", list, 2)
}

// TestReloadKeepsWaiting: a target that is changed gets the profiles that wait, whether they
// are in memory or in a folder.
func TestReloadKeepsWaiting(t *testing.T) {
	refusing := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "not now", http.StatusServiceUnavailable)
	}))
	defer refusing.Close()
	const memory, a, b = "", "a", "b"
	for _, c := range []struct{ name, from, to string }{
		{"memory", memory, memory}, {"memory to folder", memory, a}, {"folder", a, a}, {"folder to another folder", a, b}, {"folder to memory", b, memory},
	} {
		t.Run(c.name, func(t *testing.T) {
			var accepted atomic.Int64
			web := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { accepted.Add(1) }))
			defer web.Close()
			// A profile that was accepted when an agent stopped can be sent again by the next one of the folder.
			folders := t.TempDir()
			settings := func(queue, url string) string {
				text := "targets: [{type: pyroscope, name: main, url: " + url + "}]\n"
				if queue != memory {
					text += "queue: {path: " + filepath.Join(folders, queue) + "}\n"
				}
				return text
			}
			d, out := applied(t, settings(c.from, refusing.URL))
			for n := range 3 {
				d.handler.Window(window(n))
			}
			expect.NoError(t, d.apply(parse(t, settings(c.to, web.URL))))
			proctest.WaitFor(t, func() bool { return accepted.Load() == 3 })
			expect.Lacks(t, "messages", out.String(), "dropped", "left in")
		})
	}
}

// TestTakeOverFails: after an error the receivers in use send again, with their queues
// and counts.
func TestTakeOverFails(t *testing.T) {
	queue := t.TempDir()
	receiverOf := func(name string) *receiver {
		r, err := standard.newReceiver(config.Target{Type: config.Pyroscope, Name: name, URL: "http://127.0.0.1:1"}, config.Queue{Path: queue, MaxBytes: 1000}, nil)
		expect.NoError(t, err)
		return r
	}
	var left, fresh []*receiver
	var queues []*delivery.Queue
	for _, name := range []string{"a", "b"} {
		r := receiverOf(name)
		expect.NoError(t, r.start())
		defer r.halt()
		left, fresh, queues = append(left, r), append(fresh, receiverOf(name)), append(queues, r.queue)
		r.queue.Add(&delivery.Item{ID: "too large", Body: make([]byte, 2000)})
	}
	expect.NoError(t, os.Remove(filepath.Join(queue, "b")))
	expect.NoError(t, os.WriteFile(filepath.Join(queue, "b"), nil, 0o600))
	if err := takeOver(left, fresh); err == nil {
		t.Fatal("error of a queue that cannot be opened: got none")
	}
	for i, r := range left {
		expect.Equal(t, "queue in use is the same", r.queue == queues[i], true)
		expect.Equal(t, "sends", r.isHalted(), false)
		expect.Equal(t, "dropped", r.queue.Stats().Dropped[delivery.TooLarge], 1)
	}
}

// TestQueueOfTwoAgents: a folder of queues has one agent, at its start and after a reload.
// The next one gets it when that ends, or uses another folder.
func TestQueueOfTwoAgents(t *testing.T) {
	path, other := t.TempDir(), t.TempDir()
	in := func(path string) string {
		return "queue: {path: " + path + "}\ntargets: [{type: pyroscope, name: main, url: http://127.0.0.1:1}]"
	}
	first, _ := applied(t, in(path))
	want := "queue.path: another agent uses the folder " + path
	var out lines
	second := newDaemon(&standard, out.say)
	second.patience = 0
	err := second.apply(parse(t, in(path)))
	expect.Contains(t, "error of the second agent", fmt.Sprint(err), want)
	expect.Contains(t, "message", out.String(), "waiting for another agent")
	expect.Equal(t, "receivers of the second agent", len(second.handler.current()), 0)

	expect.NoError(t, second.apply(parse(t, in(other))))
	t.Cleanup(second.stop)
	before := second.handler.current()
	expect.Contains(t, "error of the reload", fmt.Sprint(second.apply(parse(t, in(path)))), want)
	expect.Slices(t, "receivers after the error", second.handler.current(), before)

	expect.NoError(t, first.apply(parse(t, in(path+"/."))))
	expect.NoError(t, first.apply(parse(t, "listen: 127.0.0.1:0")))
	expect.NoError(t, second.apply(parse(t, in(path))))
	first.patience = 0
	expect.NoError(t, first.apply(parse(t, in(other))))
}
