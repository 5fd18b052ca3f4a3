package check

import (
	"fmt"
	"strings"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/conformance/check"
)

// githubPrinter prints workflow commands of GitHub Actions, which become annotations of
// the files. It leaves out suppressed findings.
type githubPrinter struct{ p *run.Program }

func newGitHub(p *run.Program, _ *options, _ int) printer { return &githubPrinter{p} }

func (c *githubPrinter) end() error { return nil }

func (c *githubPrinter) file(r *checked) error {
	var b []byte
	if r.err != nil {
		b = appendAnnotation(b, rule.Error, r.name, unreadable, r.err.Error())
	}
	if r.report != nil {
		for i := range r.report.Findings {
			if f := &r.report.Findings[i]; f.Suppressed == "" {
				b = appendAnnotation(b, f.Severity, r.name, f.Rule.String(), annotationText(f))
			}
		}
	}
	_, err := c.p.Stdout.Write(b)
	return err
}

// annotationText returns the message of a finding.
func annotationText(f *check.Finding) string {
	text := f.Rule.Rule().Sentence + "\nat " + place(f)
	if f.Count > 1 {
		text += fmt.Sprintf("; %d times in total", f.Count)
	}
	if d := difference(f); d != "" {
		text += "\n" + d
	}
	return text + "\nfix: " + f.Hint
}

// annotations are the workflow commands for severities.
var annotations = map[rule.Severity]string{rule.Error: "error", rule.Warning: "warning", rule.Information: "notice"}

// commandText escapes the message of a workflow command, and commandProperty a property.
var (
	commandText     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	commandProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

// appendAnnotation appends a workflow command.
func appendAnnotation(b []byte, s rule.Severity, file, title, text string) []byte {
	return fmt.Appendf(b, "::%s file=%s,title=%s::%s\n",
		annotations[s], commandProperty.Replace(file), commandProperty.Replace(title), commandText.Replace(text))
}
