package program

import (
	"io"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestManPage checks the parts of a page.
func TestManPage(t *testing.T) {
	args := []string{"report", "gc"}
	top, _, err := Root(&run.Program{Stdout: io.Discard, Stderr: io.Discard}, args).Find(args)
	expect.NoError(t, err)
	page := string(manPage(top))
	expect.Contains(t, "page", page, ".TH \"NETTRACE-REPORT-GC\" 1", ".SH NAME\nnettrace\\-report\\-gc \\- Print the garbage",
		".SH DESCRIPTION\n.nf\nreport gc prints", "\n.TP\n\\fB\\-f\\fP, \\fB\\-\\-format\\fP \\fIFORMAT\\fP\noutput FORMAT",
		".SH EXAMPLES\n", ".SH SEE ALSO\n\\fBnettrace\\-report\\fP(1)")
	for line := range strings.Lines(page) {
		if strings.HasPrefix(line, ".") && !strings.Contains(".TH .SH .TP .nf .fi .B ", line[:strings.IndexAny(line, " \n")]+" ") {
			t.Errorf("line %q is no macro of a page", line)
		}
	}
}

// TestRoff escapes what has a meaning for man.
func TestRoff(t *testing.T) {
	expect.Equal(t, "text", roff(".x\n'y\n--a \\ b"), "\\&.x\n\\&'y\n\\-\\-a \\e b")
}
