package attach

import (
	"github.com/nettrace-go/nettrace/codec/clr/counters"
	"github.com/nettrace-go/nettrace/internal/guid"
)

// CounterSession returns a new client of the session that receives the Meters of the
// process.
func (a *Process) CounterSession() counters.Session {
	return counters.NewSession(guid.New(), a.Major())
}
