package pyroscope_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/nettrace-go/nettrace/agent/config"
	"github.com/nettrace-go/nettrace/agent/delivery"
	"github.com/nettrace-go/nettrace/agent/pyroscope"
	"github.com/nettrace-go/nettrace/internal/expect"
)

var item = &delivery.Item{
	ID: "4e3f", Kind: "memory", Body: []byte{1, 2, 3}, Start: time.Unix(1000, 5), End: time.Unix(1010, 5),
	Labels: map[string]string{"service_name": "shop", "pid": "4711"},
}

// received sends the item with a target and returns the request and its body.
func received(t *testing.T, target func(*delivery.Client) delivery.Target) (*http.Request, []byte) {
	t.Helper()
	var got *http.Request
	var body []byte
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		got = r
		body, _ = io.ReadAll(r.Body)
	}))
	defer server.Close()
	client, err := delivery.NewClient(config.Target{URL: server.URL})
	expect.NoError(t, err)
	defer client.Close()
	expect.NoError(t, target(client).Send(t.Context(), item))
	return got, body
}

// TestPush: the bytes of a request.
func TestPush(t *testing.T) {
	r, body := received(t, func(c *delivery.Client) delivery.Target { return pyroscope.Push{Client: c} })
	expect.Equal(t, "path", r.URL.Path, "/push.v1.PusherService/Push")
	expect.Equal(t, "content type", r.Header.Get("Content-Type"), "application/proto")
	want := "\x0a\x58" + // series
		"\x0a\x12" + "\x0a\x09__delta__" + "\x12\x05false" +
		"\x0a\x12" + "\x0a\x08__name__" + "\x12\x06memory" +
		"\x0a\x0b" + "\x0a\x03pid" + "\x12\x044711" +
		"\x0a\x14" + "\x0a\x0cservice_name" + "\x12\x04shop" +
		"\x12\x0b" + "\x0a\x03\x01\x02\x03" + "\x12\x044e3f" // sample
	expect.Equal(t, "body", string(body), want)
}

// TestPushLong: a length of more than one byte.
func TestPushLong(t *testing.T) {
	long := *item
	long.Body = make([]byte, 300)
	b := pyroscope.AppendRequest(nil, &long)
	expect.Equal(t, "bytes", len(b), 390)
	expect.Equal(t, "length of the series", string(b[1:3]), "\x83\x03")
}

// TestIngest: the query and the body of a request.
func TestIngest(t *testing.T) {
	r, body := received(t, func(c *delivery.Client) delivery.Target { return pyroscope.Ingest{Client: c} })
	expect.Equal(t, "path", r.URL.Path, "/ingest")
	q := r.URL.Query()
	for key, want := range map[string]string{"name": "shop{pid=4711}", "from": "1000", "until": "1010", "format": "pprof", "spyName": "nettrace"} {
		expect.Equal(t, key, q.Get(key), want)
	}
	expect.Equal(t, "body", string(body), "\x01\x02\x03")
}

// TestIngestName: the name with labels has no character of its own syntax in a value.
func TestIngestName(t *testing.T) {
	one := *item
	one.Labels = map[string]string{"service_name": "sh{op}", "zone": "a=b,c"}
	var got *http.Request
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { got = r }))
	defer server.Close()
	client, err := delivery.NewClient(config.Target{URL: server.URL})
	expect.NoError(t, err)
	defer client.Close()
	expect.NoError(t, pyroscope.Ingest{Client: client}.Send(t.Context(), &one))
	expect.Equal(t, "name", got.URL.Query().Get("name"), "sh_op_{zone=a_b_c}")
}
