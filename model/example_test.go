package model_test

import (
	"context"
	"fmt"
	"os"

	"github.com/nettrace-go/nettrace"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/model"
)

// exceptions counts exceptions.
type exceptions struct{ count int }

func (e *exceptions) Begin(*model.Trace) {}

func (e *exceptions) Lost(model.Thread) {}

func (e *exceptions) Handler(m *codec.Metadata) model.Handler {
	if clr.KindOf(m) != clr.KindExceptionThrown {
		return nil
	}
	return func(*codec.Event) { e.count++ }
}

// Read a trace once for one consumer.
func ExampleRead() {
	f, err := os.Open("../corpora/net10-killed.v4.nettrace.zst")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer f.Close()
	src, err := nettrace.NewSource(f, nettrace.SourceOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer src.Close()
	var e exceptions
	t, err := model.Read(context.Background(), codec.NewReader(src, codec.Options{Order: codec.ByTime}), model.Options{Consumers: []model.Consumer{&e}})
	fmt.Println(e.count, "exceptions; truncated:", t.Truncated, err != nil)
	// Output: 264 exceptions; truncated: true true
}
