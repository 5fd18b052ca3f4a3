package otlp_test

import (
	"context"
	"net"
	"sync"
	"testing"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer/xconsumer"
	"go.opentelemetry.io/collector/pdata/pprofile"
	"go.opentelemetry.io/collector/receiver/otlpreceiver"
	"go.opentelemetry.io/collector/receiver/receivertest"
	"go.opentelemetry.io/collector/receiver/xreceiver"
)

// collector is the receiver otlp of the Collector. It keeps what it accepts.
type collector struct {
	url string

	mu       sync.Mutex
	answers  []error // of the next requests; then it accepts
	received []pprofile.Profiles
}

// newCollector starts a receiver, which ends with the test.
func newCollector(t *testing.T) *collector {
	t.Helper()
	c := &collector{}
	factory := otlpreceiver.NewFactory()
	cfg := factory.CreateDefaultConfig().(*otlpreceiver.Config)
	cfg.Protocols.GRPC.GetOrInsertDefault().NetAddr.Endpoint = "127.0.0.1:0"
	address := freeAddress(t)
	cfg.Protocols.HTTP.GetOrInsertDefault().ServerConfig.NetAddr.Endpoint = address
	c.url = "http://" + address
	consumer, err := xconsumer.NewProfiles(c.consume)
	if err != nil {
		t.Fatal(err)
	}
	settings := receivertest.NewNopSettings(component.MustNewType("otlp"))
	r, err := factory.(xreceiver.Factory).CreateProfiles(t.Context(), settings, cfg, consumer)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Start(t.Context(), componenttest.NewNopHost()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.Shutdown(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return c
}

// freeAddress returns an address that no program listens at. Another program can take it
// before the receiver does; then the receiver does not start.
func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

func (c *collector) consume(_ context.Context, p pprofile.Profiles) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.answers) > 0 {
		err := c.answers[0]
		c.answers = c.answers[1:]
		return err
	}
	kept := pprofile.NewProfiles()
	p.CopyTo(kept)
	c.received = append(c.received, kept)
	return nil
}

// list returns what was kept.
func (c *collector) list() []pprofile.Profiles {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]pprofile.Profiles(nil), c.received...)
}

// sumsOf returns the values of a profile by the function of the leaf, "" for a sample
// without one.
func sumsOf(p pprofile.Profile, d pprofile.ProfilesDictionary) map[string]int64 {
	sums := map[string]int64{}
	for _, s := range p.Samples().All() {
		name := leafOf(d.StackTable().At(int(s.StackIndex())), d)
		for _, v := range s.Values().All() {
			sums[name] += v
		}
	}
	return sums
}

// leafOf returns the name of the function at the leaf of a stack.
func leafOf(s pprofile.Stack, d pprofile.ProfilesDictionary) string {
	if s.LocationIndices().Len() == 0 {
		return ""
	}
	lines := d.LocationTable().At(int(s.LocationIndices().At(0))).Lines()
	if lines.Len() == 0 {
		return ""
	}
	f := d.FunctionTable().At(int(lines.At(0).FunctionIndex()))
	return d.StringTable().At(int(f.NameStrindex()))
}
