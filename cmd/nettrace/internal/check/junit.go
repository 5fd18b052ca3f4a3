package check

import (
	"encoding/xml"
	"io"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/display"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/conformance/check"
)

// junitPrinter prints JUnit XML: a suite for each file, a case for each finding.
type junitPrinter struct {
	p         *run.Program
	threshold rule.Severity
	report    junitReport
}

// junitReport is the root element.
type junitReport struct {
	XMLName xml.Name `xml:"testsuites"`
	junitCount
	Suites []junitSuite `xml:"testsuite"`
}

// junitSuite is the suite of a file.
type junitSuite struct {
	junitCount
	Cases []junitCase `xml:"testcase"`
}

// junitCount counts the cases of a suite, or of all.
type junitCount struct {
	Name     string `xml:"name,attr,omitempty"`
	Tests    int    `xml:"tests,attr"`
	Failures int    `xml:"failures,attr"`
	Errors   int    `xml:"errors,attr"`
	Skipped  int    `xml:"skipped,attr"`
}

type junitCase struct {
	Name    string        `xml:"name,attr,omitempty"`
	Class   string        `xml:"classname,attr,omitempty"`
	Failure *junitMessage `xml:"failure"`
	Error   *junitMessage `xml:"error"`
	Skipped *junitMessage `xml:"skipped"`
	Output  string        `xml:"system-out,omitempty"`
}

type junitMessage struct {
	Message string `xml:"message,attr,omitempty"`
	Type    string `xml:"type,attr,omitempty"`
	Text    string `xml:",chardata"`
}

func newJUnit(p *run.Program, o *options, _ int) printer {
	return &junitPrinter{p: p, threshold: o.threshold, report: junitReport{junitCount: junitCount{Name: "nettrace check"}}}
}

func (c *junitPrinter) file(r *checked) error {
	s := junitSuite{junitCount: junitCount{Name: r.name}}
	if r.err != nil {
		s.add(junitCase{Name: "read", Class: r.name, Error: &junitMessage{Message: r.err.Error()}})
	}
	if r.report != nil {
		for i := range r.report.Findings {
			s.add(c.finding(r.name, &r.report.Findings[i]))
		}
	}
	if len(s.Cases) == 0 {
		s.add(junitCase{Name: "conforms", Class: r.name})
	}
	all := &c.report
	all.Suites = append(all.Suites, s)
	all.Tests += s.Tests
	all.Failures += s.Failures
	all.Errors += s.Errors
	all.Skipped += s.Skipped
	return nil
}

// finding returns the case of a finding. The case of a finding that does not fail the check
// passes and has the text as its output.
func (c *junitPrinter) finding(name string, f *check.Finding) junitCase {
	sentence := f.Rule.Rule().Sentence
	text := f.Severity.String() + ": " + sentence + "\nat " + place(f) + "\n"
	if d := difference(f); d != "" {
		text += d + "\n"
	}
	text += display.Counted(f.Count, "time") + "\nfix: " + f.Hint + "\n"
	test := junitCase{Name: f.Rule.String() + " at " + display.Grouped(f.Offset), Class: name}
	switch {
	case f.Suppressed != "":
		test.Skipped = &junitMessage{Message: f.Suppressed}
	case c.threshold > 0 && f.Severity >= c.threshold:
		test.Failure = &junitMessage{sentence, f.Rule.String(), text}
	default:
		test.Output = text
	}
	return test
}

// add adds a case and counts it.
func (s *junitSuite) add(test junitCase) {
	s.Cases = append(s.Cases, test)
	s.Tests++
	switch {
	case test.Failure != nil:
		s.Failures++
	case test.Error != nil:
		s.Errors++
	case test.Skipped != nil:
		s.Skipped++
	}
}

// end prints the suites.
func (c *junitPrinter) end() error {
	text, err := xml.MarshalIndent(c.report, "", "  ")
	if err == nil {
		_, err = io.WriteString(c.p.Stdout, xml.Header+string(text)+"\n")
	}
	return err
}
