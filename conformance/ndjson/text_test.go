package ndjson

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/internal/expect"
)

func TestAppendString(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"empty", "", `""`},
		{"plain", "a/b<c>&d", `"a/b<c>&d"`},
		{"quotes", `say "x\y"`, `"say \"x\\y\""`},
		{"short-escapes", "\n\r\t\b\f", `"\n\r\t\b\f"`},
		{"control", "\x00\x1f\x7f", "\"\\u0000\\u001f\x7f\""},
		{"not-ascii", "grün 日本 𝄞\u2028\ufffd", "\"grün 日本 𝄞\u2028\ufffd\""},
		{"high-surrogate", "a\xed\xa0\x80b", `"a\ud800b"`},
		{"high-surrogate-last", "\xed\xaf\xbf", `"\udbff"`},
		{"low-surrogate", "\xed\xb3\xa9", `"\udce9"`},
		{"low-surrogate-last", "\xed\xbf\xbf", `"\udfff"`},
		{"before-surrogates", "\xed\x9f\xbf", "\"\ud7ff\""},
		{"cut-surrogate", "\xed\xa0", "\"\ufffd\ufffd\""},
		{"stray-byte", "a\xffb\x80", "\"a\ufffdb\ufffd\""},
		{"overlong", "\xc0\x80", "\"\ufffd\ufffd\""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := string(AppendString([]byte("x"), c.in))
			if got != "x"+c.want {
				t.Errorf("%s, want x%s", got, c.want)
			}
			if long := string(AppendString(nil, "a long text, "+c.in+", in which it stands")); long != `"a long text, `+c.want[1:len(c.want)-1]+`, in which it stands"` {
				t.Errorf("inside: %s", long)
			}
			if !json.Valid([]byte(got[1:])) {
				t.Errorf("%s is no JSON", got[1:])
			}
		})
	}
}

// TestPlainASCII puts every byte at every place of a text.
func TestPlainASCII(t *testing.T) {
	for c := range 256 {
		for at := range 20 {
			text := []byte(strings.Repeat("a", 20))
			text[at] = byte(c)
			stop := c < ' ' || c >= 0x80 || c == '"' || c == '\\'
			n := plainASCII(text, 0)
			if stop && n > at {
				t.Errorf("byte %#x at %d: %d", c, at, n)
			}
			if !stop && n != 16 {
				t.Errorf("byte %#x at %d: %d", c, at, n)
			}
			expect.Stop(t)
		}
	}
}

func TestUnique(t *testing.T) {
	var u unique
	var got []string
	for _, key := range []string{"a", "b", "a", "a#3", "a", "a", "b", ""} {
		got = append(got, u.Name(key))
	}
	if want := "a b a#2 a#3 a#4 a#5 b#2 "; strings.Join(got, " ") != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestNumbers(t *testing.T) {
	for got, want := range map[string]string{
		string(AppendDecimal(nil, 1<<64-1)):        `"18446744073709551615"`,
		string(appendAddress(nil, 0)):              `"0x0"`,
		string(appendAddress(nil, 1<<64-2)):        `"0xfffffffffffffffe"`,
		string(appendHex(nil, []byte{0, 0xAB, 9})): `"00ab09"`,
		string(appendHex(nil, nil)):                `""`,
	} {
		t.Run(got, func(t *testing.T) {
			if got != want {
				t.Errorf("%s, want %s", got, want)
			}
		})
	}
}
