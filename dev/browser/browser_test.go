package browser

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/machine"
	"github.com/nettrace-go/nettrace/internal/shared"
	"github.com/nettrace-go/nettrace/internal/tier"
)

// nettrace is the program, and chromium the context of the browser. folder is
// removed after the tests.
var (
	nettrace, folder string
	chromium         context.Context
)

func TestMain(m *testing.M) {
	code := 1
	defer func() { os.Exit(code) }()
	dir, err := os.MkdirTemp("", "nettrace-browser-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	folder, nettrace = dir, filepath.Join(dir, "nettrace")
	build := exec.Command("go", "build", "-o", nettrace, "./cmd/nettrace")
	build.Dir, build.Env = filepath.Join("..", ".."), append(os.Environ(), "GOWORK=") // this module is not in go.work
	if out, err := build.CombinedOutput(); err != nil {
		panic(string(out))
	}
	if _, err := exec.LookPath("chromium"); err == nil {
		options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath("chromium"), chromedp.NoSandbox, chromedp.WindowSize(1280, 800),
			chromedp.UserDataDir(filepath.Join(dir, "user")))
		allocator, stop := chromedp.NewExecAllocator(context.Background(), options...)
		defer stop()
		var end context.CancelFunc
		chromium, end = chromedp.NewContext(allocator)
		defer end()
		if err := chromedp.Run(chromium); err != nil {
			panic(err)
		}
	}
	code = m.Run()
}

// patience is the time for which a tab is open.
func patience() time.Duration {
	if tier.Nightly {
		return 10 * time.Minute
	}
	return time.Minute
}

// page is a tab with the viewer.
type page struct {
	ctx context.Context

	mu       sync.Mutex
	problems []string // errors of scripts and violations of the policy
	requests []string // addresses of network requests
}

// open opens an address in a new tab, and waits until the page is drawn.
func open(t *testing.T, address string) *page {
	t.Helper()
	if chromium == nil {
		machine.Lacks(t, "chromium", "no chromium: make viewers installs it")
	}
	tab, closeTab := chromedp.NewContext(chromium)
	ctx, cancel := context.WithTimeout(tab, patience())
	t.Cleanup(func() { cancel(); closeTab() })
	p := &page{ctx: ctx}
	p.run(t)
	chromedp.ListenTarget(ctx, p.listen)
	p.run(t, chromedp.Navigate(address), chromedp.WaitVisible("#command, .failed, .home", chromedp.ByQuery))
	t.Cleanup(func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		expect.Equal(t, "errors in the page", strings.Join(p.problems, "\n"), "")
	})
	return p
}

// listen keeps errors and requests.
func (p *page) listen(event any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		text := e.ExceptionDetails.Text
		if e.ExceptionDetails.Exception != nil {
			text += " " + e.ExceptionDetails.Exception.Description
		}
		p.problems = append(p.problems, text)
	case *log.EventEntryAdded:
		if e.Entry.Level == log.LevelError {
			p.problems = append(p.problems, e.Entry.Text)
		}
	case *network.EventRequestWillBeSent:
		p.requests = append(p.requests, e.Request.URL)
	}
}

// awaited makes the value of a promise that of an expression.
func awaited(e *runtime.EvaluateParams) *runtime.EvaluateParams { return e.WithAwaitPromise(true) }

// run runs actions.
func (p *page) run(t *testing.T, actions ...chromedp.Action) {
	t.Helper()
	if err := chromedp.Run(p.ctx, actions...); err != nil {
		t.Fatal(err)
	}
}

// evaluate sets to to the value of an expression.
func (p *page) evaluate(t *testing.T, expression string, to any) {
	t.Helper()
	var text string
	err := chromedp.Run(p.ctx, chromedp.Evaluate("JSON.stringify("+expression+")", &text))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(text), to); err != nil {
		t.Fatalf("%s: %v", expression, err)
	}
}

// await sets to to the value of a promise.
func (p *page) await(t *testing.T, promise string, to any) {
	t.Helper()
	var text string
	err := chromedp.Run(p.ctx, chromedp.Evaluate("("+promise+").then(v => JSON.stringify(v))", &text, awaited))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(text), to); err != nil {
		t.Fatalf("%s: %v", promise, err)
	}
}

// frame waits until the page has drawn what a change leads to.
func (p *page) frame(t *testing.T) {
	t.Helper()
	const drawn = "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => done(''), 30))))"
	if err := chromedp.Run(p.ctx, chromedp.Evaluate(drawn, new(string), awaited)); err != nil {
		t.Fatal(err)
	}
}

// visit shows another address of the same document.
func (p *page) visit(t *testing.T, hash string) {
	t.Helper()
	p.evaluate(t, "(location.hash = "+quoted(hash)+", 0)", new(int))
	p.frame(t)
}

// text returns the text of an element.
func (p *page) text(t *testing.T, selector string) string {
	t.Helper()
	var text string
	p.evaluate(t, "document.querySelector("+quoted(selector)+").textContent", &text)
	return text
}

// quoted returns a text as an expression.
func quoted(text string) string {
	b, _ := json.Marshal(text)
	return string(b)
}

// traceFile writes a trace into a file, without compression.
func traceFile(t *testing.T, name string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name+".nettrace")
	if err := os.WriteFile(path, shared.Trace(t, name), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// reportOf writes the report of a trace, and returns its address.
func reportOf(t *testing.T, trace string, flags ...string) string {
	t.Helper()
	path := strings.TrimSuffix(trace, ".nettrace") + ".html"
	command(t, slices.Concat([]string{"report", "--force", "-o", path, trace}, flags)...)
	return "file://" + path
}

// reported returns the address of the report of a shared trace, which all tests
// share.
func reported(t *testing.T, name string) string {
	t.Helper()
	path := filepath.Join(folder, name+".html")
	if _, err := os.Stat(path); err != nil {
		command(t, "report", "--force", "-o", path, traceFile(t, name))
	}
	return "file://" + path
}

// command runs the program and returns its output. A code of 1 is no error: it means
// that nothing matches, or that a trace is truncated.
func command(t *testing.T, args ...string) string {
	t.Helper()
	cmd := exec.Command(nettrace, args...)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil && cmd.ProcessState.ExitCode() != 1 {
		t.Fatalf("%v: %v\n%s", cmd, err, stderr.String())
	}
	return string(out)
}

// ignoreProblems forgets the errors of a page that the test expects.
func (p *page) ignoreProblems() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.problems = nil
}

// seen returns the addresses of the requests so far.
func (p *page) seen() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.requests)
}
