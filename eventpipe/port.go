package eventpipe

import (
	"fmt"
	"strings"
)

// Port is a diagnostics port as given on a command line.
type Port struct {
	Address string // for [NewClient] or [Listen]
	Listen  bool   // runtimes connect to the port; otherwise a runtime listens there
}

// schemes are the prefixes of addresses.
var schemes = []string{"uds://", "uds:", "file://", "file:", "namedpipe:", "ipc:"}

// ParsePort parses ADDRESS[,listen|connect]. The default is listen. The address
// may have a scheme such as uds: or namedpipe:, which is removed.
func ParsePort(text string) (Port, error) {
	address, mode, _ := strings.Cut(text, ",")
	for _, scheme := range schemes {
		if rest, ok := strings.CutPrefix(address, scheme); ok {
			address = rest
			break
		}
	}
	switch {
	case strings.HasPrefix(strings.ToLower(address), "tcp:"):
		return Port{}, fmt.Errorf("eventpipe: port %q: .NET has diagnostics ports of TCP only for mobile devices and browsers, behind dotnet-dsrouter: give the socket of that, or one of this machine (ADDRESS[,listen|connect])", text)
	case address == "":
		return Port{}, fmt.Errorf("eventpipe: port %q has no address: the form is ADDRESS[,listen|connect]", text)
	case mode != "" && mode != "listen" && mode != "connect":
		return Port{}, fmt.Errorf("eventpipe: port %q: the form is ADDRESS[,listen|connect]", text)
	}
	return Port{Address: address, Listen: mode != "connect"}, nil
}
