package profile

import "github.com/nettrace-go/nettrace/internal/blocking"

// placesOf returns the places of a function, which are looked up once.
func (n *naming) placesOf(id FunctionID) blocking.Places {
	if missing := int(id) + 1 - len(n.places); missing > 0 {
		n.places = append(n.places, make([]blocking.Places, missing)...)
	}
	if n.places[id] == 0 {
		n.places[id] = lookedUp | blocking.PlacesOf(n.sources[id].Symbol)
	}
	return n.places[id] &^ lookedUp
}

// lookedUp marks a function whose places are known.
const lookedUp blocking.Places = 1 << 63
