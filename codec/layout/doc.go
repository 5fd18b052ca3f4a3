// Package layout describes the fields of the NetTrace format, versions 3 to 6,
// and finds them in the body of a block.
//
// The format is data: a table for each structure of the specification lists its
// fields in their order, how each is encoded, and the rule that is broken when it
// is missing. A [Walker] interprets the tables. It yields each field with its
// name in the specification, its position, its size and its value, and ends with
// a [Fault] where the bytes do not have the form that the tables describe:
//
//	w := layout.NewWalker(layout.Options{Format: wire.V6})
//	for f := range w.Block(wire.KindEvent, body) {
//		fmt.Println(f.Row, f.Name, f.Pos, f.Size, f.Value)
//	}
//	if fault := w.Fault(); fault.Rule != rule.None {
//		...
//	}
//
// A Walker is tolerant: it checks the form and not the meaning, so that an
// unknown id, a time out of order or an impossible date is no fault. It works in
// any bytes, and is slow: package codec decodes and encodes rows in code of its
// own.
package layout
