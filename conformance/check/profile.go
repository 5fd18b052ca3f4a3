package check

import (
	"fmt"
	"slices"

	"github.com/nettrace-go/nettrace/codec/rule"
)

// Profile is a choice of rules and of their severities.
type Profile string

// The profiles.
const (
	// Default reports errors and warnings.
	Default Profile = "default"
	// Strict raises warnings that are based on the specification to errors,
	// including those about payloads.
	Strict Profile = "strict"
	// ReaderOnly reports only rules that existing readers depend on.
	ReaderOnly Profile = "reader"
	// Lint also reports information.
	Lint Profile = "lint"
	// DotnetRuntime does not report known deviations of the .NET runtime.
	DotnetRuntime Profile = "dotnet-runtime"
	// OneCollect lowers known deviations of one-collect (record-trace) to
	// information.
	OneCollect Profile = "one-collect"
)

// Profiles are all profiles.
var Profiles = []Profile{Default, Strict, ReaderOnly, Lint, DotnetRuntime, OneCollect}

// ParseProfile returns the profile with a name. "" is Default.
func ParseProfile(name string) (Profile, error) {
	if name == "" {
		return Default, nil
	}
	if p := Profile(name); slices.Contains(Profiles, p) {
		return p, nil
	}
	return "", fmt.Errorf("no profile %q: there are %v", name, Profiles)
}

// runtimeHabits are rules that the .NET runtime and its event sources break, and
// oneCollectHabits those that one-collect breaks.
var (
	runtimeHabits = []rule.ID{
		rule.MD012, rule.MD013, rule.PAY002, rule.PAY004, rule.PAY021, rule.PAY022, rule.STK015, rule.TYP013,
	}
	oneCollectHabits = []rule.ID{
		rule.TRC003, rule.TYP014, rule.PAY003, rule.LBL008, rule.LBL013, rule.LBL016, rule.EVB009, rule.EVB011,
		rule.SQP005, rule.CMP008, rule.CMP009, rule.CMP015, rule.MD013, rule.MD016, rule.MD017, rule.THR012, rule.OPT011,
	}
)

// grade is the severity in the profile of a rule of severity as, 0 for none.
func (p Profile) grade(r *rule.Rule, as rule.Severity) rule.Severity {
	switch {
	case p == Lint:
		return as
	case p == OneCollect && slices.Contains(oneCollectHabits, r.ID):
		return rule.Information
	case as == rule.Information, p == DotnetRuntime && slices.Contains(runtimeHabits, r.ID),
		p == ReaderOnly && r.Basis != rule.Reader:
		return 0
	case p == Strict && as == rule.Warning && r.Basis == rule.Text:
		return rule.Error
	}
	return as
}
