package heap

import (
	"cmp"
	"hash/maphash"
	"slices"
	"sort"
)

// index finds the number of an object by its address. It has the objects in the order
// of their addresses, and a hash table of the pages that have objects.
type index struct {
	addresses *column[uint64]
	order     []int32 // objects by address; nil if that is the order of their numbers
	pages     []page
	seed      maphash.Seed // random, so that no stream can be made for long searches
	repeated  int64
}

// page has the objects that begin in an aligned part of the memory: count of them in
// the order of addresses, 0 in a free slot.
type page struct {
	number       uint64
	first, count int32
}

const (
	pageBits  = 10                 // of the size of a page
	maxInPage = 1 << pageBits / 12 // objects of the min size, which is 12 bytes in 32-bit processes
)

func newIndex(addresses *column[uint64]) *index {
	x := &index{addresses: addresses, seed: maphash.MakeSeed()}
	x.sort()
	x.pages = make([]page, 16)
	used := 0
	var last *page
	for i := range addresses.len {
		number := x.address(i) >> pageBits
		if i > 0 && x.address(i) == x.address(i-1) {
			x.repeated++
		}
		if last == nil || last.number != number {
			if used++; used > len(x.pages)/2 {
				x.grow()
			}
			last = x.page(number)
			*last = page{number: number, first: int32(i)}
		}
		last.count++
	}
	return x
}

// sort makes the order of addresses, if the objects do not have it.
func (x *index) sort() {
	n := x.addresses.len
	sorted := true
	for i := 1; i < n && sorted; i++ {
		sorted = x.addresses.at(i-1) <= x.addresses.at(i)
	}
	if sorted {
		return
	}
	x.order = make([]int32, n)
	for i := range x.order {
		x.order[i] = int32(i)
	}
	slices.SortFunc(x.order, func(a, b int32) int {
		return cmp.Or(cmp.Compare(x.addresses.at(int(a)), x.addresses.at(int(b))), cmp.Compare(a, b))
	})
}

// object returns the number of the object at a place in the order of addresses.
func (x *index) object(place int) int32 {
	if x.order == nil {
		return int32(place)
	}
	return x.order[place]
}

func (x *index) address(place int) uint64 { return x.addresses.at(int(x.object(place))) }

// page returns the page with a number, or else a free slot for it.
func (x *index) page(number uint64) *page {
	for slot := maphash.Comparable(x.seed, number); ; slot++ {
		p := &x.pages[slot&uint64(len(x.pages)-1)]
		if p.count == 0 || p.number == number {
			return p
		}
	}
}

func (x *index) grow() {
	old := x.pages
	x.pages = make([]page, 2*len(old))
	for _, p := range old {
		if p.count > 0 {
			*x.page(p.number) = p
		}
	}
}

// find returns the number of the object at an address.
func (x *index) find(address uint64) (int32, bool) {
	p := x.page(address >> pageBits)
	place, end := x.place(p, address), int(p.first+p.count)
	if place == end || x.address(place) != address {
		return 0, false
	}
	return x.object(place), true
}

// place returns the place of the first object of a page that begins at an address or
// after it. It estimates the place, as if all objects had one size. Only a malformed
// dump has more objects in a page than fit; they have any distribution.
func (x *index) place(p *page, address uint64) int {
	first, count := int(p.first), int(p.count)
	if count > maxInPage {
		return first + sort.Search(count, func(i int) bool { return x.address(first+i) >= address })
	}
	place := first + int(address&(1<<pageBits-1))*count>>pageBits
	for place > first && x.address(place-1) >= address {
		place--
	}
	for place < first+count && x.address(place) < address {
		place++
	}
	return place
}

// before returns the last object that begins at an address or before it.
func (x *index) before(address uint64) (int32, bool) {
	place := sort.Search(x.addresses.len, func(i int) bool { return x.address(i) > address })
	if place == 0 {
		return 0, false
	}
	return x.object(place - 1), true
}
