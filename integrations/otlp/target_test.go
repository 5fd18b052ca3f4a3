package otlp_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	pb "github.com/google/pprof/profile"
	"go.opentelemetry.io/collector/pdata/pprofile/pprofileotlp"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/nettrace-go/nettrace"
	"github.com/nettrace-go/nettrace/agent/config"
	"github.com/nettrace-go/nettrace/agent/delivery"
	"github.com/nettrace-go/nettrace/integrations/otlp"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/profile"
	"github.com/nettrace-go/nettrace/profile/pprof"
)

const (
	id      = "4e3f0000-1111-8222-8333-444444444444"
	idBytes = "4e3f0000111182228333444444444444"
)

// newTarget returns the target of a server.
func newTarget(t *testing.T, url string) otlp.Target {
	t.Helper()
	client, err := delivery.NewClient(config.Target{URL: url})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	return otlp.Target{Client: client}
}

// newItem returns the item of a profile.
func newItem(t *testing.T, p *pb.Profile) *delivery.Item {
	t.Helper()
	var body bytes.Buffer
	if err := p.Write(&body); err != nil {
		t.Fatal(err)
	}
	return &delivery.Item{
		ID: id, Kind: "memory", Start: time.Unix(1_800_000_000, 5), End: time.Unix(1_800_000_010, 5), Body: body.Bytes(),
		Labels: map[string]string{
			"service_name": "shop", "name": "Shop", "pid": "4711", "container_id": "c1", "pod_uid": "u1", "pod": "shop-0", "namespace": "eu",
			"host": "h1", "cluster": "eu-1",
		},
	}
}

// window is a profile with two types of samples, whose stacks have locations in common.
func window() *pb.Profile {
	m := &pb.Mapping{ID: 1, File: "Shop.dll", HasFunctions: true}
	var functions []*pb.Function
	var locations []*pb.Location
	for i, name := range []string{"Shop.Main", "Shop.Serve", "Shop.Pay"} {
		f := &pb.Function{ID: uint64(i) + 1, Name: name, SystemName: "token", Filename: "Shop.cs"}
		functions = append(functions, f)
		locations = append(locations, &pb.Location{ID: f.ID, Mapping: m, Line: []pb.Line{{Function: f, Line: int64(i)}}})
	}
	stack := func(leaf int) (list []*pb.Location) {
		for ; leaf >= 0; leaf-- {
			list = append(list, locations[leaf])
		}
		return list
	}
	return &pb.Profile{
		SampleType: []*pb.ValueType{{Type: "alloc_space", Unit: "bytes"}, {Type: "alloc_objects", Unit: "count"}},
		PeriodType: &pb.ValueType{Type: "space", Unit: "bytes"}, Period: 100, Comments: []string{"sampled for 2s of 10s"},
		Mapping: []*pb.Mapping{m}, Function: functions, Location: locations,
		Sample: []*pb.Sample{
			{Location: stack(2), Value: []int64{1000, 1}}, {Location: stack(1), Value: []int64{200, 2}}, {Location: stack(2), Value: []int64{30, 0}},
		},
	}
}

// TestMessage: what the Collector's receiver gets.
func TestMessage(t *testing.T) {
	c := newCollector(t)
	expect.NoError(t, newTarget(t, c.url).Send(t.Context(), newItem(t, window())))
	expect.Len(t, "requests", c.list(), 1)
	expect.Stop(t)
	got := c.list()[0]
	d := got.Dictionary()
	resource := got.ResourceProfiles().At(0)
	for name, want := range map[string]string{
		"service.name": "shop", "process.executable.name": "Shop", "process.pid": "4711", "container.id": "c1", "k8s.pod.uid": "u1",
		"k8s.pod.name": "shop-0", "k8s.namespace.name": "eu", "host.name": "h1", "cluster": "eu-1",
	} {
		v, ok := resource.Resource().Attributes().Get(name)
		expect.Equal(t, "attribute "+name+" is there", ok, true)
		expect.Equal(t, "attribute "+name, v.AsString(), want)
	}
	pid, _ := resource.Resource().Attributes().Get("process.pid")
	expect.Equal(t, "type of process.pid", pid.Type().String(), "Int")
	list := resource.ScopeProfiles().At(0).Profiles()
	expect.Equal(t, "profiles", list.Len(), 2)
	for i, want := range []struct {
		kind string
		sums map[string]int64
	}{
		{"alloc_space bytes", map[string]int64{"Shop.Pay": 1030, "Shop.Serve": 200}},
		{"alloc_objects count", map[string]int64{"Shop.Pay": 1, "Shop.Serve": 2}},
	} {
		p := list.At(i)
		text := func(i int32) string { return d.StringTable().At(int(i)) }
		expect.Equal(t, "type of samples", text(p.SampleType().TypeStrindex())+" "+text(p.SampleType().UnitStrindex()), want.kind)
		expect.Equal(t, "type of the period", text(p.PeriodType().TypeStrindex())+" "+text(p.PeriodType().UnitStrindex()), "space bytes")
		expect.Equal(t, "period", p.Period(), 100)
		expect.Equal(t, "time", p.Time().AsTime(), time.Unix(1_800_000_000, 5).UTC())
		expect.Equal(t, "duration", p.DurationNano(), uint64(10*time.Second))
		expect.Equal(t, want.kind+": sums", fmt.Sprint(sumsOf(p, d)), fmt.Sprint(want.sums))
		var notes []string
		for _, at := range p.AttributeIndices().All() {
			a := d.AttributeTable().At(int(at))
			notes = append(notes, text(a.KeyStrindex())+"="+a.Value().AsString())
		}
		expect.Slices(t, "attributes", notes, []string{"nettrace.profile.kind=memory", `pprof.profile.comment=["sampled for 2s of 10s"]`})
	}
	expect.Equal(t, "id", list.At(0).ProfileID().String(), idBytes)
	expect.Equal(t, "file", d.StringTable().At(int(d.MappingTable().At(1).FilenameStrindex())), "Shop.dll")
	for name, table := range map[string]struct{ got, want int }{
		"strings":   {d.StringTable().Len(), len(uniqueTexts(d.StringTable().AsRaw()))},
		"functions": {d.FunctionTable().Len(), 4}, "locations": {d.LocationTable().Len(), 4}, "stacks": {d.StackTable().Len(), 3},
		"mappings": {d.MappingTable().Len(), 2}, "attributes": {d.AttributeTable().Len(), 3}, "links": {d.LinkTable().Len(), 1},
	} {
		expect.Equal(t, "entries of "+name, table.got, table.want)
	}
}

func uniqueTexts(list []string) map[string]bool {
	seen := map[string]bool{}
	for _, s := range list {
		seen[s] = true
	}
	return seen
}

// TestID: an item has the same ids each time, and its profiles have others than each
// other.
func TestID(t *testing.T) {
	ids := func(itemID string) (list []string) {
		item := newItem(t, window())
		item.ID = itemID
		p, err := otlp.Profiles(item)
		expect.NoError(t, err)
		for _, one := range p.ResourceProfiles().At(0).ScopeProfiles().At(0).Profiles().All() {
			list = append(list, one.ProfileID().String())
		}
		return list
	}
	expect.Slices(t, "ids of the same item", ids(id), ids(id))
	seen := uniqueTexts(append(append(ids(id), ids("4e3f0000-1111-8222-8333-444444444445")...), ids("no UUID")...))
	expect.Equal(t, "different ids of three items", len(seen), 6)
	expect.Equal(t, "different ids of an item with a long id", len(uniqueTexts(ids(strings.Repeat("ab", 40)))), 2)
}

// TestTraces compares what the receiver gets with the pprof of the same recording, for
// each type of sample.
func TestTraces(t *testing.T) {
	c := newCollector(t)
	target := newTarget(t, c.url)
	for i, name := range []string{"net10-mix-gc", "net10-mix-locks", "azmcp-net10-live"} {
		t.Run(name, func(t *testing.T) {
			f, err := nettrace.Open("../../corpora/" + name + ".v4.nettrace.zst")
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			p, err := profile.FromReader(t.Context(), f.Reader, profile.Options{})
			expect.NoError(t, err)
			want := pprof.New(p, pprof.Options{})
			expect.NoError(t, target.Send(t.Context(), newItem(t, want)))
			expect.Len(t, "requests", c.list(), i+1)
			expect.Stop(t)
			got := c.list()[i]
			compared := 0
			for v, one := range got.ResourceProfiles().At(0).ScopeProfiles().At(0).Profiles().All() {
				compared += compare(t, want, v, sumsOf(one, got.Dictionary()))
			}
			t.Logf("%d sums of %d types", compared, len(want.SampleType))
			expect.AtLeast(t, "compared sums", compared, 20)
		})
	}
}

// compare compares sums with those of a pprof, and returns how many there are.
func compare(t *testing.T, p *pb.Profile, value int, got map[string]int64) int {
	t.Helper()
	want := map[string]int64{}
	for _, s := range p.Sample {
		v, name := s.Value[value], ""
		if len(s.Location) > 0 && len(s.Location[0].Line) > 0 {
			name = s.Location[0].Line[0].Function.Name
		}
		if v != 0 {
			want[name] += v
		}
	}
	kind := p.SampleType[value].Type
	expect.Equal(t, kind+": functions", len(got), len(want))
	for name, v := range want {
		expect.Equal(t, kind+": "+name, got[name], v)
	}
	return len(want)
}

// TestHostile: a message has text in UTF-8 only, and profiles without samples, stacks or
// functions are accepted.
func TestHostile(t *testing.T) {
	c := newCollector(t)
	target := newTarget(t, c.url)
	hostile := window()
	hostile.Function[2].Name, hostile.Function[2].SystemName, hostile.Mapping[0].File = "a\xff\xfeb", "\xc3\x28", "\x80"
	hostile.SampleType[0].Unit, hostile.Comments = "\xff", []string{"\xed\xa0\x80"}
	hostile.Location[1].Line = nil
	hostile.Sample = append(hostile.Sample, &pb.Sample{Value: []int64{7, 7}})
	item := newItem(t, hostile)
	item.ID, item.Kind, item.Labels = "", "\xfe", map[string]string{"service_name": "\xff", "pid": "many", "\xff": "\xff", "pod": ""}
	expect.NoError(t, target.Send(t.Context(), item))
	expect.Len(t, "requests", c.list(), 1)
	expect.Stop(t)
	d := c.list()[0].Dictionary()
	for _, s := range d.StringTable().AsRaw() {
		expect.Equal(t, fmt.Sprintf("%q is UTF-8", s), strings.ToValidUTF8(s, ""), s)
	}
	for name, v := range c.list()[0].ResourceProfiles().At(0).Resource().Attributes().All() {
		expect.Equal(t, fmt.Sprintf("%q=%q is UTF-8", name, v.AsString()), strings.ToValidUTF8(name+v.AsString(), ""), name+v.AsString())
	}
	p := c.list()[0].ResourceProfiles().At(0).ScopeProfiles().At(0).Profiles().At(0)
	expect.Equal(t, "stack of a sample without one", p.Samples().At(p.Samples().Len()-1).StackIndex(), 0)

	empty := window()
	empty.Sample = nil
	expect.NoError(t, target.Send(t.Context(), newItem(t, empty)))
	expect.NoError(t, target.Send(t.Context(), newItem(t, &pb.Profile{})))
	item.Body = []byte("no pprof")
	expect.ErrorIs(t, target.Send(t.Context(), item), delivery.ErrFinal)
}

// TestRefused: the answers of the Collector's receiver, with what to do about them.
func TestRefused(t *testing.T) {
	throttled, err := status.New(codes.ResourceExhausted, "too much").WithDetails(&errdetails.RetryInfo{RetryDelay: durationpb.New(7 * time.Second)})
	expect.NoError(t, err)
	for _, c := range []struct {
		name   string
		err    error
		status int
		after  time.Duration
		final  bool
		want   string
	}{
		{"400", status.Error(codes.InvalidArgument, "wrong index"), 400, 0, true, "wrong index; the protocol for profiles is alpha"},
		{"404", status.Error(codes.Unimplemented, "no profiles"), 404, 0, true, "--feature-gates=service.profilesSupport"},
		{"429", throttled.Err(), 429, 7 * time.Second, false, "too much"},
		{"503", errors.New("queue is full"), 503, 0, false, "queue is full"},
	} {
		t.Run(c.name, func(t *testing.T) {
			server := newCollector(t)
			server.answers = []error{c.err}
			target := newTarget(t, server.url)
			wantRefusal(t, target.Send(t.Context(), newItem(t, window())), &delivery.StatusError{Status: c.status, RetryAfter: c.after}, c.final, c.want)
			expect.NoError(t, target.Send(t.Context(), newItem(t, window())))
			expect.Len(t, "profiles", server.list(), 1)
		})
	}
}

// wantRefusal checks a *delivery.StatusError.
func wantRefusal(t *testing.T, err error, want *delivery.StatusError, final bool, text string) {
	t.Helper()
	var got *delivery.StatusError
	if !errors.As(err, &got) {
		t.Fatalf("error: got %v, want a *StatusError", err)
	}
	expect.Equal(t, "status", got.Status, want.Status)
	expect.Equal(t, "time to wait", got.RetryAfter, want.RetryAfter)
	expect.Equal(t, "is final", got.Final(), final)
	expect.Contains(t, "text", got.Error(), text)
}

// TestOtherServers: answers that are no messages of google.rpc.Status.
func TestOtherServers(t *testing.T) {
	for _, c := range []struct {
		name   string
		status int
		answer string
		want   string
	}{
		{"501", 501, "", "501 Not Implemented: the server does not implement profiles: a Collector near the version v0.160.0 does"},
		{"404 of a web server", 404, "404 page not found\n", "404 page not found; the server has no profiles at /v1development/profiles"},
		{"400 with bytes", 400, "\xff\xfe", "400 Bad Request: the protocol for profiles is alpha"},
		{"413", 413, "too large", "413 Request Entity Too Large: too large"},
		{"500 with a truncated message", 500, "\x12\x7fabc", "500 Internal Server Error: \x12\x7fabc"},
	} {
		t.Run(c.name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(c.status)
				_, _ = io.WriteString(w, c.answer)
			}))
			defer server.Close()
			err := newTarget(t, server.URL).Send(t.Context(), newItem(t, window()))
			wantRefusal(t, err, &delivery.StatusError{Status: c.status}, c.status != 500, c.want)
		})
	}
}

// TestPartialSuccess: how a queue counts what a server rejects of a request that it
// accepts.
func TestPartialSuccess(t *testing.T) {
	for _, c := range []struct {
		name           string
		rejected       int64
		message        string
		sent, warnings int64
		refused        int64
		want           string // of the warning or the error
	}{
		{"complete", 0, "", 1, 0, 0, ""},
		{"remark", 0, "no symbols", 1, 1, 0, "no symbols"},
		{"one of two", 1, "too long", 1, 1, 0, "1 of 2 profiles were rejected: too long"},
		{"all", 2, "no quota", 0, 0, 1, "the server rejects the profiles: no quota"},
	} {
		t.Run(c.name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				response := pprofileotlp.NewExportResponse()
				response.PartialSuccess().SetRejectedProfiles(c.rejected)
				response.PartialSuccess().SetErrorMessage(c.message)
				data, err := response.MarshalProto()
				expect.NoError(t, err)
				_, _ = w.Write(data)
			}))
			defer server.Close()
			q, err := delivery.New(newTarget(t, server.URL), delivery.Options{})
			expect.NoError(t, err)
			q.Add(newItem(t, window()))
			q.Drain(context.WithoutCancel(t.Context()))
			s := q.Stats()
			expect.Equal(t, "sent", s.Sent, c.sent)
			expect.Equal(t, "warnings", s.Warnings, c.warnings)
			expect.Equal(t, "refused", s.Dropped[delivery.Refused], c.refused)
			text := s.Warning
			if s.LastError != nil {
				text = s.LastError.Error()
			}
			expect.Contains(t, "text", text, c.want)
		})
	}
}
