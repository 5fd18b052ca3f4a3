package nettracereceiver

import (
	"net/url"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/nettrace-go/nettrace/eventpipe"
)

// resource has the attributes of a process. The processor k8sattributes finds the pod by container.id or k8s.pod.uid.
type resource struct{ attributes pcommon.Map }

// resourceOf returns the resource of a process: what its environment says by the conventions, then what is known of it. There is no
// telemetry.sdk: the process has none.
func resourceOf(p *eventpipe.Process, info *eventpipe.ProcessInfo, environment []string) resource {
	m := pcommon.NewMap()
	service := info.EntryAssembly
	if service == "" {
		service = p.Name
	}
	m.PutStr("service.name", valid(service))
	named := ""
	for _, variable := range environment {
		switch name, value, _ := strings.Cut(variable, "="); name {
		case "OTEL_SERVICE_NAME":
			named = value
		case "OTEL_RESOURCE_ATTRIBUTES":
			for _, pair := range strings.Split(value, ",") {
				key, text, ok := strings.Cut(pair, "=")
				if plain, err := url.PathUnescape(strings.TrimSpace(text)); ok && err == nil && !strings.HasPrefix(strings.TrimSpace(key), "telemetry.sdk.") {
					m.PutStr(valid(strings.TrimSpace(key)), valid(plain))
				}
			}
		}
	}
	for _, a := range []struct{ key, value string }{
		{"service.name", named}, {"process.executable.name", p.Name}, {"process.runtime.version", info.Version}, {"container.id", p.Container}, {"k8s.pod.uid", p.Pod},
	} {
		if a.value != "" {
			m.PutStr(a.key, valid(a.value))
		}
	}
	m.PutStr("process.runtime.name", ".NET")
	if p.PID != 0 {
		m.PutInt("process.pid", int64(p.PID))
	}
	return resource{m}
}

// valid replaces bytes that are not UTF-8, which protobuf forbids.
func valid(text string) string { return strings.ToValidUTF8(text, "\uFFFD") }
