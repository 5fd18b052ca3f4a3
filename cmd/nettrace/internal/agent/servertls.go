package agent

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"os"
	"slices"
	"sync"

	"github.com/nettrace-go/nettrace/agent/config"
)

// serverTLS is the TLS of an endpoint. It reads its files for each connection, so that
// those that replace them are in use without a reload.
type serverTLS struct {
	key   string // of the configuration
	files config.ServerTLS
	say   func(format string, args ...any)

	mu       sync.Mutex
	contents [][]byte // of the files, in use
	config   *tls.Config
	reported string // error of the files that was printed
}

// newServerTLS returns the TLS with a key of the configuration, nil if it has no files.
func newServerTLS(key string, files config.ServerTLS, say func(format string, args ...any)) (*serverTLS, error) {
	if files == (config.ServerTLS{}) {
		return nil, nil
	}
	s := &serverTLS{key: key, files: files, say: say}
	if err := s.read(); err != nil {
		return nil, fmt.Errorf("%s: %w", key, err)
	}
	return s, nil
}

// read uses the contents of the files. After an error those before are still in use.
func (s *serverTLS) read() error {
	var contents [][]byte
	for _, name := range []string{s.files.CertFile, s.files.KeyFile, s.files.ClientCAFile} {
		var content []byte
		if name != "" {
			var err error
			if content, err = os.ReadFile(name); err != nil {
				return err
			}
		}
		contents = append(contents, content)
	}
	if slices.EqualFunc(contents, s.contents, bytes.Equal) {
		return nil
	}
	pair, err := tls.X509KeyPair(contents[0], contents[1])
	if err != nil {
		return fmt.Errorf("%s and %s: %w", s.files.CertFile, s.files.KeyFile, err)
	}
	c := &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"}}
	if s.files.ClientCAFile != "" {
		c.ClientAuth, c.ClientCAs = tls.RequireAndVerifyClientCert, x509.NewCertPool()
		if !c.ClientCAs.AppendCertsFromPEM(contents[2]) {
			return fmt.Errorf("%s has no certificate", s.files.ClientCAFile)
		}
	}
	s.contents, s.config = contents, c
	return nil
}

// same reports whether two have the same files: the one in use reads what is in them now.
func (s *serverTLS) same(other *serverTLS) bool {
	if s == nil || other == nil {
		return s == other
	}
	return s.files == other.files
}

// listener accepts connections with TLS.
func (s *serverTLS) listener(l net.Listener) net.Listener {
	return tls.NewListener(l, &tls.Config{GetConfigForClient: s.current})
}

// current returns the configuration for a connection. It prints an error of the files once.
func (s *serverTLS) current(*tls.ClientHelloInfo) (*tls.Config, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	before := s.config
	err := s.read()
	switch {
	case err == nil && s.config != before:
		s.say("%s: the new certificates are in use", s.key)
	case err != nil && err.Error() != s.reported:
		s.say("%s: %v; the certificates before stay in use", s.key, err)
	}
	s.reported = ""
	if err != nil {
		s.reported = err.Error()
	}
	return s.config, nil
}
