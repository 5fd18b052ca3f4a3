// Codec is package codec as a reader under test:
//
//	nettrace conformance run --stream -- go run ./conformance/adapters/codec --stream
package main

import "github.com/nettrace-go/nettrace/conformance/adapter"

func main() { adapter.Main(adapter.Codec) }
