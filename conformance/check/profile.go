package check

import (
	"fmt"
	"slices"

	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// Profile is a choice of rules and of their severities.
type Profile string

// The profiles.
const (
	// Default reports errors and warnings.
	Default Profile = "default"
	// Strict raises warnings that are based on a sentence of the specification of
	// the trace's version to errors, including those about payloads.
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

// grade returns the severity in the profile of a finding with the severity as, 0
// for none. It goes by the basis of the rule in the version of the trace.
func (p Profile) grade(as rule.Severity, r *rule.Rule, version rule.Versions) rule.Severity {
	switch {
	case p == Lint:
		return as
	case p == OneCollect && slices.Contains(oneCollectHabits, r.ID):
		return rule.Information
	case as == rule.Information, p == DotnetRuntime && slices.Contains(runtimeHabits, r.ID),
		p == ReaderOnly && r.BasisIn(version) != rule.Reader:
		return 0
	case p == Strict && as == rule.Warning && r.BasisIn(version) == rule.Text:
		return rule.Error
	}
	return as
}

// versionOf returns a format as the rules name it.
func versionOf(format wire.Format) rule.Versions {
	switch {
	case !format.HasSpecification():
		return rule.V3
	case format.HasTags():
		return rule.V5
	case format.HasObjects():
		return rule.V4
	}
	return rule.V6
}
