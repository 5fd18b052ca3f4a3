package config

import (
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// user and rest are the parts of an address that can have a secret.
var (
	user = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?s)^([a-z]+://)?.*@`) })
	rest = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?s)([?#]).+`) })
)

// withoutRest returns an address without its query and fragment.
func withoutRest(address string) string { return rest().ReplaceAllString(address, "${1}xxxxx") }

// url checks the address of a receiver: each of its parts must have an effect.
func (k *checker) url(where []any, t *Target) {
	u, err := url.Parse(t.URL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
		k.fail(append(where, "url"), "url: %q is not an address such as http://pyroscope:4040", withoutRest(user().ReplaceAllString(t.URL, "${1}xxxxx@")))
		return
	}
	shown := withoutRest(u.Redacted())
	if port, err := strconv.ParseUint(u.Port(), 10, 16); u.Port() != "" && (err != nil || port == 0) {
		k.fail(append(where, "url"), "url: %q: %s is not a port", shown, u.Port())
	}
	if u.User != nil {
		k.fail(append(where, "url"), "url: %q has a user: set basic_auth", shown)
	}
	for _, part := range []struct{ mark, name string }{{"?", "query"}, {"#", "fragment"}} {
		if strings.Contains(t.URL, part.mark) {
			k.fail(append(where, "url"), "url: %q has a %s, which is not sent", shown, part.name)
		}
	}
	if u.Scheme == "http" && t.TLS != (TLS{}) {
		k.fail(append(where, "tls_config"), "targets: tls_config has no effect with http://")
	}
}

// headerName is the name of a header of HTTP, and controlCharacter is not allowed in
// its value.
var (
	headerName       = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("^[!#$%&'*+.^_`|~0-9A-Za-z-]+$") })
	controlCharacter = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[\x00-\x08\x0a-\x1f\x7f]`) })
)

// shownKey returns a key for messages. What follows a colon in it can be a secret: the value
// of a header, if its line is in quotes.
func shownKey(key string) string {
	name, _, colon := strings.Cut(key, ":")
	if colon {
		name += ":..."
	}
	return name
}

// reservedHeaders are those of each request, or of its connection.
var reservedHeaders = []string{
	"Connection", "Content-Encoding", "Content-Length", "Content-Type", "Host", "Keep-Alive", "Te", "Trailer", "Transfer-Encoding", "Upgrade",
}

// headers checks the headers of requests.
func (k *checker) headers(where []any, t *Target) {
	identified := t.BearerTokenFile != "" || t.BasicAuth != (BasicAuth{})
	seen := map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(t.Headers)) {
		at := append(slices.Clone(where), "headers", name)
		canonical := http.CanonicalHeaderKey(name)
		switch {
		case !headerName().MatchString(name):
			k.fail(at, "headers: %q is not a name of a header", shownKey(name))
		case slices.Contains(reservedHeaders, canonical):
			k.fail(at, "headers: the agent sets %s itself", name)
		case canonical == "Authorization" && identified:
			k.fail(at, "headers: %s excludes bearer_token_file and basic_auth", name)
		case controlCharacter().MatchString(t.Headers[name]):
			k.fail(at, "headers: the value of %s has a control character", name)
		case seen[canonical]:
			k.fail(at, "headers: %s is there twice", name)
		}
		seen[canonical] = true
	}
}
