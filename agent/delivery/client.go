package delivery

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/nettrace-go/nettrace/agent/config"
)

// Client sends requests to the server of a target: directly, without the proxy of
// the environment. A Client is for one goroutine at a time.
//
// It has an exchange of its own, because http.Transport, with HTTP/2, would make the
// program half a megabyte larger.
type Client struct {
	target config.Target
	conn   connection
}

// NewClient returns a client with the URL, the headers, the identity, the TLS and
// the timeout of a target. The error is one of reading its certificates.
func NewClient(t config.Target) (*Client, error) {
	c, err := clientTLS(&t.TLS)
	if err != nil {
		return nil, fmt.Errorf("delivery: target %s: %w", t.Name, err)
	}
	return &Client{target: t, conn: connection{tls: c}}, nil
}

// clientTLS returns the TLS of a client.
func clientTLS(c *config.TLS) (*tls.Config, error) {
	out := &tls.Config{ServerName: c.ServerName, InsecureSkipVerify: c.InsecureSkipVerify, NextProtos: []string{"http/1.1"}}
	if c.CAFile != "" {
		pem, err := os.ReadFile(c.CAFile)
		if err != nil {
			return nil, err
		}
		out.RootCAs = x509.NewCertPool()
		if !out.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("%s has no certificate", c.CAFile)
		}
	}
	return out, nil
}

// CheckFiles returns an error if a file of a target cannot be used now: that of its
// certificates, its token or its password.
func CheckFiles(t config.Target) error {
	c, err := NewClient(t)
	if err != nil {
		return err
	}
	if err := c.identify(&http.Request{Header: http.Header{}}); err != nil {
		return fmt.Errorf("delivery: target %s: %w", t.Name, err)
	}
	return nil
}

// Post sends a body to a path below the URL of the target. The error is a
// *StatusError if the server does not accept it. Redirects are not followed.
func (c *Client) Post(ctx context.Context, path, contentType string, body []byte) error {
	_, err := c.Do(ctx, &Request{Path: path, ContentType: contentType, Body: body})
	return err
}

// Request is a request of a Client.
type Request struct {
	Path            string // below the URL of the target
	ContentType     string // of the body
	ContentEncoding string // of the body; "" for none
	Body            []byte // compressed as ContentEncoding says
}

// Do is Post with the body of the answer, of which it returns at most 16 KiB, also
// if the error is a *StatusError.
func (c *Client) Do(ctx context.Context, request *Request) (answer []byte, err error) {
	if d := time.Duration(c.target.RemoteTimeout); d > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, d)
		defer cancel()
	}
	url := strings.TrimSuffix(c.target.URL, "/") + request.Path
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(request.Body))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFinal, err)
	}
	r.Header.Set("Content-Type", request.ContentType)
	r.Header.Set("User-Agent", "nettrace-agent")
	if request.ContentEncoding != "" {
		r.Header.Set("Content-Encoding", request.ContentEncoding)
	}
	if err := c.identify(r); err != nil {
		return nil, err
	}
	for name, value := range c.target.Headers {
		r.Header.Set(name, value)
	}
	response, answer, err := c.conn.exchange(ctx, r)
	if err != nil {
		return nil, err
	}
	if response.StatusCode/100 == 2 {
		return answer, nil
	}
	const shown = 500
	text := strings.TrimSpace(string(answer[:min(shown, len(answer))]))
	return answer, &StatusError{response.StatusCode, retryAfter(response.Header.Get("Retry-After"), time.Now()), text}
}

// identify adds the identity of the target to a request.
func (c *Client) identify(r *http.Request) error {
	auth := &c.target.BasicAuth
	switch {
	case c.target.BearerTokenFile != "":
		token, err := secret(c.target.BearerTokenFile)
		if err != nil {
			return err
		}
		r.Header.Set("Authorization", "Bearer "+token)
	case auth.PasswordFile != "":
		password, err := secret(auth.PasswordFile)
		if err != nil {
			return err
		}
		r.SetBasicAuth(auth.Username, password)
	case auth.Username != "":
		r.SetBasicAuth(auth.Username, auth.Password)
	}
	return nil
}

// secret returns the content of a file, without white space around it.
func secret(name string) (string, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return "", err
	}
	text := strings.TrimSpace(string(data))
	if text == "" {
		return "", fmt.Errorf("%s is empty", name)
	}
	return text, nil
}

// Close closes the connection.
func (c *Client) Close() { c.conn.close() }
