package attach

import (
	"errors"
	"fmt"
	"os/user"
	"strconv"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/jsontext"
	"github.com/nettrace-go/nettrace/eventpipe"
)

// ID returns the number of the process on this machine, "" if it is not known.
func (c *Candidate) ID() string {
	if c.PID == 0 {
		return ""
	}
	return strconv.Itoa(c.PID)
}

// User returns the name of the user, or else the number; "" if it is not known.
func (c *Candidate) User() string {
	if c.UID < 0 {
		return ""
	}
	id := strconv.Itoa(c.UID)
	if u, err := user.LookupId(id); err == nil {
		return u.Username
	}
	return id
}

// ContainerText returns the start of the container's id, as Docker shows it, or a
// text for a process in another PID namespace.
func (c *Candidate) ContainerText() string {
	switch {
	case c.Container != "":
		return c.Container[:12]
	case c.PID != c.NSPID:
		return fmt.Sprintf("other (%d there)", c.NSPID)
	}
	return ""
}

// AppendJSON appends the line that "nettrace ps --json" prints.
func (c *Candidate) AppendJSON(b []byte) []byte {
	j := &jsontext.Builder{Bytes: b}
	j.Bytes = append(j.Bytes, '{')
	if c.PID != 0 {
		j.Key("pid").Number(int64(c.PID))
	}
	j.Key("nspid").Number(int64(c.NSPID))
	for _, pair := range [][2]string{
		{"name", c.Program()}, {"version", c.Info.Version}, {"os", c.Info.OS}, {"architecture", c.Info.Architecture},
		{"rid", c.Info.PortableRID}, {"commandLine", c.Command()}, {"user", c.User()}, {"container", c.Container}, {"port", c.Address},
	} {
		if pair[1] != "" {
			j.Key(pair[0]).Text(pair[1])
		}
	}
	if c.Err != nil {
		j.Key("error").Text(exit.Text(c.Err))
		var why *eventpipe.UnreachableError
		if errors.As(c.Err, &why) {
			j.Key("reason").Text(why.Reason.String())
		}
	}
	return append(j.Bytes, '}', '\n')
}
