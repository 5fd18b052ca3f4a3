package check

import (
	"encoding/xml"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/display"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/run"
	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/conformance/check"
)

// junitPrinter prints JUnit XML: a suite for each file, a case for each finding.
type junitPrinter struct {
	p         *run.Program
	threshold rule.Severity
	suites    junitSuites
}

type junitSuites struct {
	XMLName  xml.Name     `xml:"testsuites"`
	Name     string       `xml:"name,attr"`
	Tests    int          `xml:"tests,attr"`
	Failures int          `xml:"failures,attr"`
	Errors   int          `xml:"errors,attr"`
	Skipped  int          `xml:"skipped,attr"`
	Suites   []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Errors   int         `xml:"errors,attr"`
	Skipped  int         `xml:"skipped,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Name    string        `xml:"name,attr"`
	Class   string        `xml:"classname,attr"`
	Failure *junitMessage `xml:"failure,omitempty"`
	Error   *junitMessage `xml:"error,omitempty"`
	Skipped *junitMessage `xml:"skipped,omitempty"`
	Output  string        `xml:"system-out,omitempty"`
}

type junitMessage struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr,omitempty"`
	Text    string `xml:",chardata"`
}

func newJUnit(p *run.Program, o *options, _ int) printer {
	return &junitPrinter{p: p, threshold: o.threshold, suites: junitSuites{Name: "nettrace check"}}
}

func (c *junitPrinter) file(r *checked) error {
	s := junitSuite{Name: r.name}
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
	c.suites.Suites = append(c.suites.Suites, s)
	c.suites.Tests += s.Tests
	c.suites.Failures += s.Failures
	c.suites.Errors += s.Errors
	c.suites.Skipped += s.Skipped
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
		test.Failure = &junitMessage{Message: sentence, Type: f.Rule.String(), Text: text}
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
	b, err := xml.MarshalIndent(&c.suites, "", "  ")
	if err != nil {
		return err
	}
	_, err = c.p.Stdout.Write(append(append([]byte(xml.Header), b...), '\n'))
	return err
}
