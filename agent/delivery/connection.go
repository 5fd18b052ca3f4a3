package delivery

import (
	"bufio"
	"cmp"
	"context"
	"crypto/tls"
	"io"
	"math"
	"net"
	"net/http"
	"time"
)

// connection is a connection to a server that is used again for the next request
// (HTTP/1.1).
type connection struct {
	tls  *tls.Config
	open net.Conn      // nil for none
	read *bufio.Reader // of limited
	// limited is open up to a number of bytes.
	limited *io.LimitedReader
}

// exchange sends a request and returns the answer with the beginning of its body.
// The request is sent a second time if the server has closed the connection since
// the last one.
func (c *connection) exchange(ctx context.Context, r *http.Request) (*http.Response, []byte, error) {
	used := c.open != nil
	answer, body, err := c.once(ctx, r)
	if err == nil || !used || ctx.Err() != nil {
		return answer, body, err
	}
	if r.Body, err = r.GetBody(); err != nil {
		return nil, nil, err
	}
	return c.once(ctx, r)
}

// once sends a request once. After an error the connection is closed.
func (c *connection) once(ctx context.Context, r *http.Request) (answer *http.Response, body []byte, err error) {
	if c.open == nil {
		if err := c.dial(ctx, r); err != nil {
			return nil, nil, err
		}
	}
	conn := c.open
	stop := context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })
	defer func() {
		switch {
		case err != nil && ctx.Err() != nil:
			err = context.Cause(ctx)
			c.close()
		case err != nil, !stop():
			c.close()
		}
	}()
	if err := r.Write(conn); err != nil {
		return c.early(conn, r, err)
	}
	if answer, err = c.answer(r); err != nil {
		return nil, nil, err
	}
	if body, err = c.content(answer); err != nil {
		return nil, nil, err
	}
	return answer, body, nil
}

// early returns the answer of a server that closes the connection before it has read the request,
// for example because that is too large. Without one it returns the error of writing.
func (c *connection) early(conn net.Conn, r *http.Request, written error) (*http.Response, []byte, error) {
	const patience = time.Second
	_ = conn.SetReadDeadline(time.Now().Add(patience))
	answer, err := c.answer(r)
	if err != nil || answer.StatusCode < http.StatusBadRequest {
		return nil, nil, written
	}
	answer.Close = true
	body, err := c.content(answer)
	if err != nil {
		return nil, nil, written
	}
	return answer, body, nil
}

// content reads an answer to its end. It returns the first bytes.
func (c *connection) content(answer *http.Response) (body []byte, err error) {
	const kept, skipped = 16 << 10, 1 << 20
	body, err = io.ReadAll(io.LimitReader(answer.Body, kept))
	if err != nil {
		return nil, err
	}
	n, err := io.Copy(io.Discard, io.LimitReader(answer.Body, skipped))
	if err != nil {
		return nil, err
	}
	if n == skipped || answer.Close {
		c.close()
	}
	return body, nil
}

// answer reads the header of the answer to a request. A server can send others before
// it, of the status 1xx.
func (c *connection) answer(r *http.Request) (*http.Response, error) {
	const maxHeader = 1 << 20
	defer func() { c.limited.N = math.MaxInt64 }()
	for {
		c.limited.N = maxHeader
		answer, err := http.ReadResponse(c.read, r)
		if err != nil || answer.StatusCode >= http.StatusOK {
			return answer, err
		}
	}
}

// dial connects to the server of a request.
func (c *connection) dial(ctx context.Context, r *http.Request) error {
	port := map[string]string{"http": "80", "https": "443"}[r.URL.Scheme]
	address := net.JoinHostPort(r.URL.Hostname(), cmp.Or(r.URL.Port(), port))
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", address)
	if err != nil {
		return err
	}
	if r.URL.Scheme == "https" {
		cfg := c.tls.Clone()
		cfg.ServerName = cmp.Or(cfg.ServerName, r.URL.Hostname())
		secure := tls.Client(conn, cfg)
		if err := secure.HandshakeContext(ctx); err != nil {
			conn.Close()
			return err
		}
		conn = secure
	}
	c.limited = &io.LimitedReader{R: conn}
	c.open, c.read = conn, bufio.NewReader(c.limited)
	return nil
}

func (c *connection) close() {
	if c.open != nil {
		c.open.Close()
		c.open = nil
	}
}
