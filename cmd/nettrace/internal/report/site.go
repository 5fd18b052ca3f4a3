package report

import (
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/samples"
	"github.com/nettrace-go/nettrace/model"
	"github.com/nettrace-go/nettrace/symbols"
)

// site is a method with the source line, if it is known: "Cart.Total(int)  cart.cs:42". Of a stack without names it is the
// innermost frame.
func site(method string, stack []string, at model.Place) string {
	if method == "" && len(stack) > 0 {
		method = stack[0]
	}
	if at.Line == 0 {
		return dash(method)
	}
	return dash(method) + "  " + samples.LineText(&symbols.Location{File: at.File, Line: int(at.Line)})
}
