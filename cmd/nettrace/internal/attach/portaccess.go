package attach

import (
	"fmt"
	"os"
	"os/user"
	"strconv"
	"time"

	"github.com/spf13/pflag"
)

// portAccess says who may connect to the socket that --port opens.
type portAccess struct {
	mode, group string // of --port-mode and --port-group
}

// lonely is the time without a connection after which a message says who can connect.
const lonely = 10 * time.Second

func (p *portAccess) addFlags(f *pflag.FlagSet) {
	f.StringVar(&p.mode, "port-mode", "", "`MODE` of the socket that --port opens, octal: 0660 lets processes of its group connect (default 0600)")
	f.StringVar(&p.group, "port-group", "", "`GROUP` of that socket, a name or a number")
}

// args returns the flags that were given.
func (p *portAccess) args() (list []string) {
	if p.mode != "" {
		list = append(list, "--port-mode", p.mode)
	}
	if p.group != "" {
		list = append(list, "--port-group", p.group)
	}
	return list
}

// apply sets the group and then the mode of a socket, which only its user can use before.
func (p *portAccess) apply(path string) error {
	if p.group != "" {
		id := p.group
		if g, err := user.LookupGroup(p.group); err == nil {
			id = g.Gid
		}
		gid, err := strconv.Atoi(id)
		if err != nil {
			return fmt.Errorf("--port-group: no group has the name %s", p.group)
		}
		if err := os.Chown(path, -1, gid); err != nil {
			return fmt.Errorf("--port-group: %w", err)
		}
	}
	if p.mode == "" {
		return nil
	}
	mode, err := strconv.ParseUint(p.mode, 8, 32)
	if err != nil || mode > 0o777 {
		return fmt.Errorf("--port-mode: %q is not an octal mode such as 0660", p.mode)
	}
	return os.Chmod(path, os.FileMode(mode))
}

// lonelyText says who can connect to a socket.
func (p *portAccess) lonelyText(path string) string {
	who := ""
	if info, err := os.Stat(path); err == nil {
		who = fmt.Sprintf(" (its mode is %04o)", info.Mode().Perm())
	}
	return fmt.Sprintf("no process has connected to %s so far: only processes that may write to it can%s, and others wait at their start; --port-mode and --port-group let more connect", path, who)
}
