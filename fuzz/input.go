package fuzz

import (
	"encoding/binary"
	"fmt"
	"math"
	"reflect"
)

// pack returns the input of Run that has these arguments.
func pack(args []reflect.Value) (input []byte, err error) {
	for i, arg := range args {
		switch arg.Kind() {
		case reflect.Uint8, reflect.Uint16:
			input, err = binary.Append(input, binary.LittleEndian, arg.Interface())
		case reflect.Slice:
			if i < len(args)-1 {
				if arg.Len() > math.MaxUint16 {
					return nil, fmt.Errorf("argument %d has %d bytes, at most %d can be packed", i, arg.Len(), math.MaxUint16)
				}
				input = binary.LittleEndian.AppendUint16(input, uint16(arg.Len()))
			}
			input = append(input, arg.Bytes()...)
		default:
			err = fmt.Errorf("argument %d has the type %v", i, arg.Type())
		}
		if err != nil {
			return nil, err
		}
	}
	return input, nil
}

// unpack returns the arguments in an input of Run. It accepts any bytes: missing ones
// are zero, and a size that is too large is that of the remaining bytes.
func unpack(types []reflect.Type, input []byte) (args []reflect.Value) {
	for i, t := range types {
		arg := reflect.New(t).Elem()
		size := len(input)
		switch t.Kind() {
		case reflect.Uint8, reflect.Uint16:
			arg.SetUint(take(&input, int(t.Size())))
		case reflect.Slice:
			if i < len(types)-1 {
				size = int(take(&input, 2))
			}
			size = min(size, len(input))
			arg.SetBytes(input[:size:size])
			input = input[size:]
		default:
			panic(fmt.Sprintf("fuzz: argument %d has the type %v", i, t))
		}
		args = append(args, arg)
	}
	return args
}

// take removes a number of size bytes from an input.
func take(input *[]byte, size int) (n uint64) {
	for i := range min(size, len(*input)) {
		n |= uint64((*input)[i]) << (8 * i)
	}
	*input = (*input)[min(size, len(*input)):]
	return n
}
