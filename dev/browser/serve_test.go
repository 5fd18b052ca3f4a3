package browser

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
)

// serve runs "nettrace view" for a trace. It returns the printed address, and a
// function that ends the program, which is also called at the end of the test.
func serve(t *testing.T, trace string, flags ...string) (address string, end func()) {
	t.Helper()
	return serveIn(t, filepath.Dir(trace), append(flags, filepath.Base(trace))...)
}

// serveIn runs "nettrace view" in a folder.
func serveIn(t *testing.T, dir string, args ...string) (address string, end func()) {
	t.Helper()
	cmd := exec.Command(nettrace, append([]string{"view", "--no-browser"}, args...)...)
	cmd.Dir = dir
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := false
	end = func() {
		if !ended {
			ended = true
			_ = cmd.Process.Kill()
			_ = cmd.Wait() // it was killed
		}
	}
	t.Cleanup(end)
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(line), end
}

// Test23: the address bar has no token after loading, and a reload still works.
func Test23Token(t *testing.T) {
	address, _ := serve(t, traceFile(t, "net10-mix-gc.v4"), "--page", "gc", "--from", "100ms")
	p := open(t, address)
	check := func() {
		t.Helper()
		var shown string
		p.evaluate(t, "location.href", &shown)
		expect.Lacks(t, "address", shown, "token")
		expect.Contains(t, "address", shown, "#/gc?from=100ms")
	}
	check()
	p.run(t, chromedp.Reload(), chromedp.WaitVisible("#command", chromedp.ByQuery))
	check()
}

// TestWithoutToken: the page without a token shows what to do.
func TestWithoutToken(t *testing.T) {
	address, _ := serve(t, traceFile(t, "net10-mix-gc.v4"))
	base, _, _ := strings.Cut(address, "#")
	p := open(t, base)
	expect.Contains(t, "page", p.text(t, "[role=alert]"), "Open the address that nettrace view printed")
	p.ignoreProblems()
}

// Test34: the page of a server that ended shows the band and still filters.
func Test34Killed(t *testing.T) {
	address, end := serve(t, traceFile(t, "net10-mix-cpu.v4"), "--page", "top", "--type", "wall")
	p := open(t, address)
	p.frame(t)
	before := p.text(t, "header .muted")
	end()
	p.waitFor(t, "the band", "document.querySelector('.served') !== null")
	p.ignoreProblems() // the browser reports that the connection ended
	expect.Contains(t, "band", p.text(t, ".served"), "nettrace view has ended", "The page keeps its data", "Reconnect")
	p.keys(t, "j")
	p.run(t, chromedp.Click("tbody tr[aria-rowindex='2']", chromedp.ByQuery))
	p.frame(t)
	expect.Contains(t, "command", p.text(t, "#command"), "--just-my-code")
	expect.Equal(t, "head", p.text(t, "header .muted"), before)
}

// TestChanged: the page of a trace that changes on disk shows the band, and reads it again.
func TestChanged(t *testing.T) {
	trace := traceFile(t, "net10-mix-gc.v4")
	address, _ := serve(t, trace, "--page", "top")
	p := open(t, address)
	before := p.text(t, "header .muted")
	if err := os.WriteFile(trace, shared.Trace(t, "net10-mix-cpu.v4"), 0o666); err != nil {
		t.Fatal(err)
	}
	p.waitFor(t, "the band", "document.querySelector('.served') !== null")
	expect.Contains(t, "band", p.text(t, ".served"), "The trace has changed on disk")
	p.run(t, chromedp.Click(".served button", chromedp.ByQuery))
	p.waitFor(t, "the new trace", "document.querySelector('.served') === null && document.querySelector('header .muted').textContent !== "+quoted(before))
}

// TestHome: "nettrace view" without arguments lists traces and processes, and opens those
// that are clicked.
func TestHome(t *testing.T) {
	trace := traceFile(t, "net10-mix-gc.v4")
	args := corners(t, "wait")
	app := exec.Command(args[0], args[1:]...)
	if err := app.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = app.Process.Kill()
		_ = app.Wait() // it was killed
	})
	pid := strconv.Itoa(app.Process.Pid)
	for begun := time.Now(); !strings.Contains(command(t, "ps", "--json"), `"pid":`+pid+`,"nspid":`+pid+`,"name":"Corners"`); {
		if time.Since(begun) > time.Minute {
			t.Fatal("the process is not listed")
		}
	}
	address, _ := serveIn(t, filepath.Dir(trace))
	p := open(t, address)
	expect.Contains(t, "processes", p.text(t, "table[aria-label=Processes]"), pid, "Corners")
	p.picture(t, "home")
	p.run(t, chromedp.Click("//button[text()='"+filepath.Base(trace)+"']"), chromedp.WaitVisible("#command", chromedp.ByQuery))
	expect.Contains(t, "head", p.text(t, "header"), filepath.Base(trace))
	p.run(t, chromedp.Reload(), chromedp.WaitVisible("#command", chromedp.ByQuery))
	expect.Contains(t, "head after a reload", p.text(t, "header"), filepath.Base(trace))
	p.run(t, chromedp.Click("//button[text()='Traces and processes']"), chromedp.WaitVisible(".home", chromedp.ByQuery))
	p.run(t, chromedp.Click("//tr[td='"+pid+"']//button"), chromedp.WaitVisible("#live-state", chromedp.ByQuery))
	p.waitFor(t, "samples", "nettrace.head().types.length > 0")
	list := func(state string) {
		p.run(t, chromedp.Click("//button[text()='Traces and processes']"), chromedp.WaitVisible(".home", chromedp.ByQuery))
		p.picture(t, "home-"+state)
		expect.Contains(t, "recordings", p.text(t, "table[aria-label=Recordings]"), pid+" (Corners)", state)
	}
	list("running")
	p.run(t, chromedp.Click("//table[@aria-label='Recordings']//button"), chromedp.WaitVisible("#live-state", chromedp.ByQuery))
	if err := app.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	p.waitFor(t, "the end", "document.querySelector('#live-state').textContent === 'ended'")
	list("ended: the stream ended without an end mark")
	p.run(t, chromedp.Click("//table[@aria-label='Recordings']//button"), chromedp.WaitVisible("#live-state", chromedp.ByQuery))
	p.waitFor(t, "the kept samples", "nettrace.head().types.length > 0")
}

// Test35: the page requests its server only, and a report nothing.
func Test35Requests(t *testing.T) {
	trace := traceFile(t, "net10-mix-gc.v4")
	address, _ := serve(t, trace)
	served := open(t, address)
	base, _, _ := strings.Cut(address, "#")
	served.keys(t, "g", "g", "1", "g", "c")
	report := open(t, reportOf(t, trace))
	report.keys(t, "g", "g", "1", "g", "c")
	for _, r := range served.seen() {
		if !strings.HasPrefix(r, base) && !strings.HasPrefix(r, "data:") {
			t.Errorf("the page requested %s", r)
		}
	}
	for _, r := range report.seen()[1:] {
		if !strings.HasPrefix(r, "data:") {
			t.Errorf("the report requested %s", r)
		}
	}
}
