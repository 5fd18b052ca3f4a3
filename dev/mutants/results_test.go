package main

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/nettrace-go/nettrace/internal/expect"
)

// tried are five mutants with all fates.
var tried = []mutant{
	{file: "a.go", function: "f", old: "1", new: "2"},
	{file: "a.go", function: "f", old: "1", new: "3"},
	{file: "a.go", function: "f", old: "1", new: "4"},
	{file: "a.go", function: "f", old: "1", new: "5", equivalent: "nobody reads it"},
	{file: "a.go", function: "f", old: "1", new: "6"},
}

// TestResults: a second run reads what the first one has stored.
func TestResults(t *testing.T) {
	dir := t.TempDir()
	first, err := loadResults(dir)
	expect.NoError(t, err)
	for i, f := range []fate{
		{failed, "edit TestA", time.Second, false},
		{timedOut, "gen TestB", 2 * time.Minute, true},
		{passed, "", 3 * time.Second, true},
	} {
		expect.NoError(t, first.add(&tried[i], f))
	}
	file, err := os.OpenFile(first.path, os.O_APPEND|os.O_WRONLY, 0)
	expect.NoError(t, err)
	_, err = file.WriteString("a.go f: 1 -> 6\tfai") // interrupted
	expect.NoError(t, err)
	expect.NoError(t, file.Close())

	second, err := loadResults(dir)
	expect.NoError(t, err)
	for i, want := range []bool{true, true, false, false, false} {
		if got := second.killed(&tried[i]); got != want {
			t.Errorf("%v: killed %v, want %v", &tried[i], got, want)
		}
	}
	expect.Equal(t, "kills by gen", second.killsByPackage()[module+"/gen"], 1)
	t.Run("table", func(t *testing.T) {
		var out strings.Builder
		n := second.print(&out, tried)
		expect.Equal(t, "counts", n, counts{killed: 2, timeouts: 1, equivalent: 1, survived: 1, untried: 1, imported: 1, took: 124 * time.Second})
		expect.Contains(t, "table", out.String(), "edit TestA", "gen TestB", "SURVIVED", "nobody reads it", "not tried",
			"5 mutants: 2 killed (1 of them by a timeout, 1 by tests of importers), 1 equivalent, 1 survived, 1 not tried; 2m4s of tests")
	})
}
