package gcdump

import "testing"

func TestTypeName(t *testing.T) {
	for raw, want := range map[string]string{
		"System.String": "System.String",
		"System.Collections.Generic.Dictionary`2[System.String,A+B][,]": "System.Collections.Generic.Dictionary<System.String,A+B>[,]",
		"Tiny[][,]": "Tiny[][,]",
		"Tiny[*]":   "Tiny[*]",
		"List`1[Pair`2[System.Int32[],System.Byte]]": "List<Pair<System.Int32[],System.Byte>>",
		"odd]`": "odd]",
	} {
		if got := typeName(raw); got != want {
			t.Errorf("%s: %s, want %s", raw, got, want)
		}
	}
}
