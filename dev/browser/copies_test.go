package browser

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/chromedp"

	"github.com/nettrace-go/nettrace/internal/expect"
)

// copied returns what a button of a table copies.
func (p *page) copied(t *testing.T) (rows [][]string) {
	t.Helper()
	p.evaluate(t, "(navigator.clipboard && (navigator.clipboard.writeText = text => { window.copied = text; return Promise.resolve() }), 0)", new(int))
	p.run(t, chromedp.Click("//main//button[text()='Copy TSV']"))
	p.waitFor(t, "the copy", "document.querySelector('.copies [role=status]').textContent === 'copied'")
	var text string
	p.evaluate(t, "window.copied", &text)
	for line := range strings.Lines(text) {
		rows = append(rows, strings.Split(strings.TrimSuffix(line, "\n"), "\t"))
	}
	return rows
}

// TestCopyTSV: the copy of Top has the numbers of "nettrace top --json", with all rows.
func TestCopyTSV(t *testing.T) {
	p := open(t, reported(t, "net10-mix-cpu.v4")+"#/top?type=wall")
	p.frame(t)
	var want top
	expect.NoError(t, json.Unmarshal([]byte(command(t, "top", "--json", "--limit", "0", "--type", "wall", traceOnce(t, "net10-mix-cpu.v4"))), &want))
	got := p.copied(t)
	expect.Equal(t, "columns", strings.Join(got[0], " "), "self selfPercent total totalPercent samples name module")
	expect.Equal(t, "rows", len(got)-1, len(want.Rows))
	for i, row := range want.Rows {
		line := got[i+1]
		expect.Equal(t, fmt.Sprintf("row %d", i), strings.Join([]string{line[0], line[2], line[4], line[5], line[6]}, " "),
			fmt.Sprintf("%d %d %d %s %s", row.Self, row.Total, row.Samples, row.Name, row.Module))
	}
	p.visit(t, "#/tree?type=wall")
	expect.Equal(t, "columns of the call tree", strings.Join(p.copied(t)[0], " "), "level total totalPercent self name module")
	p.visit(t, "#/gc")
	expect.Contains(t, "columns of gc", strings.Join(p.copied(t)[0], " "), "number generation startNs pauseNs")
}

// TestSaveCSV: the saved table has cells that no spreadsheet runs as a formula.
func TestSaveCSV(t *testing.T) {
	p := open(t, reportOf(t, hostileTrace(t))+"#/top?type=wall")
	dir := t.TempDir()
	p.run(t, browser.SetDownloadBehavior(browser.SetDownloadBehaviorBehaviorAllow).WithDownloadPath(dir))
	p.run(t, chromedp.Click("//main//button[text()='Save CSV']"))
	name := filepath.Join(dir, "methods.csv")
	for begun := time.Now(); ; time.Sleep(20 * time.Millisecond) {
		if _, err := os.Stat(name); err == nil {
			break
		}
		if time.Since(begun) > 20*time.Second {
			t.Fatal("no file was saved")
		}
	}
	file, err := os.Open(name)
	expect.NoError(t, err)
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	expect.NoError(t, err)
	found := false
	for _, row := range rows[1:] {
		found = found || strings.HasPrefix(row[5], "'=cmd|")
		if strings.ContainsAny(row[5][:1], "=+-@") {
			t.Errorf("the cell %q is a formula", row[5])
		}
	}
	expect.Equal(t, "the formula is quoted", found, true)
}
