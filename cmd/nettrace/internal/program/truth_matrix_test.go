//go:build check || nightly

package program_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
)

// node is an object of JSON: a line that a recorded program wrote, or a part of an output.
type node map[string]any

func (o node) text(key string) string { s, _ := o[key].(string); return s }

// number returns a number, which programs and outputs also write as a text. 0 is that of a missing one.
func (o node) number(key string) int64 {
	switch v := o[key].(type) {
	case json.Number:
		n, err := v.Int64()
		if err != nil {
			f, _ := v.Float64()
			return int64(f)
		}
		return n
	case string:
		n, _ := strconv.ParseInt(v, 10, 64)
		return n
	}
	return 0
}

func (o node) float(key string) float64 {
	n, _ := o[key].(json.Number)
	f, _ := n.Float64()
	return f
}

func (o node) has(key string) bool { _, ok := o[key]; return ok }

func (o node) node(key string) node { v, _ := o[key].(map[string]any); return v }

func (o node) list(key string) []node {
	values, _ := o[key].([]any)
	list := make([]node, 0, len(values))
	for _, v := range values {
		one, _ := v.(map[string]any)
		list = append(list, one)
	}
	return list
}

// nodes decodes lines of JSON.
func nodes(t *testing.T, text []byte) []node {
	t.Helper()
	var list []node
	for d := json.NewDecoder(bytes.NewReader(text)); ; {
		d.UseNumber()
		var o node
		if err := d.Decode(&o); err != nil {
			expect.Equal(t, "end of JSON", err.Error(), "EOF")
			return list
		}
		list = append(list, o)
	}
}

// method returns the name of a method without its class and parameters.
func method(name string) string {
	name, _, _ = strings.Cut(name, "(")
	return name[strings.LastIndexByte(name, '.')+1:]
}

// matrix counts the comparisons of outputs with what programs wrote, by program, version of the
// runtime and output: right, unknown where the output says so, and wrong.
type matrix struct {
	t     *testing.T
	of    shared.Recording
	truth []node
	cells map[string]*[3]int
}

// compare adds a comparison.
func (m *matrix) compare(output string, right, unknown bool, format string, values ...any) {
	m.t.Helper()
	key := fmt.Sprintf("%-24s %2d  %s", m.of.Name, m.of.Version, output)
	if m.cells[key] == nil {
		m.cells[key] = new([3]int)
	}
	switch {
	case right:
		m.cells[key][0]++
	case unknown:
		m.cells[key][1]++
	default:
		m.cells[key][2]++
		m.t.Errorf("%s: %s", key, fmt.Sprintf(format, values...))
	}
}

// lines returns the lines of the truth that have a key.
func (m *matrix) lines(key string) []node {
	return slices.DeleteFunc(slices.Clone(m.truth), func(o node) bool { return !o.has(key) })
}

// run returns the output of a command.
func (m *matrix) run(words ...string) []node {
	return nodes(m.t, []byte(programtest.Run(m.t, m.of.Trace(m.t), append(words, "-")...).Out))
}

// report returns the report of the only process.
func (m *matrix) report(part string) node {
	m.t.Helper()
	list := m.run("report", part, "--format", "json")
	if len(list) != 1 {
		m.t.Fatalf("%s: %d reports %s, want 1", m.of.Name, len(list), part)
	}
	return list[0]
}

// TestTruthMatrix compares the outputs of the commands with what the recorded programs wrote down, on each
// version of the runtime with a recording. -v prints the matrix.
func TestTruthMatrix(t *testing.T) {
	cells := map[string]*[3]int{}
	compared := map[string]bool{}
	for _, c := range []struct {
		programs []string
		compare  []func(*matrix)
	}{
		{[]string{"wait-truth"}, []func(*matrix){(*matrix).waitStates, (*matrix).waitTimes, (*matrix).waits, (*matrix).contentions}},
		{[]string{"deadlock", "deadlock-threads", "deadlock-rundown", "no-deadlock", "no-deadlock-threads"}, []func(*matrix){(*matrix).lockStates, (*matrix).owners}},
		{[]string{"cpu-truth"}, []func(*matrix){(*matrix).work}},
		{[]string{"exceptions", "exceptions-unhandled"}, []func(*matrix){(*matrix).exceptions}},
		{[]string{"gc-truth", "gc-truth-blocking", "gc-truth-server"}, []func(*matrix){(*matrix).collections}},
		{[]string{"alloc-truth-tick", "alloc-truth-sampled"}, []func(*matrix){(*matrix).allocations}},
		{[]string{"async-chain"}, []func(*matrix){(*matrix).chains}},
		{[]string{"starve", "no-starve", "sync-over-async"}, []func(*matrix){(*matrix).stallStates, (*matrix).stallTimes, (*matrix).stallWaits, (*matrix).poolFindings}},
		{[]string{"jit-truth"}, []func(*matrix){(*matrix).compilations}},
		{[]string{"http-client", "http-client-plain"}, []func(*matrix){(*matrix).calls}},
	} {
		for _, of := range shared.Recordings(t, c.programs...) {
			compared[of.Name] = true
			m := matrix{t: t, of: of, truth: nodes(t, of.Truth(t)), cells: cells}
			for _, compare := range c.compare {
				compare(&m)
			}
		}
	}
	for _, key := range slices.Sorted(maps.Keys(cells)) {
		t.Logf("%s: right %d, unknown %d, wrong %d", key, cells[key][0], cells[key][1], cells[key][2])
	}
	for _, name := range shared.Truths(t) {
		if !compared[name] {
			t.Logf("%-24s no cell: the tests of its package compare it, or none does", name)
		}
	}
}

// samples returns the samples of the sample profiler as stacks --details prints them.
func (m *matrix) samples() []node {
	return m.run("stacks", "--format", "ndjson", "--details", "--provider", "Microsoft-DotNETCore-SampleProfiler")
}

// states of the kinds of waits that are no waiting.
var statesOfKinds = map[string]string{"lock": "blocked", "lock-class": "blocked", "lock-shared": "blocked", "lock-try": "blocked", "spin": "running"}

func stateOfKind(kind string) string {
	if state := statesOfKinds[kind]; state != "" {
		return state
	}
	return "waiting"
}

// edge is the time in nanoseconds near both ends of an interval that is left out: a sample has
// the time before its thread stopped.
const edge = 3e6

// waitStates: the samples in a wait have its state. A thread prepares some waits first.
func (m *matrix) waitStates() {
	waits := byThread(m.lines("wait"))
	got, all := map[string]int{}, map[string]int{}
	for _, s := range m.samples() {
		for _, w := range waits[s.number("thread")] {
			if at := s.number("time"); at > w.number("begin")+edge && at < w.number("end")-edge {
				key := w.text("wait") + " " + w.text("role")
				if all[key]++; s.text("state") == stateOfKind(w.text("wait")) {
					got[key]++
				}
			}
		}
	}
	for kind, n := range all {
		m.compare("stacks", 10*(got[kind]+3) >= 9*n, false, "%s: %d of %d samples have its state", kind, got[kind], n)
	}
}

func byThread(lines []node) map[int64][]node {
	list := map[int64][]node{}
	for _, o := range lines {
		list[o.number("thread")] = append(list[o.number("thread")], o)
	}
	return list
}

// waitTimes: nearly all of the time of a wait has its state in the time line.
func (m *matrix) waitTimes() {
	lines := map[int64][]node{}
	for _, thread := range m.run("threadtime", "--json", "--spans", "--limit", "0")[0].list("threads") {
		lines[thread.number("threadId")] = thread.list("spans")
	}
	for _, w := range m.lines("wait") {
		whole := w.number("end") - w.number("begin")
		if whole < 12e6 {
			continue
		}
		inState := int64(0)
		for _, s := range lines[w.number("thread")] {
			if s.text("state") == stateOfKind(w.text("wait")) {
				inState += max(0, min(s.number("endTicks"), w.number("end"))-max(s.number("beginTicks"), w.number("begin")))
			}
		}
		m.compare("threadtime", float64(inState) > 0.85*float64(whole)-2*edge, false, "%s: %d of %d ns", w.text("method"), inState, whole)
	}
}

// waits: a method's waits have its whole time, and waits for locks are no rows.
func (m *matrix) waits() {
	got, sampled := map[string]int64{}, map[string]bool{}
	for _, row := range m.report("waits").list("rows") {
		name := method(row.text("method"))
		got[name] += row.number("totalNs")
		sampled[name] = sampled[name] || row["sampled"] == true
	}
	want, kinds, count := map[string]int64{}, map[string]string{}, map[string]int64{}
	for _, w := range m.lines("wait") {
		name := w.text("method")
		want[name] += w.number("end") - w.number("begin")
		kinds[name] = w.text("wait")
		count[name]++
	}
	for name, ns := range want {
		if stateOfKind(kinds[name]) != "waiting" {
			m.compare("waits", got[name] == 0, false, "%s has %d ns", name, got[name])
			continue
		}
		least := ns - 10e6*count[name]
		if sampled[name] {
			least = ns*85/100 - 2*edge*count[name]
		}
		m.compare("waits", got[name] >= least && got[name] <= ns+1e5, false, "%s: %d ns, want %d", name, got[name], ns)
	}
}

// contentions: count, time and owners of the contended locks.
func (m *matrix) contentions() {
	want := map[string][]node{}
	for _, w := range m.lines("wait") {
		if stateOfKind(w.text("wait")) == "blocked" {
			want[w.text("method")] = append(want[w.text("method")], w)
		}
	}
	rows := m.report("locks").list("rows")
	for name, waits := range want {
		count, total, whole := int64(0), int64(0), int64(0)
		for _, row := range rows {
			if method(row.text("method")) != name {
				continue
			}
			count, total = count+row.number("count"), total+row.number("totalNs")
			longest := row.node("longest")
			for _, w := range waits {
				if w.number("thread") == longest.number("threadId") {
					m.compare("locks", longest.number("ownerThreadId") == w.number("owner"), !longest.has("ownerThreadId"), "%s: owner %d, want %d", name, longest.number("ownerThreadId"), w.number("owner"))
				}
			}
		}
		for _, w := range waits {
			whole += w.number("end") - w.number("begin")
		}
		m.compare("locks", count == int64(len(waits)), false, "%s: %d contentions, want %d", name, count, len(waits))
		m.compare("locks", total <= whole+1e5 && total >= whole*9/10-edge*count, false, "%s: %d ns, want %d", name, total, whole)
	}
}

// lockStates: a thread that waits for a lock is blocked, from when it begins until it has the lock.
func (m *matrix) lockStates() {
	until := map[int64]int64{}
	for _, o := range m.lines("leaving") {
		until[0] = o.number("at")
	}
	for _, o := range m.lines("got") {
		until[o.number("thread")] = o.number("at")
	}
	waits := byThread(slices.DeleteFunc(m.lines("wants"), func(o node) bool { return o["wants"] == nil }))
	got, all := map[string]int{}, map[string]int{}
	for _, s := range m.samples() {
		for _, w := range waits[s.number("thread")] {
			end := until[w.number("thread")]
			if end == 0 {
				end = until[0]
			}
			if at := s.number("time"); at > w.number("since")+2*edge && at < end-2*edge {
				if all[w.text("name")]++; s.text("state") == "blocked" {
					got[w.text("name")]++
				}
			}
		}
	}
	for name, n := range all {
		m.compare("stacks", 100*got[name] >= 97*n, false, "%s: %d of %d samples are blocked", name, got[name], n)
	}
}

// owners: each open wait for a lock is there, with the thread that holds the lock.
func (m *matrix) owners() {
	holders, waits := map[string]int64{}, byThread(m.lines("wants"))
	open := -len(m.lines("got"))
	for _, o := range m.lines("wants") {
		if o.has("holds") {
			holders[o.text("holds")] = o.number("thread")
		}
		if o["wants"] != nil {
			open++
		}
	}
	report := m.report("locks")
	m.compare("locks", report.node("totals").number("unfinished") == int64(open), false, "%v open waits, want %d", report.node("totals")["unfinished"], open)
	for _, row := range report.list("rows") {
		longest := row.node("longest")
		if longest["unfinished"] != true { // another lock, before
			continue
		}
		for _, w := range waits[longest.number("threadId")] {
			owner := longest.number("ownerThreadId")
			m.compare("locks", owner == holders[w.text("wants")], owner == 0, "%s: owner %d, want %d", w.text("name"), owner, holders[w.text("wants")])
		}
	}
	deadlocks := 0
	for _, f := range report.list("findings") {
		if f.text("rule") == "lock-deadlock" {
			deadlocks++
		}
	}
	want := 0
	if strings.Contains(m.of.Name, "deadlock") && !strings.Contains(m.of.Name, "no-deadlock") {
		want = 2
	}
	unknown := deadlocks == 0 && len(report.list("notRecorded")) > 0
	m.compare("locks", deadlocks == want, unknown, "%d deadlocks, want %d", deadlocks, want)
}

// work: a sample in a method of the program lies in a call of it, on the thread that made the call, and
// does not wait. In native code, and on .NET 9, it is unknown whether it does.
func (m *matrix) work() {
	names, calls := map[string]bool{}, byThread(m.lines("call"))
	for _, c := range m.lines("call") {
		names[c.text("call")] = true
	}
	outside, all := 0, 0
	for _, s := range m.samples() {
		for _, f := range s.list("frames") {
			name := method(f.text("name"))
			if !strings.Contains(f.text("name"), "CpuTruth.") || !names[name] {
				continue
			}
			at := s.number("time")
			in := slices.ContainsFunc(calls[s.number("thread")], func(c node) bool {
				return c.text("call") == name && at >= c.number("begin") && at <= c.number("end")
			})
			if all++; !in {
				outside++
			}
			state := s.text("state")
			m.compare("stacks", state == "running" || state == "spinning" && name == "Locks", state == "native" || m.of.Version == 9, "%s: %s", name, state)
			break
		}
	}
	m.compare("stacks", 1000*outside <= all, false, "%d of %d samples are in no call", outside, all)
	hottest := m.report("cpu").list("rows")[0].text("method")
	m.compare("cpu", method(hottest) == "LoopD", false, "hottest is %s", hottest)
}

// exceptions: the counts of throws and of what became of them.
func (m *matrix) exceptions() {
	totals := m.report("exceptions").node("totals")
	want := map[string]int64{"superseded": 0, "swallowed": 0, "unhandled": 0, "awaitRethrows": 0, "dispatchRethrows": 0, "catchRethrows": 0}
	events := int64(0)
	for _, e := range m.lines("n") {
		if _, ok := want[e.text("fate")]; ok {
			want[e.text("fate")]++
		}
		want["awaitRethrows"] += e.number("awaitRethrows")
		want["dispatchRethrows"] += e.number("dispatchRethrows")
		want["catchRethrows"] += e.number("rethrows")
		events += e.number("throws") + e.number("awaitRethrows") + e.number("dispatchRethrows")
	}
	for key, n := range want {
		m.compare("exceptions", totals.number(key) == n, !totals.has(key) && n > 0, "%s: %v, want %d", key, totals[key], n)
	}
	const ofRuntime = 2 // it throws some itself
	m.compare("exceptions", totals.number("thrown") >= events && totals.number("thrown") <= events+ofRuntime, false, "%v throws, want %d", totals["thrown"], events)
}

// collections: what the runtime said of each collection.
func (m *matrix) collections() {
	rows := map[int64]node{}
	report := m.report("gc")
	for _, row := range report.list("rows") {
		if n := row.number("number"); row.text("type") != "noCollection" {
			rows[n] = row
		}
	}
	for _, info := range m.lines("kind") {
		row, ok := rows[info.number("gc")]
		if !ok {
			continue // one that came before the recording, or a region without collections
		}
		number := info.number("gc")
		m.compare("gc", row.number("generation") == info.number("gen"), false, "%d: generation %v, want %d", number, row["generation"], info.number("gen"))
		m.compare("gc", row.number("heapAfterBytes") == info.number("heapBytes"), !row.has("heapAfterBytes"), "%d: %v bytes after, want %d", number, row["heapAfterBytes"], info.number("heapBytes"))
		more := info.number("promotedBytes") - row.number("promotedBytes")
		m.compare("gc", more == 0 || info.number("gen") == 2 && more%8184 == 0 && more <= 2*8184, !row.has("promotedBytes"), "%d: %v bytes promoted, want %d", number, row["promotedBytes"], info.number("promotedBytes"))
	}
	end, sum := m.truth[len(m.truth)-1], report.node("totals").float("runtimePauseNs")/1e6
	m.compare("gc", math.Abs(sum/end.float("totalPauseMs")-1) < 0.01, false, "pauses of %.3f ms, want %.3f", sum, end.float("totalPauseMs"))
}

// allocations: the bytes of each site and of the process.
func (m *matrix) allocations() {
	sites := map[string]int64{}
	for _, a := range m.lines("alloc") {
		sites[a.text("alloc")] += a.number("bytes")
	}
	report := m.report("alloc")
	whole, all := report.node("totals").float("bytes"), m.truth[len(m.truth)-1].float("processBytes")
	m.compare("alloc", math.Abs(whole/all-1) < 0.05, false, "%.0f bytes, want %.0f", whole, all)
	for _, row := range report.list("rows") {
		bytes, ok := sites[method(row.text("site"))]
		if !ok {
			continue
		}
		off := math.Abs(row.float("bytes") - float64(bytes))
		m.compare("alloc", off <= max(float64(bytes)/4, 3*row.float("standardErrorBytes")), false, "%s: %d bytes, want %d", row.text("site"), row.number("bytes"), bytes)
	}
}

// chains: the async methods on the stack of a part are those of the true chain, in its order.
func (m *matrix) chains() {
	parts, methods := byThread(m.lines("worker")), map[string]bool{}
	for _, p := range m.lines("worker") {
		for _, name := range p["stack"].([]any) {
			methods[name.(string)] = true
		}
	}
	for _, s := range m.samples() {
		for _, p := range parts[s.number("thread")] {
			if at := s.number("time"); at < p.number("begin") || at > p.number("end") || p.text("how") == "timer" {
				continue
			}
			var got, want []string
			for _, f := range s.list("frames") {
				name := asyncMethod(f)
				if methods[name] && (len(got) == 0 || got[len(got)-1] != name) {
					got = append(got, name)
				}
			}
			for _, name := range p["stack"].([]any) {
				if name != "WhenAll" {
					want = append(want, name.(string))
				}
			}
			m.compare("stacks", slices.Equal(got, want), s.text("async") == "unknown" && len(got) < len(want), "%s part %d, %s: %q, want %q", p.text("scenario"), p.number("part"), s.text("async"), got, want)
		}
	}
}

// asyncMethod returns the method of a frame, for a state machine the one that it is made of.
func asyncMethod(f node) string {
	raw := f.text("rawName")
	if _, after, ok := strings.Cut(raw, "+<"); ok && strings.Contains(after, ".MoveNext(") {
		name, _, _ := strings.Cut(after, ">")
		return name
	}
	name, _, _ := strings.Cut(f.text("name"), " [")
	return method(name)
}
