package perf

import (
	"encoding/binary"
	"os"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"
)

// defaultPages is the number of pages of a ring that is tried first: a power of two.
const defaultPages = 1024

// ring has the records of one processor, which the kernel writes.
type ring struct {
	fd, cpu    int
	memory     []byte // a page of numbers, then data
	data       []byte
	head, tail *uint64
	wrapped    []byte // a record that continues at the beginning of data
}

// Offsets of numbers in the first page of a ring.
const (
	dataHead = 1024
	dataTail = 1032
)

func mapRing(fd, cpu, pages int) (*ring, error) {
	size := os.Getpagesize()
	memory, err := unix.Mmap(fd, 0, (pages+1)*size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return nil, err
	}
	return &ring{
		fd: fd, cpu: cpu, memory: memory, data: memory[size:],
		head: (*uint64)(unsafe.Pointer(&memory[dataHead])), tail: (*uint64)(unsafe.Pointer(&memory[dataTail])),
	}, nil
}

// read passes all records to a function and frees their place.
func (r *ring) read(take func([]byte)) {
	head, tail := atomic.LoadUint64(r.head), *r.tail
	for tail < head {
		at := tail % uint64(len(r.data))
		size := uint64(binary.LittleEndian.Uint16(r.data[at+6:])) // a header is not divided
		if size < headerSize || size > head-tail {
			break
		}
		b := r.data[at:min(at+size, uint64(len(r.data)))]
		if uint64(len(b)) < size {
			r.wrapped = append(append(r.wrapped[:0], b...), r.data[:size-uint64(len(b))]...)
			b = r.wrapped
		}
		take(b)
		tail += size
	}
	atomic.StoreUint64(r.tail, tail)
}
