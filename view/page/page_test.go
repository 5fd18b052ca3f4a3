package page_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"regexp"
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/view/page"
)

// report returns a report with a document.
func report(t *testing.T, document string) string {
	t.Helper()
	var b bytes.Buffer
	if err := page.WriteReport(&b, []byte(document)); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// served returns the page of a server.
func served(t *testing.T) string {
	t.Helper()
	var b bytes.Buffer
	if err := page.WriteServed(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestHashes: the policy has the hashes of the only script and the only style sheet.
func TestHashes(t *testing.T) {
	for _, c := range []struct{ name, text, policy string }{
		{"report", report(t, "x"), regexp.MustCompile(`Security-Policy" content="([^"]*)"`).FindStringSubmatch(report(t, "x"))[1]},
		{"served", served(t), page.Policy()},
	} {
		t.Run(c.name, func(t *testing.T) {
			for directive, tag := range map[string]string{"script-src": "script", "style-src": "style"} {
				parts := regexp.MustCompile(`(?s)<`+tag+`>(.*?)</`+tag+`>`).FindAllStringSubmatch(c.text, -1)
				expect.Len(t, tag, parts, 1)
				sum := sha256.Sum256([]byte(parts[0][1]))
				expect.Contains(t, "policy", c.policy, directive+" 'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"';")
			}
			expect.Lacks(t, "policy", c.policy, "unsafe", "*")
			expect.Contains(t, "policy", c.policy, "default-src 'none'", "require-trusted-types-for 'script'; trusted-types 'none'")
		})
	}
}

// TestConnect: a report cannot connect, a served page only to its server.
func TestConnect(t *testing.T) {
	expect.Contains(t, "report", report(t, ""), "connect-src 'none'")
	expect.Contains(t, "policy", page.Policy(), "connect-src 'self'", "frame-ancestors 'none'")
}

// TestDocument: the document in a report is encoded.
func TestDocument(t *testing.T) {
	const document = "</script><script>alert(1)</script>"
	text := report(t, document)
	expect.Contains(t, "report", text, `id="data">`+base64.StdEncoding.EncodeToString([]byte(document))+"</script>")
	expect.Lacks(t, "report", text, "alert(1)")
}

// TestLicences: the script has the licence of the library in it.
func TestLicences(t *testing.T) {
	text := served(t)
	expect.Equal(t, "licences", strings.Count(text, "Permission is hereby granted"), 1)
	expect.Contains(t, "script", text, "Jason Miller")
}
