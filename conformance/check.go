// Package conformance judges writers and readers of NetTrace.
package conformance

import (
	"io"

	"github.com/nettrace-go/nettrace/conformance/check"
)

// Options chooses what a check tells; see package check.
type Options = check.Options

// Report is what a check found.
type Report = check.Report

// Finding is one departure from a rule of the format.
type Finding = check.Finding

// Check holds a stream against the rules of the format. The error is one of r:
// whatever is wrong with the stream stands in the Report.
func Check(r io.Reader, opt Options) (*Report, error) { return check.Stream(r, opt) }
