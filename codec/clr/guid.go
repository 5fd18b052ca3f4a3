package clr

import (
	"crypto/sha1"
	"encoding/hex"
	"strings"
	"unicode"
	"unicode/utf16"

	"github.com/nettrace-go/nettrace/codec/wire"
)

// guids are those of well-known providers that are not the hash of their name
// and not in the table of events.
var guids = map[string]string{
	"System.Threading.Tasks.TplEventSource":             "2e5dba47-a3d2-4d16-8ee0-6671ffdcd7b5",
	"System.Diagnostics.Eventing.FrameworkEventSource":  "8e9f5090-2d75-4d03-8a81-e5afbf85daf1",
	"Microsoft-Windows-Application Server-Applications": "c651f5f6-1c0d-492e-8ae1-b4efd7c9d503",
}

// ProviderGUID returns the GUID of a provider: a fixed one for the runtime's
// own and a few others, otherwise the one that .NET derives from an
// EventSource's name.
func ProviderGUID(name string) wire.GUID {
	text, known := guids[name]
	if p := providerOf(name); p != nil && p.guid != "-" {
		text, known = p.guid, true
	}
	if known {
		return parseGUID(text)
	}
	return nameGUID(name)
}

// nameGUID is the GUID of an EventSource without an explicit one: a hash of its
// name in capitals.
func nameGUID(name string) wire.GUID {
	hash := sha1.New()
	namespace := parseGUID("482c2db2-c390-47c8-87f8-1a15bfc130fb")
	hash.Write(swapBytes(namespace[:]))
	var big []byte
	for _, unit := range utf16.Encode([]rune(strings.Map(upper, strings.TrimPrefix(name, "*")))) {
		big = append(big, byte(unit>>8), byte(unit))
	}
	hash.Write(big)
	guid := wire.GUID(hash.Sum(nil))
	guid[7] = guid[7]&0x0f | 0x50
	return guid
}

// upper is ToUpperInvariant of .NET, which leaves two letters alone.
func upper(r rune) rune {
	if r == 'ı' || r == 'ſ' {
		return r
	}
	return unicode.ToUpper(r)
}

// parseGUID reads the usual form, lower-case with dashes, of a constant.
func parseGUID(text string) wire.GUID {
	plain, err := hex.DecodeString(strings.ReplaceAll(text, "-", ""))
	if err != nil {
		panic("clr: GUID " + text)
	}
	return wire.GUID(swapBytes(plain))
}

// swapBytes turns the order of a GUID's text into that of its bytes, and back.
func swapBytes(g []byte) []byte {
	return []byte{g[3], g[2], g[1], g[0], g[5], g[4], g[7], g[6], g[8], g[9], g[10], g[11], g[12], g[13], g[14], g[15]}
}
