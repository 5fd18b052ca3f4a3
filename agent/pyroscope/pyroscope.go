// Package pyroscope sends profiles to Grafana Pyroscope: with Push to its current
// servers, with Ingest to older ones.
//
// Each kind of profile is a series of its own. Its labels are those of the item,
// and __name__, the kind, and __delta__, which is "false": the values of a profile
// are those of its window, not totals since the start of the process.
package pyroscope

import (
	"context"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/nettrace-go/nettrace/agent/delivery"
)

// Push is the method push.v1.PusherService/Push.
type Push struct {
	Client *delivery.Client // of the server
}

// Send sends an item.
func (p Push) Send(ctx context.Context, item *delivery.Item) error {
	return p.Client.Post(ctx, "/push.v1.PusherService/Push", "application/proto", AppendRequest(nil, item))
}

// Numbers of fields of the messages of push.proto and types.proto.
const (
	requestSeries = 1
	seriesLabels  = 1
	seriesSamples = 2
	labelName     = 1
	labelValue    = 2
	sampleProfile = 1
	sampleID      = 2
)

// AppendRequest appends the message PushRequest with one series and one sample.
func AppendRequest(b []byte, item *delivery.Item) []byte {
	labels := maps.Clone(item.Labels)
	if labels == nil {
		labels = map[string]string{}
	}
	labels["__name__"], labels["__delta__"] = item.Kind, "false"
	var series []byte
	for _, name := range slices.Sorted(maps.Keys(labels)) {
		label := appendField(nil, labelName, name)
		label = appendField(label, labelValue, labels[name])
		series = appendField(series, seriesLabels, label)
	}
	sample := appendField(nil, sampleProfile, item.Body)
	sample = appendField(sample, sampleID, item.ID)
	series = appendField(series, seriesSamples, sample)
	return appendField(b, requestSeries, series)
}

// appendField appends a field of protobuf that has a length.
func appendField[T string | []byte](b []byte, number uint64, value T) []byte {
	const lengthDelimited = 2
	b = appendVarint(b, number<<3|lengthDelimited)
	b = appendVarint(b, uint64(len(value)))
	return append(b, value...)
}

func appendVarint(b []byte, v uint64) []byte {
	for ; v >= 0x80; v >>= 7 {
		b = append(b, byte(v)|0x80)
	}
	return append(b, byte(v))
}

// Ingest is the path /ingest with profiles in the format of pprof. The characters , { }
// and = in values of labels become _.
type Ingest struct {
	Client *delivery.Client // of the server
}

// Send sends an item. The server has no use for its ID.
func (p Ingest) Send(ctx context.Context, item *delivery.Item) error {
	return p.Client.Post(ctx, "/ingest?"+ingestQuery(item), "application/octet-stream", item.Body)
}

// plain replaces the characters that separate labels in a name of /ingest, which has no
// escapes for them.
var plain = strings.NewReplacer(",", "_", "{", "_", "}", "_", "=", "_")

// ingestQuery has the name with labels, and the window in seconds.
func ingestQuery(item *delivery.Item) string {
	var labels []string
	for _, name := range slices.Sorted(maps.Keys(item.Labels)) {
		if name != serviceName {
			labels = append(labels, name+"="+plain.Replace(item.Labels[name]))
		}
	}
	q := url.Values{
		"format": {"pprof"}, "spyName": {"nettrace"},
		"name":  {fmt.Sprintf("%s{%s}", plain.Replace(item.Labels[serviceName]), strings.Join(labels, ","))},
		"from":  {fmt.Sprint(item.Start.Unix())},
		"until": {fmt.Sprint(item.End.Unix())},
	}
	return q.Encode()
}

const serviceName = "service_name"
