package incoming

import "strings"

// RoutePath is the source of a route that the trace does not have: Pattern makes it of the path.
const RoutePath RouteSource = "path"

// Pattern returns the route of the request: the template of the application, or else what PathPattern
// makes of the path.
func (r *Request) Pattern() string {
	if r.RouteSource == NoRoute {
		return PathPattern(r.Path)
	}
	return r.Route
}

// PathPattern returns a path with {n} for each segment of digits and {guid} for each
// segment that is a GUID, without a query.
func PathPattern(path string) string {
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
