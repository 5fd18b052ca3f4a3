// Package guid makes ids for the clients of a session of Meters.
package guid

import (
	"crypto/rand"
	"fmt"
)

// New returns a random GUID.
func New() string {
	var b [16]byte
	_, _ = rand.Read(b[:])                      // never fails
	b[6], b[8] = b[6]&0x0F|0x40, b[8]&0x3F|0x80 // version 4, variant of RFC 9562
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}
