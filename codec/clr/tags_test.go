package clr_test

import (
	"fmt"
	"testing"

	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/codec/internal/expect"
)

// TestTags: values with the characters that separate tags stay whole.
func TestTags(t *testing.T) {
	for text, want := range map[string]string{
		"":                                      "",
		"[]":                                    "",
		"none":                                  "",
		"[a.b, 1]":                              `a.b="1" `,
		"[a, ],[b, x, y]":                       `a="" b="x, y" `,
		"[a, one],[two],[b, 2]":                 `a="one],[two" b="2" `,
		"[a, x],[no key, y],[b, 2]":             `a="x],[no key, y" b="2" `,
		"a:1, no key:e, b:2":                    `a="1, no key:e" b="2" `,
		"[http.route, /{id:int}],[url.query, ]": `http.route="/{id:int}" url.query="" `,
		"a:1, b:http://x/y?*, c:one, two":       `a="1" b="http://x/y?*" c="one, two" `,
	} {
		got := ""
		for key, value := range clr.Tags(text) {
			got += fmt.Sprintf("%s=%q ", key, value)
		}
		expect.Equal(t, text, got, want)
	}
}
