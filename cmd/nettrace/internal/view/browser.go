package view

import (
	"fmt"
	"html"
	"os"
	"os/exec"
	"runtime"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
)

// openers are the commands that open a file, by system; other systems use xdg-open.
var openers = map[string][]string{
	"darwin":  {"open"},
	"windows": {"rundll32", "url.dll,FileProtocolHandler"},
}

// openBrowser opens an address in the user's browser. The address has the token, and other
// users can read the arguments of a process: the browser opens a file that only this user
// can read, which leads to the address. remove removes the file.
func openBrowser(p *run.Program, address string) (remove func()) {
	remove = func() {}
	path, err := redirect(address)
	if path != "" {
		remove = func() { os.Remove(path) }
	}
	if err == nil {
		opener, ok := openers[runtime.GOOS]
		if !ok {
			opener = []string{"xdg-open"}
		}
		cmd := exec.Command(opener[0], append(opener[1:], path)...)
		if err = cmd.Start(); err == nil {
			go func() { _ = cmd.Wait() }() // the browser can run as long as this program
		}
	}
	if err != nil {
		p.Complain("no browser was opened: open the address above (%v)", err)
	}
	return remove
}

// redirect writes a page that leads to an address, and returns its path.
func redirect(address string) (path string, err error) {
	f, err := os.CreateTemp("", "nettrace-*.html") // only this user can read it
	if err != nil {
		return "", err
	}
	defer f.Close()
	_, err = fmt.Fprintf(f, `<!doctype html><meta http-equiv="refresh" content="0; url=%s">`, html.EscapeString(address))
	return f.Name(), err
}
