package otlp

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"unicode/utf8"

	"go.opentelemetry.io/collector/pdata/pprofile/pprofileotlp"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/nettrace-go/nettrace/agent/delivery"
)

// Target sends items to a server.
type Target struct {
	Client *delivery.Client // of the server
}

// path is where a server receives profiles.
const path = "/v1development/profiles"

// Send sends an item: a profile for each of its types of samples. The error is a
// *delivery.Warning if the server accepts some of them only, or has a remark.
func (t Target) Send(ctx context.Context, item *delivery.Item) error {
	profiles, err := Profiles(item)
	if err != nil {
		return fmt.Errorf("%w: %w", delivery.ErrFinal, err)
	}
	message, err := pprofileotlp.NewExportRequestFromProfiles(profiles).MarshalProto()
	if err != nil {
		return fmt.Errorf("%w: otlp: %w", delivery.ErrFinal, err)
	}
	var body bytes.Buffer
	w := gzip.NewWriter(&body)
	_, _ = w.Write(message) // a Buffer has no errors
	_ = w.Close()
	answer, err := t.Client.Do(ctx, &delivery.Request{
		Path: path, ContentType: "application/x-protobuf", ContentEncoding: "gzip", Body: body.Bytes(),
	})
	var refused *delivery.StatusError
	switch {
	case errors.As(err, &refused):
		return explained(refused, answer)
	case err != nil:
		return err
	}
	return partialSuccess(answer, int64(profiles.ResourceProfiles().At(0).ScopeProfiles().At(0).Profiles().Len()))
}

// partialSuccess returns what the answer of a server that accepts a request of a number
// of profiles says about them.
func partialSuccess(answer []byte, sent int64) error {
	response := pprofileotlp.NewExportResponse()
	if err := response.UnmarshalProto(answer); err != nil {
		return &delivery.Warning{Text: fmt.Sprintf("its answer is not a message of OTLP %s: %v", CollectorVersion, err)}
	}
	rejected, text := response.PartialSuccess().RejectedProfiles(), response.PartialSuccess().ErrorMessage()
	switch {
	case rejected >= sent && rejected > 0:
		return fmt.Errorf("the server rejects the profiles: %s: %w", valid(text), delivery.ErrFinal)
	case rejected > 0:
		return &delivery.Warning{Text: fmt.Sprintf("%d of %d profiles were rejected: %s", rejected, sent, valid(text))}
	case text != "":
		return &delivery.Warning{Text: valid(text)}
	}
	return nil
}

// hints are what to do about a status.
var hints = map[int]string{
	400: "the protocol for profiles is alpha and its messages change between versions: nettrace-otlp writes those of the Collector " +
		CollectorVersion + "; use a server for this version, or another type of target",
	404: "the server has no profiles at " + path + ": a Collector needs --feature-gates=service.profilesSupport, and a pipeline of profiles with the receiver otlp",
	501: "the server does not implement profiles: a Collector near the version " + CollectorVersion + " does, with --feature-gates=service.profilesSupport",
}

// explained returns the refusal of a server with the text of its answer, a message
// google.rpc.Status or any text, and what to do about it.
func explained(refused *delivery.StatusError, answer []byte) error {
	out := *refused
	if text, ok := statusMessage(answer); ok {
		out.Text = valid(text)
	} else if !utf8.Valid(answer) {
		out.Text = ""
	}
	if hint := hints[out.Status]; hint != "" {
		if out.Text != "" {
			out.Text += "; "
		}
		out.Text += hint
	}
	return &out
}

// statusMessage returns the field message of a google.rpc.Status, and whether the bytes
// are one.
func statusMessage(b []byte) (message string, ok bool) {
	const text, details = 2, 3
	for len(b) > 0 {
		number, kind, n := protowire.ConsumeTag(b)
		if n < 0 || number > details {
			return "", false
		}
		b = b[n:]
		if number == text && kind == protowire.BytesType {
			value, n := protowire.ConsumeString(b)
			if n < 0 {
				return "", false
			}
			message = value
		}
		if n = protowire.ConsumeFieldValue(number, kind, b); n < 0 {
			return "", false
		}
		b = b[n:]
	}
	return message, message != ""
}
