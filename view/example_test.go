package view_test

import (
	"bytes"
	"context"
	"fmt"
	"log"

	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/analysis/parts"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/profile"
	"github.com/nettrace-go/nettrace/view"
)

// A document needs the samples of a trace and its reports.
func Example() {
	trace := smallTrace()
	ctx := context.Background()
	s := view.Source{Tool: "example", File: "small.nettrace", Counters: &view.Counters{}}
	var err error
	s.Profile, err = profile.FromReader(ctx, codec.NewReader(bytes.NewReader(trace), codec.Options{}), view.ProfileOptions(profile.Limits{}))
	if err != nil {
		log.Fatal(err)
	}
	all := append(parts.All(), s.Counters)
	s.Trace, err = analysis.Read(ctx, codec.NewReader(bytes.NewReader(trace), codec.Options{Order: codec.ByTime}), analysis.Options{Parts: all})
	if err != nil {
		log.Fatal(err)
	}
	for _, part := range all {
		s.Reports = append(s.Reports, part.Reports(s.Trace)...)
	}
	data, err := s.Encode()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(data) > 0)
	// Output: true
}
