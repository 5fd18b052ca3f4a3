package analysis

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
)

// Severity is how important a finding is.
type Severity int

// The severities, in ascending order.
const (
	Low    Severity = iota // worth knowing
	Medium                 // worth a look
	High                   // the likely cause of a problem that users notice
)

var severityNames = [...]string{Low: "low", Medium: "medium", High: "high"}

// String returns the name of the severity: "low", "medium" or "high".
func (s Severity) String() string {
	if s >= 0 && int(s) < len(severityNames) {
		return severityNames[s]
	}
	return "Severity(" + strconv.Itoa(int(s)) + ")"
}

// MarshalText returns the name.
func (s Severity) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads a name.
func (s *Severity) UnmarshalText(text []byte) error {
	i := slices.Index(severityNames[:], string(text))
	if i < 0 {
		return fmt.Errorf("analysis: %q is no severity", text)
	}
	*s = Severity(i)
	return nil
}

// Finding is something in the trace that is worth a look.
type Finding struct {
	// Rule names the rule: "gc-pause-share".
	Rule     string   `json:"rule"`
	Severity Severity `json:"severity"` // how important it is
	// Text is a sentence with the numbers.
	Text string `json:"text"`
	// Value is the measure that the rule compares with its threshold.
	Value float64 `json:"value"`
	Unit  string  `json:"unit"` // of Value: "percent", "count", "nanoseconds" or "bytes"
	// Advice is a sentence that says what to do.
	Advice string `json:"advice"`
	// Command shows the details; it contains FILE where the name of the trace goes.
	Command string `json:"command"`

	excess float64 // how many times Value is the threshold
}

// Rule is a rule for findings. A part lists its rules in a table.
type Rule struct {
	Name      string   // of the finding's Rule
	Threshold float64  // the lowest value that is a finding
	High      float64  // the lowest value of severity High; 0 for none
	Unit      string   // of the value: "percent", "count", "nanoseconds" or "bytes"
	Severity  Severity // below High
	Advice    string   // a sentence that says what to do
	Command   string   // shows the details, with FILE where the name of the trace goes
}

// Check returns the finding for a value, and whether it reaches the threshold. A
// value that is not finite never does: JSON has no number for it.
func (r *Rule) Check(value float64, text string) (Finding, bool) {
	if !(value >= r.Threshold) || math.IsInf(value, 0) {
		return Finding{}, false
	}
	f := Finding{
		Rule: r.Name, Severity: r.Severity, Text: text, Value: math.Round(value*10) / 10, Unit: r.Unit, Advice: r.Advice, Command: r.Command,
	}
	if r.High != 0 && value >= r.High {
		f.Severity = High
	}
	if r.Threshold > 0 {
		f.excess = value / r.Threshold
	}
	return f, true
}

// Measured is a rule that a part checks once, with the measure of its rows and totals.
type Measured[Row, Totals any] struct {
	Rule
	// Measure returns the value and the text of the finding, "" for none.
	Measure func(rows []Row, totals *Totals) (value float64, text string)
}

// Findings returns the findings by rules, sorted as SortFindings does.
func Findings[Row, Totals any](rules []Measured[Row, Totals], rows []Row, totals *Totals) []Finding {
	list := []Finding{}
	for i := range rules {
		if value, text := rules[i].Measure(rows, totals); text != "" {
			if f, ok := rules[i].Check(value, text); ok {
				list = append(list, f)
			}
		}
	}
	SortFindings(list)
	return list
}

// SortFindings sorts findings by importance: by severity, then by how many times
// the value is the threshold.
func SortFindings(list []Finding) {
	slices.SortStableFunc(list, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(b.Severity, a.Severity), cmp.Compare(b.excess, a.excess))
	})
}
