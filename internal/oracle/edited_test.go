package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/edit"
	"github.com/nettrace-go/nettrace/internal/oracle/compare"
	"github.com/nettrace-go/nettrace/internal/shared"
)

// largeLimits are limits for the largest regions of the traces.
var largeLimits = codec.Options{
	OnError: codec.Skip,
	Limits:  codec.Limits{Block: 1 << 30, Stacks: 256 << 20, Total: 1 << 30},
}

// forms are the edits of traces.
var forms = map[string]func(dst *bytes.Buffer, src []byte) error{
	"v6":              converted(edit.ConvertOptions{}),
	"v6 uncompressed": converted(edit.ConvertOptions{Uncompressed: true}),
	"v6 compact":      converted(edit.ConvertOptions{Compact: true}),
	"v5":              converted(edit.ConvertOptions{Format: wire.V5}),
	// Not "v5 uncompressed": the other reader ignores the padding of rows.
	"v5 compact": converted(edit.ConvertOptions{Format: wire.V5, Compact: true}),
	"repaired": func(dst *bytes.Buffer, src []byte) error {
		_, err := edit.Repair(context.Background(), dst, bytes.NewReader(src), largeLimits)
		return err
	},
}

func converted(opt edit.ConvertOptions) func(dst *bytes.Buffer, src []byte) error {
	return func(dst *bytes.Buffer, src []byte) error {
		_, err := edit.Convert(context.Background(), dst, codec.NewBytesBlockReader(src, largeLimits), opt)
		return err
	}
}

// TestEdited: in an edited trace the other reader finds all events that codec
// finds in the original.
func TestEdited(t *testing.T) {
	needTE(t)
	type example struct {
		name  string
		forms []string
	}
	for _, c := range shared.First([]example{
		{"azmcp-net10-startup.v4", []string{"v6", "v6 uncompressed", "v6 compact", "v5", "v5 compact"}},
		{"net10-netperf.v3", []string{"v6", "v5"}},
		{"net10-killed-cut.v4", []string{"repaired", "v6"}},
		{"onecollect-small.v6", []string{"v6", "v6 compact", "repaired"}},
		{"onecollect-overflow.v6", []string{"repaired"}},
		{"net10-types.v4", []string{"v6"}},
		{"net10-burst-dropped.v4", []string{"v6"}},
		{"net10-tpl-activities.v4", []string{"v6", "v6 uncompressed", "v6 compact"}},
		{"net10-mix-cpu.v4", []string{"v6", "v6 compact"}},
		{"azmcp-net10-cpu.v4", []string{"v6", "v6 compact"}},
	}, 4) {
		t.Run(c.name, func(t *testing.T) {
			for _, form := range c.forms {
				checkEdited(t, c.name, form)
			}
		})
	}
}

func checkEdited(t *testing.T, name, form string) {
	t.Helper()
	source := shared.Trace(t, name)
	var out bytes.Buffer
	if err := forms[form](&out, source); err != nil {
		t.Errorf("%s as %s: %v", name, form, err)
		return
	}
	seen := source
	if name == "onecollect-overflow.v6" {
		seen = out.Bytes() // we do not read the source either
	}
	ours, _ := compare.Read(codec.NewBytesReader(seen, largeLimits))
	path := filepath.Join(t.TempDir(), "trace.nettrace")
	if err := os.WriteFile(path, out.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	answer, err := compare.Ask(shared.OtherReader(t), path)
	if err != nil {
		t.Errorf("%s as %s: %v", name, form, err)
		return
	}
	differences := compare.Compare(ours, answer.Rows, false)
	if len(differences) > 0 {
		t.Errorf("%s as %s: %d differences, the first: %v", name, form, len(differences), differences[0])
	}
	if answer.Fail != "" || len(ours) == 0 {
		t.Errorf("%s as %s: %d events; the other reader ends in: %s", name, form, len(ours), answer.Fail)
	}
}
