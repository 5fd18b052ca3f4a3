package provider_test

import (
	"testing"

	"github.com/nettrace-go/nettrace/eventpipe/provider"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestArguments: the arguments have the meaning that they have in dotnet-trace 10, measured with an
// EventSource that prints them. What the runtime would cut or ignore is an error.
func TestArguments(t *testing.T) {
	for text, want := range map[string]string{
		`A=1;B=2`:              `A=1;B=2`,
		`A=1;`:                 `A=1`,
		`A="x;y";B=2`:          `A="x;y";B=2`,
		`K="A/B:-X=Y;W\r\nC:"`: "K=\"A/B:-X=Y;W\r\nC:\"",
		`K="a\tb\\c\"d"`:       "K=a\tb\\cd", // the runtime removes quotes
		`K=a\x41b\u0042\.`:     `K=aAbB.`,
		`K=""`:                 `K=""`,
		`K=`:                   `K=""`,
		`K=a b`:                `K=a b`,
		`K="a"b`:               `K=ab`,
		`"K;L"="a=b"`:          `"K;L"="a=b"`,
		`K=x"y;z"w;B=3`:        `K="xy;zw";B=3`,
		``:                     ``,
	} {
		p, err := provider.Parse("P:3:5:" + text)
		if err != nil || p.Arguments != want {
			t.Errorf("%s: %q, %v; want %q", text, p.Arguments, err, want)
		}
	}
	for text, want := range map[string]string{
		`F=Q/R:-X=Y.Z`: `has a second =: put the value between quotes: F="Q/R:-X=Y.Z"`,
		`K=a=b;C=d`:    `has a second =: put the value between quotes: K="a=b"`,
		`A=x;y`:        `argument "y" has no value: want key=value, and a value with a semicolon between quotes: A="x;y"`,
		`K`:            `argument "K" has no value: want key=value`,
		`;A=1`:         `has no value`,
		`=1`:           `has no key`,
		`A=1;A=2`:      `argument A is given twice`,
		`K="a;b`:       `has a quote that is not closed`,
		`K=C:\Users`:   `\U is no escape`,
		`K=a\`:         `write \\ for a backslash`,
		`K=\x00`:       `is no escape`,
		`K=\0`:         `is no escape`,
		"K=a\x00b":     `has a NUL`,
	} {
		if p, err := provider.Parse("P:3:5:" + text); err == nil {
			t.Errorf("%s: %q, no error", text, p.Arguments)
		} else {
			expect.Contains(t, "error for "+text, err.Error(), want)
		}
	}
}

// TestArgumentsOfFile: TOML and JSON have escapes of their own, so that a backslash in the text of
// a file has no meaning, and the same texts are errors.
func TestArgumentsOfFile(t *testing.T) {
	for arguments, want := range map[any]string{`K=C:\new`: `K=C:\new`, `K="a;b"`: `K="a;b"`, `K=""`: `K=""`} {
		c := provider.Config{Providers: []provider.ConfigProvider{{Name: "P", Arguments: arguments}}}
		list, err := c.Selected()
		expect.NoError(t, err)
		expect.Equal(t, "arguments", list[0].Arguments, want)
	}
	for _, arguments := range []any{`K=a=b`, `K=a;b`, map[string]any{"K": `a"b`}} {
		c := provider.Config{Providers: []provider.ConfigProvider{{Name: "P", Arguments: arguments}}}
		if list, err := c.Selected(); err == nil {
			t.Errorf("%v: %q, no error", arguments, list[0].Arguments)
		}
	}
}
