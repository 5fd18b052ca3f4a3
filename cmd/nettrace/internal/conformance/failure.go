package conformance

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nettrace-go/nettrace/conformance/runner"
)

// maxReason and maxQuoted bound the text of a failure in characters and in lines of
// the program's standard error. The output of --json is complete.
const (
	maxReason = 2000
	maxQuoted = 20
)

func shortened(reason string) string {
	if len(reason) <= maxReason {
		return reason
	}
	return fmt.Sprintf("%s... (%d bytes; --json prints all)", strings.ToValidUTF8(reason[:maxReason], ""), len(reason))
}

// quoted returns the last lines of a program's standard error, indented.
func quoted(stderr string) string {
	if strings.TrimSpace(stderr) == "" {
		return ""
	}
	lines := strings.Split(strings.TrimRight(stderr, "\r\n"), "\n")
	text := ""
	if n := len(lines) - maxQuoted; n > 0 {
		text = fmt.Sprintf("  stderr: (%d lines before; --json prints all)\n", n)
		lines = lines[n:]
	}
	for _, line := range lines {
		text += "  stderr: " + strings.TrimSuffix(line, "\r") + "\n"
	}
	return text
}

// slowStart is the median time of a case from which --stream is suggested.
const slowStart = 100 * time.Millisecond

// streamHint suggests --stream if a process for each case took long. It returns ""
// if not.
func streamHint(report *runner.Report) string {
	var times []time.Duration
	for _, r := range report.Results {
		times = append(times, r.Duration)
	}
	slices.Sort(times)
	if len(times) < 2 || times[len(times)/2] < slowStart {
		return ""
	}
	return fmt.Sprintf("a process for each case took %v in the median: with --stream one process gets all cases", times[len(times)/2].Round(10*time.Millisecond))
}
