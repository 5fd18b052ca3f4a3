package requests

import (
	"net/url"
	"strings"
)

// Route returns a path with {n} for each segment of digits and {guid} for each
// segment that is a GUID, without a query.
func Route(path string) string {
	path, _, _ = strings.Cut(path, "?")
	segments := strings.Split(path, "/")
	for i, s := range segments {
		switch {
		case s == "":
		case strings.Trim(s, "0123456789") == "":
			segments[i] = "{n}"
		case isGUID(s):
			segments[i] = "{guid}"
		}
	}
	return strings.Join(segments, "/")
}

// guidLength is the number of hexadecimal digits of a GUID.
const guidLength = 32

// isGUID reports whether a segment is a GUID, with or without hyphens.
func isGUID(s string) bool {
	if len(s) == guidLength+4 && s[8] == '-' && s[13] == '-' && s[18] == '-' && s[23] == '-' {
		s = strings.ReplaceAll(s, "-", "")
	}
	return len(s) == guidLength && strings.Trim(s, "0123456789abcdefABCDEF") == ""
}

// decoded returns a path in the spelling of Kestrel: percent-decoded, but %2F
// is as it was sent. Hosting writes the encoded spelling.
func decoded(path string) string {
	if !strings.Contains(path, "%") {
		return path
	}
	slash := strings.NewReplacer("%2F", "%252F", "%2f", "%252f")
	if plain, err := url.PathUnescape(slash.Replace(path)); err == nil {
		return plain
	}
	return path
}
