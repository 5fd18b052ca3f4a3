package exceptions_test

import (
	"testing"

	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/analysis/exceptions"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
)

// TestExceptionsOfRequests: with the bridge on, the activity of an exception is one within Kestrel's request.
func TestExceptionsOfRequests(t *testing.T) {
	for _, c := range []struct {
		name                        string
		thrown, inRequests, outside int64
	}{{"smtp4dev-net11-requests", 187, 185, 2}, {"smtp4dev-net11-sigkill", 167, 164, 3}} {
		part := exceptions.New()
		r := codec.NewBytesReader(shared.File(t, "apps/"+c.name+".v4.nettrace.zst"), codec.Options{Order: codec.ByTime})
		tr, _ := analysis.Read(t.Context(), r, analysis.Options{Parts: []analysis.Part{part}}) // the second one is truncated
		reports := part.Reports(tr)
		totals := reports[0].Totals.(*exceptions.Totals)
		in := int64(0)
		for _, one := range totals.Requests {
			in += one.Thrown
		}
		expect.Equal(t, c.name+": thrown", totals.Thrown, c.thrown)
		expect.Equal(t, c.name+": in requests", in, c.inRequests)
		expect.Equal(t, c.name+": ambiguous", totals.ThrownAmbiguous.Or(-1), 0)
		expect.Equal(t, c.name+": outside of requests", totals.ThrownNoRequest.Or(-1), c.outside)
	}
}
