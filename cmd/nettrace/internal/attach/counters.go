package attach

import (
	"github.com/nettrace-go/nettrace/codec/clr/counters"
	"github.com/nettrace-go/nettrace/internal/guid"
)

// MetersRisk is what a user must know who records Meters, as a sentence.
const MetersRisk = "a process can hang at its end while its Meters are recorded (a deadlock of the runtime in 2 to 6 of 100): end the recording first, or choose EventCounters"

// CounterSession returns a new client of the session that receives the Meters of the
// process.
func (a *Process) CounterSession() counters.MetersSession {
	return counters.NewMetersSession(guid.New(), a.Major())
}
