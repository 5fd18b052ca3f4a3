//go:build check || nightly

package program_test

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// stalls are the intervals in which the program wrote that a thread was stopped in a method: it waits for a
// task or sleeps.
func (m *matrix) stalls() []node {
	var list []node
	for _, key := range []string{"item", "block", "sleep"} {
		for _, o := range m.lines(key) {
			name := o.text("method")
			if name == "" {
				name = o.text(key)
			}
			if name != "AwaitTask" && name != "ByResultComplete" { // these do not stop their thread
				list = append(list, node{"method": name, "kind": key, "first": o["round"] == json.Number("0"), "thread": o["thread"], "begin": o["begin"], "end": o["end"], "pool": o["pool"]})
			}
		}
	}
	return list
}

// spinsOrWaits are those of a thread that waits: a wait may spin first.
var spinsOrWaits = []string{"waiting", "spinning"}

// stallStates: the samples in a stall are waiting. The first wait of a kind loads what it needs.
func (m *matrix) stallStates() {
	stalls, got, all := byThread(m.stalls()), map[string]int{}, map[string]int{}
	for _, s := range m.samples() {
		for _, w := range stalls[s.number("thread")] {
			if at := s.number("time"); w["first"] == false && at > w.number("begin")+edge && at < w.number("end")-edge {
				if all[w.text("method")]++; slices.Contains(spinsOrWaits, s.text("state")) {
					got[w.text("method")]++
				}
			}
		}
	}
	for name, n := range all {
		m.compare("stacks", 10*(got[name]+3) >= 9*n, false, "%s: %d of %d samples are waiting", name, got[name], n)
	}
}

// stallTimes: nearly all of the time of a stall is waiting in the time line.
func (m *matrix) stallTimes() {
	lines := map[int64][]node{}
	for _, thread := range m.run("threadtime", "--json", "--spans", "--limit", "0")[0].list("threads") {
		lines[thread.number("threadId")] = thread.list("spans")
	}
	for _, w := range m.stalls() {
		if w["first"] == true {
			continue
		}
		whole, waiting := w.number("end")-w.number("begin"), int64(0)
		for _, s := range lines[w.number("thread")] {
			if slices.Contains(spinsOrWaits, s.text("state")) {
				waiting += max(0, min(s.number("endTicks"), w.number("end"))-max(s.number("beginTicks"), w.number("begin")))
			}
		}
		m.compare("threadtime", float64(waiting) > 0.85*float64(whole)-2*edge, false, "%s: waiting %d of %d ns", w.text("method"), waiting, whole)
	}
}

// stallWaits: a method's waits for tasks have their number, their time and their kind of thread.
func (m *matrix) stallWaits() {
	rows := m.report("waits").list("rows")
	type sum struct{ count, total int64 }
	want := map[string]sum{}
	for _, w := range m.stalls() {
		if w.text("kind") != "sleep" { // of a sleep there are samples only
			key := w.text("method") + " " + strconv.FormatBool(w["pool"] != false)
			want[key] = sum{want[key].count + 1, want[key].total + w.number("end") - w.number("begin")}
		}
	}
	for key, w := range want {
		got := sum{}
		for _, row := range rows {
			if row.text("cause") == "task" && method(row.text("method"))+" "+strconv.FormatBool(row["poolThread"] == true) == key {
				got = sum{got.count + row.number("count"), got.total + row.number("totalNs")}
			}
		}
		m.compare("waits", got.count == w.count, false, "%s: %d waits for a task, want %d", key, got.count, w.count)
		m.compare("waits", got.total <= w.total+1e5 && got.total >= w.total-20e6*w.count, false, "%s: %d ns, want %d", key, got.total, w.total)
	}
	for _, row := range rows {
		for _, f := range row["stack"].([]any) {
			m.compare("waits", !strings.Contains(f.(string), "System.Diagnostics.Tracing.") || row["idle"] == true, false, "%s: %s", row.text("method"), f)
		}
	}
}

// poolFindings: only a program whose workers are all blocked has the finding of a pool without free
// workers, and only methods that block workers that of waiting for tasks.
func (m *matrix) poolFindings() {
	starves := strings.HasPrefix(strings.TrimPrefix(m.of.Name, "net11-"), "starve")
	found := 0
	for _, f := range m.report("threads").list("findings") {
		m.compare("threads", starves && f.text("rule") == "threads-starvation" && strings.Contains(f.text("text"), "BlockOnTask"), false, "finding %s: %s", f.text("rule"), f.text("text"))
		found++
	}
	m.compare("threads", (found == 1) == starves, false, "%d findings", found)
	blocks := map[string]bool{}
	for _, w := range m.stalls() {
		if w.text("kind") != "sleep" && w["pool"] != false {
			blocks[w.text("method")] = true
		}
	}
	for _, f := range m.report("waits").list("findings") {
		ok := slices.ContainsFunc(m.stalls(), func(w node) bool {
			return blocks[w.text("method")] && strings.Contains(f.text("text"), w.text("method"))
		})
		m.compare("waits", ok, false, "finding %s: %s", f.text("rule"), f.text("text"))
	}
}

// compilations: the tiers of each method, and the totals of the runtime.
func (m *matrix) compilations() {
	report := m.report("jit")
	for _, o := range m.lines("tiers") {
		counts := map[string]int64{}
		for _, row := range report.list("rows") {
			name, _, _ := strings.Cut(row.text("method"), "(")
			name, _, _ = strings.Cut(name, "<")
			if strings.HasSuffix(name, o.text("type")+"."+o.text("method")) || o.text("method") == ".cctor" && strings.Contains(row.text("method"), o.text("type")) && strings.Contains(row.text("method"), "cctor") {
				counts[row.text("tier")]++
			}
		}
		tiers, perhaps := o["tiers"].([]any), o["maybe"].([]any)
		for tier := range counts {
			m.compare("jit", slices.Contains(tiers, any(tier)) || slices.Contains(perhaps, any(tier)), false, "%s: tier %s", o.text("method"), tier)
		}
		for _, tier := range tiers {
			m.compare("jit", counts[tier.(string)] == o.number("instances"), false, "%s: %d bodies %s, want %d", o.text("method"), counts[tier.(string)], tier, o.number("instances"))
		}
	}
	end, all := m.truth[len(m.truth)-1], report.node("totals").node("methods").node("all")
	m.compare("jit", abs(all.number("count")-end.number("methods")) <= 3, false, "%d methods, want %d", all.number("count"), end.number("methods"))
	ms := all.float("durationNs") / 1e6
	m.compare("jit", ms > 0.98*end.float("jitMs") && ms < 1.02*end.float("jitMs"), false, "%.3f ms, want %.3f", ms, end.float("jitMs"))
}

func abs(n int64) int64 { return max(n, -n) }

// calls: each call of HttpClient with its status and its time.
func (m *matrix) calls() {
	rows, sync := map[string]node{}, m.run("events", "--format", "ndjson", "--limit", "1")[0].number("syncTicks")
	for _, row := range m.report("requests").list("rows") {
		rows[row.text("path")] = row
	}
	first := true
	for _, c := range m.lines("outcome") {
		row := rows[c.text("path")]
		unknown := row.text("state") == "ambiguous"
		m.compare("requests", row.text("direction") == "outgoing", false, "%s: %s", c.text("path"), row.text("direction"))
		m.compare("requests", row.number("status") == c.number("status"), unknown && !row.has("status"), "%s: status %v, want %d", c.text("path"), row["status"], c.number("status"))
		m.compare("requests", row["failed"] == (c.text("outcome") != "answered"), unknown && !row.has("failed"), "%s: failed %v, %s", c.text("path"), row["failed"], c.text("outcome"))
		begin, whole := sync+row.number("startNs"), c.number("end")-c.number("begin")
		m.compare("requests", begin >= c.number("begin") && begin <= c.number("end"), unknown, "%s: begins at %d, want %d", c.text("path"), begin, c.number("begin"))
		ns := row.number("durationNs")
		m.compare("requests", ns <= whole && (first || ns >= whole-10e6), unknown && !row.has("durationNs"), "%s: %d ns, want %d", c.text("path"), ns, whole)
		first = false
	}
}
