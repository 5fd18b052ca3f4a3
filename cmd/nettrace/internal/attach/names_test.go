package attach

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/nettrace-go/nettrace/eventpipe"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestProgramName: the program has a name also if its command line has no word.
func TestProgramName(t *testing.T) {
	for _, c := range []struct {
		info *eventpipe.ProcessInfo
		want string
	}{
		{nil, "trace"},
		{&eventpipe.ProcessInfo{}, "trace"},
		{&eventpipe.ProcessInfo{CommandLine: "  "}, "trace"},
		{&eventpipe.ProcessInfo{CommandLine: " /app/shop --port 80"}, "shop"},
		{&eventpipe.ProcessInfo{CommandLine: "dotnet shop.dll", EntryAssembly: "shop:1"}, "shop_1"},
	} {
		a := Process{Info: c.info}
		expect.Equal(t, "name", a.ProgramName(), c.want)
	}
}

// TestNamesLimit: a rundown above the limit is an error.
func TestNamesLimit(t *testing.T) {
	failed := errors.New("failed")
	for _, c := range []struct {
		name   string
		stream io.Reader
		data   string
		err    string
	}{
		{"at the limit", strings.NewReader("1234"), "1234", ""},
		{"above", strings.NewReader("12345"), "", "the process sent more than the limit of 4 bytes"},
		{"an error of the stream", iotest.ErrReader(failed), "", "failed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			data, err := readAll(c.stream, 4)
			expect.Equal(t, "data", string(data), c.data)
			got := ""
			if err != nil {
				got = err.Error()
			}
			expect.Equal(t, "error", got, c.err)
		})
	}
}
