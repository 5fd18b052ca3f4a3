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

// MetersKeywords are those of System.Diagnostics.Metrics to ask for: the values
// of time series. Level is that of both kinds of counters: informational.
const (
	MetersKeywords = 2
	Level          = 4
)

// Session is a client's part in the session that listens to the Meters of a
// process.
type Session struct {
	ID       string // SharedSession, or the client's own
	ClientID string // a GUID that no other client has
}

// NewSession chooses the session for a runtime of a major version: shared by
// those that have it, else one's own.
func NewSession(clientID string, major int) Session {
	if major >= sharedSince {
		return Session{SharedSession, clientID}
	}
	return Session{clientID, clientID}
}

// Settings is what a session is asked for. Fields that are 0 are left to the
// process: its defaults, or what a shared session runs with.
type Settings struct {
	Interval      time.Duration
	MaxTimeSeries int
	MaxHistograms int
}

// Arguments are those of the provider System.Diagnostics.Metrics.
func (s Session) Arguments(chosen Selection, set Settings) string {
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

// EventCountersArguments are those of an EventSource that is to write its
// EventCounters.
func EventCountersArguments(interval time.Duration) string {
	return "EventCounterIntervalSec=" + secondsText(interval)
}

// Relation is what a message means to a client.
type Relation uint8

const (
	Own           Relation = iota // of the client's session, or of no session
	Foreign                       // of another session's, or about another client
	Refused                       // another session runs, and the client's does not
	OtherSettings                 // the shared session runs with other settings
)

// Classify tells whose a message is. A process sends what it has to say of its
// sessions to everyone who listens: that a session was refused is meant for
// others when the session that runs is one's own.
func (s Session) Classify(m *Message) Relation {
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
