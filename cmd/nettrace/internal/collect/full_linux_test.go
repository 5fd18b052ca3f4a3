package collect_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/testfile"
	"github.com/nettrace-go/nettrace/eventpipe/eventpipetest"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestCollectFullDisk: on a full file system the summary and the file have the same number
// of events, and check finds no fault. A recording has the names of methods, which come last.
func TestCollectFullDisk(t *testing.T) {
	data := testfile.Plain(t, "sarif-net8.v4")
	for _, c := range []struct {
		args, size string
		names      bool
	}{
		{"-o r.nettrace", "4200k", true},
		{"-o r.nettrace.zst", "600k", true},
		{"-o r.nettrace --ring 1m", "2m", false},
		{"-o r.nettrace.zst --ring 20MB", "300k", false},
		{"-o r.nettrace --rotate 10MB", "4200k", true},
	} {
		dir := t.TempDir()
		if err := syscall.Mount("none", dir, "tmpfs", 0, "size="+c.size); err != nil {
			t.Skipf("a file system of fixed size cannot be mounted: %v", err)
		}
		t.Cleanup(func() { _ = syscall.Unmount(dir, syscall.MNT_DETACH) })
		r := eventpipetest.Start(t, eventpipetest.Config{Release: 8, Trace: eventpipetest.Trace{Data: data}})
		args := strings.Fields("collect --port " + r.Address() + ",connect --duration 300ms " + strings.Replace(c.args, "-o ", "-o "+dir+"/", 1))
		got := programtest.Run(t, nil, args...)
		if got.Code != exit.Broken {
			t.Errorf("%s: exit code %d: %s", c.args, got.Code, got.Stderr)
		}
		files, err := filepath.Glob(filepath.Join(dir, "*"))
		expect.NoError(t, err)
		expect.Len(t, "files of "+c.args, files, 1)
		if len(files) != 1 {
			continue
		}
		summary := got.Stderr[strings.Index(got.Stderr, files[0]+": "):]
		written := regexp.MustCompile(`([0-9,]+) events`).FindStringSubmatch(summary)
		expect.Len(t, "numbers in the summary of "+c.args, written, 2)
		expect.Stop(t)
		expect.Equal(t, "events of "+c.args, fmt.Sprint(eventsIn(t, files[0])), strings.ReplaceAll(written[1], ",", ""))
		expect.Contains(t, "check of "+c.args, programtest.Run(t, nil, "check", files[0]).Out, "no finding")
		if c.names {
			rundown := programtest.Run(t, nil, "events", "--provider", "*Rundown", "--event", "MethodDCEndVerbose*", files[0])
			expect.AtLeast(t, "names of "+c.args, strings.Count(rundown.Out, "\n"), 3000)
		}
		_ = os.Remove(files[0])
	}
}
