package model_test

import (
	"testing"

	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/tracetest"
	"github.com/nettrace-go/nettrace/model"
)

// TestUnion: no instant counts twice.
func TestUnion(t *testing.T) {
	m := tracetest.New(wire.V4)
	m.Add(tracetest.Event{At: 1, Thread: 1})
	tr := readWith(t, m.Bytes(), model.Limits{})
	for _, c := range []struct {
		name string
		list []model.Interval
		want int64 // microseconds
	}{
		{"none", nil, 0},
		{"apart", []model.Interval{{From: 50, To: 60}, {From: 10, To: 20}}, 20},
		{"overlapping", []model.Interval{{From: 10, To: 20}, {From: 15, To: 30}}, 20},
		{"within", []model.Interval{{From: 10, To: 40}, {From: 15, To: 30}, {From: 35, To: 45}}, 35},
		{"adjacent", []model.Interval{{From: 10, To: 20}, {From: 20, To: 30}}, 20},
		{"backwards", []model.Interval{{From: 20, To: 10}}, 0},
	} {
		t.Run(c.name, func(t *testing.T) { expect.Equal(t, "union", tr.Union(c.list), c.want*1000) })
	}
}
