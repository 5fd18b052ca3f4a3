package check

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/gen"
	"github.com/nettrace-go/nettrace/internal/shared"
)

// within are faults that name a byte within the field that breaks the rule: its
// distance from the first one.
var within = map[string]int64{
	"block-past-stream": 2, // the third byte of BlockSize
	"types-too-deep":    1, // the nested type that makes its type too deep
}

// TestFaults injects every fault: its rule is found at its place, and nothing
// else; in the same stream without the fault nothing is found.
func TestFaults(t *testing.T) {
	seeds := uint64(3)
	if shared.Race {
		seeds = 1
	}
	for _, fault := range gen.Faults() {
		for _, format := range []wire.Format{wire.V4, wire.V5, wire.V6} {
			if !fault.In(format) {
				continue
			}
			t.Run(fmt.Sprintf("%s/v%d", fault.Name, format.Major), func(t *testing.T) {
				for seed := range seeds {
					checkFault(t, &fault, fault.Inject(format, seed))
				}
			})
		}
	}
}

func checkFault(t *testing.T, fault *gen.Fault, got gen.Case) {
	t.Helper()
	if r := check(t, got.Corrected, Options{}); len(r.Findings) > 0 {
		t.Errorf("repaired: %v", told(r.Findings))
	}
	r := check(t, got.Faulty, Options{Profile: Lint})
	found := slices.ContainsFunc(r.Findings, func(f Finding) bool {
		return f.Rule == fault.Rule && f.Offset == got.Offset-within[fault.Name]
	})
	others := slices.DeleteFunc(slices.Clone(r.Findings), func(f Finding) bool {
		return f.Rule == fault.Rule || f.Severity == rule.Information
	})
	if !found || len(others) > 0 {
		others = slices.DeleteFunc(r.Findings, func(f Finding) bool {
			return f.Rule != fault.Rule && f.Severity == rule.Information
		})
		t.Errorf("want %v at %d (row %d): %v", fault.Rule, got.Offset, got.Row, told(others))
	}
}

// TestRandom checks valid random traces: the only findings are those about the
// alignment of rows after headers with extensions of odd sizes.
func TestRandom(t *testing.T) {
	for seed := range int64(150) {
		r := check(t, gen.Random(seed).Bytes(), Options{Ignore: []rule.ID{rule.UNC007}})
		if len(r.Findings) > 0 || !r.Complete {
			t.Errorf("seed %d: %v", seed, told(r.Findings))
		}
	}
}

// TestRules holds that every rule has a check: in this package, in the tables of
// package layout, in the Reader, or a reason why not.
func TestRules(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	tables, err := filepath.Glob("../../codec/layout/*.go")
	if err != nil {
		t.Fatal(err)
	}
	var source strings.Builder
	for _, name := range append(files, tables...) {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(name, "_test.go") {
			source.Write(text)
		}
	}
	ofReader := []rule.ID{rule.HDR004, rule.HDR005, rule.HDR006, rule.HDR008, rule.BLK005, rule.EOS001, rule.EOS006, rule.OBJ009, rule.STK014}
	for r := range rule.All() {
		_, number, _ := strings.Cut(r.Name, "-")
		constant := "rule." + strings.ReplaceAll(number, "-", "")
		if !strings.Contains(source.String(), constant) && !slices.Contains(ofReader, r.ID) && r.ID < rule.LIM001 {
			t.Errorf("%s has no check", r.Name)
		}
	}
}

// told lists the findings.
func told(findings []Finding) (list []string) {
	for _, f := range findings {
		list = append(list, fmt.Sprintf("%v %v at %d", f.Severity, f.Rule, f.Offset))
	}
	return list
}
