package otlp

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	pb "github.com/google/pprof/profile"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pprofile"

	"github.com/nettrace-go/nettrace/agent/delivery"
)

// scope is the name of the instrumentation scope.
const scope = "github.com/nettrace-go/nettrace"

// kindAttribute is the attribute of a profile that has its kind: the types of samples
// of mutex and block are the same.
const kindAttribute = "nettrace.profile.kind"

// commentAttribute is the attribute of the semantic conventions for comments of pprof.
const commentAttribute = "pprof.profile.comment"

// Profiles returns the message of an item: a profile for each type of sample of its
// pprof. Text that is not UTF-8 is replaced, because protobuf forbids it. The error is
// one of reading the pprof.
func Profiles(item *delivery.Item) (pprofile.Profiles, error) {
	out := pprofile.NewProfiles()
	in, err := pb.Parse(bytes.NewReader(item.Body))
	if err != nil {
		return out, fmt.Errorf("otlp: %w", err)
	}
	resource := out.ResourceProfiles().AppendEmpty()
	setResource(resource.Resource().Attributes(), item.Labels)
	scoped := resource.ScopeProfiles().AppendEmpty()
	scoped.Scope().SetName(scope)
	d := newDictionary(out.Dictionary())
	for i := range in.SampleType {
		d.addProfile(scoped.Profiles().AppendEmpty(), in, i, item)
	}
	return out, nil
}

// addProfile sets a profile to one type of sample of a pprof.
func (d *dictionary) addProfile(out pprofile.Profile, in *pb.Profile, value int, item *delivery.Item) {
	out.SetProfileID(profileID(item.ID, value))
	out.SetTime(pcommon.NewTimestampFromTime(item.Start))
	out.SetDurationNano(uint64(max(item.End.Sub(item.Start), 0)))
	d.setType(out.SampleType(), in.SampleType[value])
	if in.PeriodType != nil {
		d.setType(out.PeriodType(), in.PeriodType)
		out.SetPeriod(in.Period)
	}
	out.AttributeIndices().Append(d.attribute(kindAttribute, func(v pcommon.Value) { v.SetStr(valid(item.Kind)) }))
	if len(in.Comments) > 0 {
		out.AttributeIndices().Append(d.attribute(commentAttribute, func(v pcommon.Value) {
			list := v.SetEmptySlice()
			for _, text := range in.Comments {
				list.AppendEmpty().SetStr(valid(text))
			}
		}))
	}
	for _, s := range in.Sample {
		if s.Value[value] == 0 {
			continue
		}
		sample := out.Samples().AppendEmpty()
		sample.SetStackIndex(d.stack(s.Location))
		sample.Values().Append(s.Value[value])
	}
}

func (d *dictionary) setType(out pprofile.ValueType, in *pb.ValueType) {
	out.SetTypeStrindex(d.text(in.Type))
	out.SetUnitStrindex(d.text(in.Unit))
}

// profileID returns the id of a profile, which is the same each time that the item is
// sent: that of the item for its first type of sample.
func profileID(item string, value int) (id pprofile.ProfileID) {
	digits, err := hex.DecodeString(strings.ReplaceAll(item, "-", ""))
	if err == nil && len(digits) == len(id) && value == 0 {
		return pprofile.ProfileID(digits)
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%d", item, value))
	return pprofile.ProfileID(sum[:len(id)])
}

// attributes are the names that the semantic conventions have for labels of the agent.
// Other labels, such as external_labels of the configuration, keep their names.
var attributes = map[string]string{
	"service_name": "service.name",
	"name":         "process.executable.name",
	"pid":          "process.pid",
	"host":         "host.name",
	"container_id": "container.id",
	"pod_uid":      "k8s.pod.uid",
	"pod":          "k8s.pod.name",
	"namespace":    "k8s.namespace.name",
}

// setResource sets the attributes of the process.
func setResource(out pcommon.Map, labels map[string]string) {
	for _, label := range slices.Sorted(maps.Keys(labels)) {
		name, ok := attributes[label]
		if !ok {
			name = valid(label)
		}
		if pid, err := strconv.ParseInt(labels[label], 10, 64); err == nil && label == "pid" {
			out.PutInt(name, pid)
			continue
		}
		out.PutStr(name, valid(labels[label]))
	}
}

// valid replaces bytes that are not UTF-8.
func valid(text string) string { return strings.ToValidUTF8(text, "\uFFFD") }
