package check

// JUnitSuites is what a reader of JUnit's format finds in the report.
type JUnitSuites struct {
	Tests    int `xml:"tests,attr"`
	Failures int `xml:"failures,attr"`
	Errors   int `xml:"errors,attr"`
	Suites   []struct {
		Cases []struct {
			Name string `xml:"name,attr"`
		} `xml:"testcase"`
	} `xml:"testsuite"`
}

// Unreadable is the rule in SARIF's format for files that cannot be read.
const Unreadable = unreadable
