//go:build check || nightly

package program_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/display"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/tracedoc"
	"github.com/nettrace-go/nettrace/internal/blocking"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
)

// agreed are the folders of shared material whose traces TestAgreement reads, and the size of the largest
// archive: it runs about thirty commands for each.
var agreed = []string{"traces", "truth", "old", "replay/truth", "net11/traces", "net11/truth", "apps", "async11"}

const largestAgreed = 48 << 10

// TestAgreement: text, JSON, SQL and the page's document have the same values of a trace.
func TestAgreement(t *testing.T) {
	traces, compared := 0, 0
	for _, folder := range agreed {
		folder := filepath.Join(shared.Dir(t), filepath.FromSlash(folder))
		files, err := os.ReadDir(folder)
		expect.NoError(t, err)
		for _, f := range files {
			info, err := f.Info()
			expect.NoError(t, err)
			if !strings.HasSuffix(f.Name(), ".nettrace.zst") || info.Mode()&fs.ModeType != 0 || info.Size() > largestAgreed {
				continue
			}
			a := newAnswers(t, filepath.Join(folder, f.Name()))
			traces++
			compared += a.compare()
		}
	}
	t.Logf("%d traces, %d values", traces, compared)
	expect.AtLeast(t, "traces", traces, 50)
	expect.AtLeast(t, "values", compared, 1000)
}

// answers are what the outputs say about a trace.
type answers struct {
	t       *testing.T
	path    string
	parts   map[string][]node // the reports of all parts, by part
	text    string            // of the report of all parts
	page    node              // the head of the page's document
	columns [][]byte          // the head, and the columns that it names
	sql     map[string]node   // number and sum of the rows of tables
	n       int               // comparisons
}

// tableSums is the SQL of answers.sql.
const tableSums = `SELECT 'events' AS name, count(*) AS count, 0 AS sum FROM events
UNION ALL SELECT 'files', lost_events, end_ns - start_ns FROM files
UNION ALL SELECT 'gc', count(*), sum(pause_ns) FROM gc
UNION ALL SELECT 'pauses', count(*), sum(duration_ns) FROM pauses
UNION ALL SELECT 'locks', count(*), sum(duration_ns) FROM locks
UNION ALL SELECT 'waits', count(*), sum(duration_ns) FROM waits
UNION ALL SELECT 'exceptions', count(*), 0 FROM exceptions
UNION ALL SELECT 'requests', count(*), sum(duration_ns) FROM requests
UNION ALL SELECT 'spans', count(*), sum(duration_ns) FROM spans
UNION ALL SELECT 'counters', count(*), 0 FROM counters
UNION ALL SELECT type, count(*), sum(value) FROM samples GROUP BY type`

func newAnswers(t *testing.T, path string) *answers {
	a := &answers{t: t, path: path, parts: map[string][]node{}, sql: map[string]node{}}
	for _, report := range a.run("report", "--format", "json", path) {
		a.parts[report.text("part")] = append(a.parts[report.text("part")], report)
	}
	a.text = programtest.Run(t, nil, "report", path).Out
	for _, row := range a.run("query", "--format", "json", path, tableSums) {
		a.sql[row.text("name")] = row
	}
	s, _, err := tracedoc.Read(t.Context(), &run.Program{Stdout: io.Discard, Stderr: io.Discard}, path, tracedoc.Reading{})
	expect.NoError(t, err)
	document, err := s.Encode()
	expect.NoError(t, err)
	unpacked, err := gzip.NewReader(bytes.NewReader(document))
	expect.NoError(t, err)
	plain, err := io.ReadAll(unpacked)
	expect.NoError(t, err)
	for len(plain) > 0 {
		n := 4 + binary.LittleEndian.Uint32(plain)
		a.columns = append(a.columns, plain[4:n])
		plain = plain[n:]
	}
	a.page = nodes(t, a.columns[0])[0]
	return a
}

func (a *answers) run(words ...string) []node {
	return nodes(a.t, []byte(programtest.Run(a.t, nil, words...).Out))
}

// equal compares two answers.
func (a *answers) equal(what string, got, want any) {
	a.t.Helper()
	if a.n++; !reflect.DeepEqual(got, want) {
		a.t.Errorf("%s: %s: got %.300v, want %.300v", filepath.Base(a.path), what, got, want)
	}
}

// total returns the sum of a number of the totals of a part.
func (a *answers) total(part string, keys ...string) (sum int64) {
	for _, report := range a.parts[part] {
		for _, key := range keys {
			sum += report.node("totals").number(key)
		}
	}
	return sum
}

// rows returns the number of the rows of a part, and the sum of their numbers with a key.
func (a *answers) rows(part, key string) (count, sum int64) {
	for _, report := range a.parts[part] {
		for _, row := range report.list("rows") {
			count++
			sum += row.number(key)
		}
	}
	return count, sum
}

// compare compares the answers, and returns how many.
func (a *answers) compare() int {
	a.documents()
	a.tables()
	a.texts()
	a.types()
	a.threads()
	return a.n
}

// withoutFile returns reports without what depends on the name of the file, which the page has without its folder.
func withoutFile(reports []node) string {
	var list []node
	for _, report := range reports {
		copied := node{}
		for key, value := range report {
			copied[key] = value
		}
		delete(copied, "file")
		var findings []node
		for _, f := range report.list("findings") {
			findings = append(findings, node{"rule": f["rule"], "text": f["text"], "value": f["value"]})
		}
		copied["findings"] = findings
		list = append(list, copied)
	}
	text, _ := json.Marshal(list)
	return string(text)
}

// documents: a part is the same by itself, among all parts and in the document of the page.
func (a *answers) documents() {
	inPage := a.page.node("parts")
	for part, reports := range a.parts {
		want := withoutFile(reports)
		a.equal("page, part "+part, withoutFile(inPage.list(part)), want)
		if part != "requests" { // by itself it has the processor time of requests
			a.equal("report "+part, withoutFile(a.run("report", part, "--format", "json", a.path)), want)
		}
	}
	a.equal("lost events of the page", a.page.number("lostEvents"), a.total("trace", "lost"))
	a.equal("duration of the page", a.page.number("endNs")-a.page.number("startNs"), a.sql["files"].number("sum"))
	values := 0
	for _, c := range a.page.list("counters") {
		list, _ := c["values"].([]any)
		values += len(list)
	}
	a.equal("counters of the page", int64(values), a.sql["counters"].number("count"))
}

// tables: the rows of a table are those of its part.
func (a *answers) tables() {
	has := func(table string, count, sum int64) {
		a.t.Helper()
		a.equal("rows of the table "+table, a.sql[table].number("count"), count)
		a.equal("sum of the table "+table, a.sql[table].number("sum"), sum)
	}
	has("events", a.total("trace", "events"), 0)
	has("files", a.total("trace", "lost"), a.total("trace", "observedNs"))
	count, sum := a.rows("gc", "pauseNs")
	has("gc", count, sum)
	a.equal("sum of the table pauses", a.sql["pauses"].number("sum"), sum)
	_, count = a.rows("locks", "count")
	_, sum = a.rows("locks", "totalNs")
	has("locks", count, sum)
	a.equal("totals of locks", a.total("locks", "count"), count)
	a.equal("time of locks", a.total("locks", "totalNs"), sum)
	has("waits", a.total("waits", "count", "unfinished"), a.total("waits", "totalNs", "unfinishedNs"))
	if a.total("waits", "count") > 0 {
		_, count = a.rows("waits", "count")
		_, sum = a.rows("waits", "totalNs")
		a.equal("rows of waits", count+a.total("waits", "inContention"), a.total("waits", "count", "unfinished"))
		a.equal("time of the rows of waits", sum+a.total("waits", "inContentionNs"), a.total("waits", "totalNs", "unfinishedNs"))
	}
	thrown := a.total("exceptions", "thrown")
	if a.sql["exceptions"].number("count") != thrown { // before .NET 9 the statement "throw;" writes an event
		thrown += a.total("exceptions", "catchRethrows")
	}
	has("exceptions", thrown, 0)
	count, sum = a.rows("requests", "durationNs")
	has("requests", count, sum)
	_, count = a.rows("spans", "count")
	_, sum = a.rows("spans", "totalNs")
	has("spans", count, sum)
}

// texts: the line of a part has the numbers of its totals.
func (a *answers) texts() {
	ms := func(nanos int64) string { return display.Milliseconds(float64(nanos) / 1e9) }
	lines := map[string]func(node) []string{
		"gc": func(o node) []string {
			if o.number("count") == 0 {
				return nil
			}
			return []string{display.Counted(o.number("count"), "collection"), ms(o.number("pauseNs"))}
		},
		"locks": func(o node) []string {
			return []string{display.Counted(o.number("count"), "wait"), ms(o.number("totalNs"))}
		},
		"waits": func(o node) []string {
			if !o.has("count") {
				return nil
			}
			return []string{
				display.Counted(o.number("count")+o.number("unfinished")-o.number("inContention")-o.number("idle"), "wait"),
				ms(o.number("totalNs") + o.number("unfinishedNs") - o.number("inContentionNs") - o.number("idleNs")),
			}
		},
		"exceptions": func(o node) []string { return []string{display.Counted(o.number("thrown"), "throw")} },
		"spans":      func(o node) []string { return []string{display.Counted(o.number("pairs"), "span")} },
		"counters": func(o node) []string {
			if o.number("series") == 0 {
				return nil
			}
			return []string{display.Counted(o.number("series"), "time series"), display.Counted(o.number("values"), "value")}
		},
		"trace": func(o node) []string {
			return []string{display.Counted(o.number("events"), "event"), ms(o.number("observedNs")), "lost " + display.Grouped(o.number("lost"))}
		},
	}
	for part, want := range lines {
		for _, report := range a.parts[part] {
			totals := report.node("totals")
			if len(totals) == 0 {
				continue
			}
			title := part
			if report.has("processId") {
				title += ", process " + report["processId"].(json.Number).String()
			}
			_, line, found := strings.Cut(a.text, "\n  "+title+" ")
			a.equal("line of "+title, found, true)
			line, _, _ = strings.Cut(line, "\n")
			for _, number := range want(totals) {
				a.equal("line of "+title+" with "+number+": "+line, strings.Contains(line, number), true)
			}
		}
	}
}

// types: the samples of each type are those of top and of the table.
func (a *answers) types() {
	for _, kind := range a.page.list("types") {
		if kind.has("of") {
			continue
		}
		offsets := kind["offsets"].([]any)
		words := []string{"top", "--json", "--limit", "1", "--type", kind.text("option"), a.path}
		if kind.text("name") == "wall" {
			words = append(words, "--state", "running,native,waiting,blocked,spinning,idle")
		}
		top, table := a.run(words...)[0], a.sql[kind.text("name")]
		a.equal("samples of the page, "+kind.text("name"), node{"n": offsets[len(offsets)-1]}.number("n"), table.number("count"))
		a.equal("samples of top, "+kind.text("name"), top.number("samples"), table.number("count"))
		a.equal("sum of top, "+kind.text("name"), top.number("total"), table.number("sum"))
	}
}

// column returns a column of the page's document with a number of rows.
func (a *answers) column(name string, rows int64) []int64 {
	list := make([]int64, rows)
	for i, column := range a.page["columns"].([]any) {
		if column != name {
			continue
		}
		rest := a.columns[1+i]
		for row := range list {
			value, n := binary.Varint(rest)
			list[row], rest = value, rest[n:]
		}
	}
	return list
}

// threads: the time lines of the page are those of threadtime.
func (a *answers) threads() {
	lines := a.page.node("lines")
	offsets, states, causes := lines["offsets"].([]any), lines["states"].([]any), lines["causes"].([]any)
	at := func(i int) int64 { return node{"n": offsets[i]}.number("n") }
	rows := at(len(offsets) - 1)
	lengths, state, cause := a.column("line.length", rows), a.column("line.state", rows), a.column("line.cause", rows)
	got, want := map[string]int64{}, map[string]int64{}
	add := func(sums map[string]int64, thread, what string, nanos int64) {
		if nanos > 0 {
			sums[thread+" "+what] += nanos
		}
	}
	for i, thread := range a.page.list("threads") {
		id := thread.text("process") + "/" + thread.text("id")
		for row := at(i); row < at(i+1); row++ {
			key := strings.ReplaceAll(states[state[row]].(string), " s", "S") + "Ns"
			add(got, id, key, lengths[row])
			if text := causes[cause[row]].(string); text != "" {
				add(got, id, key+" "+text, lengths[row])
			}
		}
	}
	for _, answer := range a.run("threadtime", "--json", "--limit", "0", a.path) {
		for _, thread := range answer.list("threads") {
			id := strconv.FormatInt(thread.number("processId"), 10) + "/" + strconv.FormatInt(thread.number("threadId"), 10)
			for key := range thread {
				if strings.HasSuffix(key, "Ns") && key != "observedNs" {
					add(want, id, key, thread.number(key))
				}
			}
			for _, c := range thread.list("causes") {
				text := c.text("state") + "Ns " + c.text("cause")
				if c.has("ownerThreadId") {
					text += " of " + strconv.FormatInt(c.number("ownerThreadId"), 10)
				}
				add(want, id, text, c.number("durationNs"))
			}
		}
	}
	a.equal("times of the threads of the page", got, want)
}

// TestWaitsAgree: the waits that have events have the same cause and length in the report and in threadtime, whose
// samples just before and after a wait can have its cause too.
func TestWaitsAgree(t *testing.T) {
	for _, path := range []string{
		"truth/wait-truth", "old/wait-truth-net9", "net11/truth/net11-wait-truth", "truth/starve", "net11/truth/net11-sync-over-async",
		"traces/net10-mix-locks", "net11/traces/net11-mix-locks", "traces/net10-allevents", "net11/traces/net11-allevents",
	} {
		a := answers{t: t, path: filepath.Join(shared.Dir(t), filepath.FromSlash(path)+".v4.nettrace.zst")}
		want, got := map[string]int64{}, map[string]int64{}
		for _, report := range a.run("report", "waits", "--json", a.path) {
			for _, row := range report.list("rows") {
				if row["sampled"] == false {
					want[blocking.Cause(row.text("cause")).Text()] += row.number("totalNs")
				}
			}
		}
		for _, answer := range a.run("threadtime", "--json", "--limit", "0", a.path) {
			for _, thread := range answer.list("threads") {
				for _, c := range thread.list("causes") {
					got[c.text("cause")] += c.number("durationNs")
				}
			}
		}
		expect.AtLeast(t, path+": causes", len(want), 2)
		for cause, nanos := range want {
			if got[cause] < nanos || got[cause] > nanos+nanos/50+5e6 {
				t.Errorf("%s: waits for %s: %d ns in the report, %d in threadtime", path, cause, nanos, got[cause])
			}
		}
	}
}
