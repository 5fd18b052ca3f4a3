package counters

import (
	"strconv"
	"strings"
	"time"
)

// SharedSession is the id of the session of Meters that clients share.
const SharedSession = "SHARED"

// sharedSince is the first major version of .NET that has shared sessions.
const sharedSince = 8

// The keywords and the level for a session that records counters.
// MetersKeywords is for System.Diagnostics.Metrics and requests the values of
// time series. Level (informational) is for both kinds of counters.
const (
	MetersKeywords = 2
	Level          = 4
)

// MetersSession identifies a client of the session that receives the Meters of a
// process.
type MetersSession struct {
	ID       string // SharedSession, or the client's own
	ClientID string // a unique GUID
}

// NewMetersSession returns the session for a runtime of a major version: shared if
// the runtime supports it, otherwise the client's own.
func NewMetersSession(clientID string, major int) MetersSession {
	if major >= sharedSince {
		return MetersSession{SharedSession, clientID}
	}
	return MetersSession{clientID, clientID}
}

// Settings are the settings of a session of Meters. For fields that are 0 the
// process uses its defaults, or the settings of a running shared session.
type Settings struct {
	// Interval is the time between two values of a time series.
	Interval time.Duration
	// MaxTimeSeries is the largest number of reported time series.
	MaxTimeSeries int
	// MaxHistograms is the largest number of reported histograms.
	MaxHistograms int
}

// Arguments returns the arguments of the provider System.Diagnostics.Metrics.
func (s MetersSession) Arguments(chosen Selection, set Settings) string {
	words := []string{"SessionId=" + s.ID, "Metrics=" + quoted(chosen.metrics())}
	if set.Interval > 0 {
		words = append(words, "RefreshInterval="+secondsText(set.Interval))
	}
	if set.MaxTimeSeries > 0 {
		words = append(words, "MaxTimeSeries="+strconv.Itoa(set.MaxTimeSeries))
	}
	if set.MaxHistograms > 0 {
		words = append(words, "MaxHistograms="+strconv.Itoa(set.MaxHistograms))
	}
	return strings.Join(append(words, "ClientId="+s.ClientID), ";")
}

// EventCountersArguments returns the arguments of an EventSource that make it
// write its EventCounters.
func EventCountersArguments(interval time.Duration) string {
	return "EventCounterIntervalSec=" + secondsText(interval)
}

// Relation classifies a message for a client.
type Relation uint8

// The relations.
const (
	Own           Relation = iota // for the client's session, or for none
	Foreign                       // for another session or another client
	Refused                       // another session is running, and the client's is not
	OtherSettings                 // the shared session is running with other settings
)

// Classify returns the relation of a message to the client. A process sends the
// messages about its sessions to all clients: for the client whose session is
// running, a refusal is Foreign.
func (s MetersSession) Classify(m *Message) Relation {
	switch m.Kind {
	case SessionRefused:
		if m.SessionID != s.ID {
			return Refused
		}
		return Foreign
	case SharedRefused:
		if m.Mismatch.ClientID == s.ClientID {
			return OtherSettings
		}
		return Foreign
	}
	if m.SessionID != "" && m.SessionID != s.ID {
		return Foreign
	}
	return Own
}

func secondsText(d time.Duration) string { return strconv.FormatFloat(d.Seconds(), 'f', -1, 64) }

// quoted puts quotes around a provider's argument that would end early.
func quoted(text string) string {
	if strings.ContainsAny(text, `;="`) {
		return `"` + text + `"`
	}
	return text
}
