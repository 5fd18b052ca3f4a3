package profile

import (
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/internal/recording"
)

// route is the handling of the events of one type. It is valid while the metadata
// row is the same.
type route struct {
	of *codec.Metadata
	handling
	recorded recording.Classes
	naming   bool // symbols.IsNaming
}

// routeTable finds the routes of metadata rows.
type routeTable struct {
	dense  []*route // by metadata id
	sparse map[uint32]*route
}

// denseRoutes is how many metadata ids are looked up in a slice.
const denseRoutes = 1 << 14

// of returns the route of a metadata row, which the builder makes once.
func (t *routeTable) of(b *builder, id uint32, m *codec.Metadata) *route {
	if id < uint32(len(t.dense)) {
		if r := t.dense[id]; r != nil && r.of == m {
			return r
		}
	}
	return t.find(b, id, m)
}

// find is the slow path of of: it chooses and stores the route.
func (t *routeTable) find(b *builder, id uint32, m *codec.Metadata) *route {
	if have := t.sparse[id]; have != nil && have.of == m {
		return have
	}
	found := b.routeOf(m)
	if id >= denseRoutes {
		if t.sparse == nil {
			t.sparse = map[uint32]*route{}
		}
		t.sparse[id] = &found
		return &found
	}
	for uint32(len(t.dense)) <= id {
		t.dense = append(t.dense, nil)
	}
	t.dense[id] = &found
	return &found
}
