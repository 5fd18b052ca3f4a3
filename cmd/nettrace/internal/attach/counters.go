package attach

import (
	"crypto/rand"
	"fmt"

	"github.com/nettrace-go/nettrace/codec/clr/counters"
)

// CounterSession returns a new client of the session that receives the Meters of the
// process.
func (a *Process) CounterSession() counters.Session {
	return counters.NewSession(newGUID(), a.Major())
}

// newGUID returns a random GUID.
func newGUID() string {
	var b [16]byte
	_, _ = rand.Read(b[:])
	b[6], b[8] = b[6]&0x0F|0x40, b[8]&0x3F|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}
