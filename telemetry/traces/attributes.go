package traces

import (
	"strconv"
	"strings"

	"github.com/nettrace-go/nettrace/telemetry"
)

// Attributes of the conventions that have a meaning here.
const (
	requestMethod = "http.request.method"
	statusCode    = "http.response.status_code"
	route         = "http.route"
)

// numbers are the attributes of the semantic conventions that are numbers. Tags are texts in events.
var numbers = map[string]bool{
	statusCode: true, "http.request.resend_count": true, "http.request.body.size": true, "http.response.body.size": true,
	"server.port": true, "client.port": true, "network.peer.port": true, "network.local.port": true, "rpc.grpc.status_code": true, "thread.id": true,
}

// private says for which option an attribute is kept.
type private uint8

const (
	public    private = iota
	query             // dropped without Options.Queries
	cut               // an address: its query is dropped
	client            // dropped without Options.Addresses
	peer              // the same, in a span of a server
	exception         // dropped without Options.Exceptions
)

// privacy lists the attributes that can have data about persons.
var privacy = map[string]private{
	"url.query": query, "db.query.text": query, "db.statement": query, "url.full": cut, "http.url": cut, "http.target": cut,
	"client.address": client, "client.port": client, "http.client_ip": client, "client.socket.address": client,
	"network.peer.address": peer, "network.peer.port": peer, "net.peer.ip": peer, "net.peer.name": peer, "net.peer.port": peer, "net.sock.peer.addr": peer, "net.sock.peer.port": peer,
	"exception.message": exception, "exception.stacktrace": exception, "otel.status_description": exception,
}

// add appends an attribute, unless the options leave it out.
func (o *Options) add(list []telemetry.Attribute, kind Kind, key, value string) []telemetry.Attribute {
	switch privacy[key] {
	case query:
		if !o.Queries {
			return list
		}
	case cut:
		if !o.Queries {
			value, _, _ = strings.Cut(value, "?")
		}
	case client:
		if !o.Addresses {
			return list
		}
	case peer:
		if !o.Addresses && kind != Client && kind != Producer {
			return list
		}
	case exception:
		if !o.Exceptions {
			return list
		}
	}
	if numbers[key] {
		if n, err := strconv.ParseInt(value, 10, 64); err == nil {
			return append(list, telemetry.Attribute{Key: key, Value: n})
		}
	}
	return append(list, telemetry.Attribute{Key: key, Value: value})
}

// judge sets the status that the conventions give an HTTP span by its answer, where the program set none.
func (s *Span) judge() {
	bad := int64(400)
	if s.Kind == Server {
		bad = 500
	}
	for _, a := range s.Attributes {
		if n, ok := a.Value.(int64); ok && a.Key == statusCode && n >= bad && s.Status == Unset && (s.Kind == Server || s.Kind == Client) {
			s.Status = Error
		}
	}
}
