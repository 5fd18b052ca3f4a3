package agent

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nettrace-go/nettrace/internal/expect"
)

// authority issues certificates.
type authority struct {
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
}

// newAuthority returns the CA with a name.
func newAuthority(t *testing.T, name string) *authority {
	t.Helper()
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Unix(0, 0), NotAfter: time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC), KeyUsage: x509.KeyUsageCertSign,
	}
	return sign(t, template, nil)
}

// sign signs a certificate for a new key, with the key itself if there is no CA.
func sign(t *testing.T, template *x509.Certificate, by *authority) *authority {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	expect.NoError(t, err)
	if by == nil {
		by = &authority{template, key}
	}
	der, err := x509.CreateCertificate(rand.Reader, template, by.certificate, &key.PublicKey, by.key)
	expect.NoError(t, err)
	certificate, err := x509.ParseCertificate(der)
	expect.NoError(t, err)
	return &authority{certificate, key}
}

// issue returns a certificate for 127.0.0.1 with a name, and its key.
func (a *authority) issue(t *testing.T, name string) *authority {
	t.Helper()
	template := &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: name}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore: a.certificate.NotBefore, NotAfter: a.certificate.NotAfter,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	return sign(t, template, a)
}

// write writes the certificate to NAME.crt in a folder, and the key to NAME.key.
func (a *authority) write(t *testing.T, folder, name string) {
	t.Helper()
	key, err := x509.MarshalPKCS8PrivateKey(a.key)
	expect.NoError(t, err)
	for _, file := range []struct {
		ending, kind string
		der          []byte
	}{{".crt", "CERTIFICATE", a.certificate.Raw}, {".key", "PRIVATE KEY", key}} {
		text := pem.EncodeToMemory(&pem.Block{Type: file.kind, Bytes: file.der})
		expect.NoError(t, os.WriteFile(filepath.Join(folder, name+file.ending), text, 0o600))
	}
}

// client returns a client of its own connections that trusts the CA and has a certificate
// of from, if there is one.
func (a *authority) client(t *testing.T, from *authority) *http.Client {
	t.Helper()
	c := &tls.Config{RootCAs: x509.NewCertPool(), NextProtos: []string{"h2", "http/1.1"}}
	c.RootCAs.AddCert(a.certificate)
	if from != nil {
		own := from.issue(t, "client")
		c.Certificates = []tls.Certificate{{Certificate: [][]byte{own.certificate.Raw}, PrivateKey: own.key}}
	}
	transport := &http.Transport{TLSClientConfig: c}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

// secured returns a folder with files of TLS, the CA of the server's certificate, and the
// keys of the configuration.
func secured(t *testing.T) (folder string, ca *authority, keys string) {
	t.Helper()
	folder, ca = t.TempDir(), newAuthority(t, "CA")
	ca.issue(t, "first").write(t, folder, "tls")
	return folder, ca, fmt.Sprintf("{cert_file: %[1]s/tls.crt, key_file: %[1]s/tls.key}", folder)
}

// served returns the name of the certificate that an answer came with, "" for an error.
func served(c *http.Client, e *endpoint, path string) (name string, err error) {
	r, err := c.Get(e.url(path))
	if err != nil {
		return "", err
	}
	defer r.Body.Close()
	if _, err := io.ReadAll(r.Body); err != nil {
		return "", err
	}
	if r.StatusCode != http.StatusOK {
		return "", fmt.Errorf("status %s", r.Status)
	}
	if r.TLS == nil {
		return "none", nil
	}
	if r.TLS.NegotiatedProtocol != "http/1.1" {
		return "", fmt.Errorf("protocol %q", r.TLS.NegotiatedProtocol)
	}
	return r.TLS.PeerCertificates[0].Subject.CommonName, nil
}

// expectServed compares the certificate of an answer to a client.
func expectServed(t *testing.T, what string, c *http.Client, e *endpoint, path, want string) {
	t.Helper()
	got, err := served(c, e, path)
	expect.NoError(t, err)
	expect.Equal(t, "certificate "+what, got, want)
}

// expectRefused demands that a client gets no answer.
func expectRefused(t *testing.T, what string, c *http.Client, e *endpoint, path string) {
	t.Helper()
	if name, err := served(c, e, path); err == nil {
		t.Errorf("request %s: got an answer with certificate %s, want an error", what, name)
	}
}

// TestServeTLS: both ports serve https only, each with its own key of the configuration,
// and clients without TLS cause no message.
func TestServeTLS(t *testing.T) {
	_, ca, keys := secured(t)
	d, out := applied(t, "listen: 127.0.0.1:0\ntls_server_config: "+keys+"\nadmin_tls_server_config: "+keys)
	before := out.String()
	expect.Contains(t, "messages", before, "serving https://127.0.0.1:")
	for path, e := range map[string]*endpoint{"/metrics": d.public, "/healthz": d.admin} {
		expectServed(t, "of "+path, ca.client(t, nil), e, path, "first")
		for range 3 {
			r, err := http.Get(strings.Replace(e.url(path), "https:", "http:", 1))
			expect.NoError(t, err)
			expect.Stop(t)
			r.Body.Close()
			expect.Equal(t, "status of http", r.StatusCode, 400)
		}
		old := ca.client(t, nil)
		c := old.Transport.(*http.Transport).TLSClientConfig
		c.MinVersion, c.MaxVersion = tls.VersionTLS10, tls.VersionTLS11
		expectRefused(t, "with TLS 1.1", old, e, path)
		expectRefused(t, "of a client that does not trust the CA", newAuthority(t, "other").client(t, nil), e, path)
	}
	expect.Equal(t, "messages after refused clients", out.String(), before)
}

// TestServeTLSOfOnePort: a key of the configuration is for its port only.
func TestServeTLSOfOnePort(t *testing.T) {
	_, ca, keys := secured(t)
	d, _ := applied(t, "listen: 127.0.0.1:0\ntls_server_config: "+keys)
	expectServed(t, "of the first port", ca.client(t, nil), d.public, "/metrics", "first")
	expectServed(t, "of the second port", http.DefaultClient, d.admin, "/healthz", "none")
}

// TestClientCertificate: with client_ca_file only clients with a certificate of it get
// an answer.
func TestClientCertificate(t *testing.T) {
	folder, ca, keys := secured(t)
	clients := newAuthority(t, "clients")
	clients.write(t, folder, "clients")
	d, _ := applied(t, "listen: 127.0.0.1:0\ntls_server_config: "+strings.TrimSuffix(keys, "}")+", client_ca_file: "+folder+"/clients.crt}")
	again := ca.client(t, clients)
	again.Transport.(*http.Transport).TLSClientConfig.ClientSessionCache = tls.NewLRUClientSessionCache(1)
	expectServed(t, "for a client of the CA", again, d.public, "/metrics", "first")
	expectRefused(t, "without certificate", ca.client(t, nil), d.public, "/metrics")
	expectRefused(t, "with a certificate of another CA", ca.client(t, ca), d.public, "/metrics")

	ca.write(t, folder, "clients")
	expectServed(t, "for a client of the CA that replaces the first", ca.client(t, ca), d.public, "/metrics", "first")
	expectRefused(t, "with a certificate of the CA before", ca.client(t, clients), d.public, "/metrics")
	again.CloseIdleConnections()
	expectRefused(t, "that resumes a session", again, d.public, "/metrics")
}

// TestReplacedCertificate: files that replace others are in use for the next connection;
// one with an error is not, and is reported once.
func TestReplacedCertificate(t *testing.T) {
	folder, ca, keys := secured(t)
	d, out := applied(t, "listen: 127.0.0.1:0\nadmin_tls_server_config: "+keys)
	before := out.String()
	messages := func() string { return strings.TrimPrefix(out.String(), before) }
	kept := ca.client(t, nil)
	expectServed(t, "at first", kept, d.admin, "/healthz", "first")

	expect.NoError(t, os.WriteFile(filepath.Join(folder, "tls.key"), []byte("no key"), 0o600))
	for range 3 {
		expectServed(t, "with a key that is malformed", ca.client(t, nil), d.admin, "/healthz", "first")
	}
	expect.Equal(t, "messages about the key", strings.Count(messages(), "stay in use"), 1)
	expect.NoError(t, os.Remove(filepath.Join(folder, "tls.key")))
	expectServed(t, "without key", ca.client(t, nil), d.admin, "/healthz", "first")
	expect.Equal(t, "messages about the key", strings.Count(messages(), "stay in use"), 2)

	ca.issue(t, "second").write(t, folder, "tls")
	for range 3 {
		expectServed(t, "after it was replaced", ca.client(t, nil), d.admin, "/healthz", "second")
	}
	expectServed(t, "of an open connection", kept, d.admin, "/healthz", "first")
	expect.Equal(t, "messages about new certificates", strings.Count(messages(), "admin_tls_server_config: the new certificates are in use"), 1)
	expect.Equal(t, "messages", strings.Count(messages(), "\n"), 3)
}

// TestReloadTLS: a reload adds and removes TLS at an address that stays, and closes the
// connections before; one with a file that has an error changes nothing.
func TestReloadTLS(t *testing.T) {
	folder, ca, keys := secured(t)
	ca.issue(t, "other").write(t, folder, "other")
	path := filepath.Join(folder, "agent.yaml")
	d, out := applied(t, "listen: 127.0.0.1:0")
	public, profiling := d.public, d.ended
	plain, secure := &http.Client{Transport: &http.Transport{}}, ca.client(t, nil)
	expectServed(t, "without TLS", plain, public, "/metrics", "none")
	reload := func(text string) string {
		t.Helper()
		text = "processes: [{name: no-such-program, service_name: shop}]\nadmin: 127.0.0.1:0\nlisten: 127.0.0.1:0\n" + text
		expect.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		before := out.String()
		d.reload(&options{config: path, variant: standard})
		expect.Equal(t, "endpoint", d.public, public)
		expect.Equal(t, "profiling goes on", d.ended, profiling)
		return strings.TrimPrefix(out.String(), before)
	}

	expect.Contains(t, "messages of TLS", reload("tls_server_config: "+keys), "serving https://127.0.0.1:", "is in use")
	expectRefused(t, "of the connection before", &http.Client{Transport: asHTTP{plain.Transport}}, public, "/metrics")
	expectServed(t, "with TLS", secure, public, "/metrics", "first")
	expect.Lacks(t, "messages without a change", reload("tls_server_config: "+keys), "serving")

	expect.NoError(t, os.WriteFile(filepath.Join(folder, "bad.key"), []byte("no key"), 0o600))
	for _, bad := range []string{"missing.key", "bad.key", "other.key"} {
		text := reload(fmt.Sprintf("tls_server_config: {cert_file: %[1]s/tls.crt, key_file: %[1]s/%s}", folder, bad))
		expect.Contains(t, "messages of "+bad, text, "tls_server_config: ", filepath.Join(folder, bad), "the configuration in use stays")
		expectServed(t, "after "+bad, ca.client(t, nil), public, "/metrics", "first")
	}
	expect.Contains(t, "messages of a key of the other port", reload("tls_server_config: "+strings.ReplaceAll(keys, "tls.", "other.")+
		"\nadmin_tls_server_config: "+strings.ReplaceAll(keys, "tls.", "missing.")), "admin_tls_server_config: ", "the configuration in use stays")
	expectServed(t, "after an error of the other port", ca.client(t, nil), public, "/metrics", "first")

	reload("tls_server_config: " + strings.ReplaceAll(keys, "tls.", "other."))
	expectServed(t, "of other files", secure, public, "/metrics", "other")
	expect.Contains(t, "messages without TLS", reload(""), "serving http://127.0.0.1:")
	expectServed(t, "without TLS again", plain, public, "/metrics", "none")
}

// asHTTP sends requests for https without TLS.
type asHTTP struct{ http.RoundTripper }

func (a asHTTP) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.URL.Scheme = "http"
	return a.RoundTripper.RoundTrip(r)
}
