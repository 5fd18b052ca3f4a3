//go:build !unix

package eventpipe

import (
	"net"
	"time"
)

// pace returns the connection itself.
func pace(conn net.Conn, _ time.Duration) (net.Conn, error) { return conn, nil }
