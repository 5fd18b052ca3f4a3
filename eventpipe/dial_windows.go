package eventpipe

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"strings"

	"github.com/Microsoft/go-winio"
	"golang.org/x/sys/windows"
)

const pipePrefix = `\\.\pipe\`

// pipe is the full name of a pipe.
func pipe(address string) string {
	if strings.HasPrefix(address, pipePrefix) {
		return address
	}
	return pipePrefix + address
}

// dial connects to a named pipe. While all instances of the pipe are in use, dial
// tries again until the context ends.
func dial(ctx context.Context, address string) (net.Conn, error) {
	return winio.DialPipeContext(ctx, pipe(address))
}

// listen opens a named pipe that only this user may connect to.
func listen(address string) (net.Listener, error) {
	return winio.ListenPipe(pipe(address), &winio.PipeConfig{SecurityDescriptor: "D:P(A;;GA;;;OW)"})
}

// ownAddress returns a name that no other process uses.
func ownAddress() string {
	return fmt.Sprintf("%snettrace-%d-%08x", pipePrefix, os.Getpid(), rand.Uint32())
}

func isRefused(error) bool { return false }

func isReset(err error) bool {
	return errors.Is(err, windows.ERROR_BROKEN_PIPE) || errors.Is(err, windows.ERROR_PIPE_NOT_CONNECTED)
}

// hasPort returns false: whether a pipe exists is known by the list of processes only.
func hasPort(string) bool { return false }
