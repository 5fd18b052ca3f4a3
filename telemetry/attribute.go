package telemetry

// Attribute is a name with a value.
type Attribute struct {
	Key   string // its name: "http.route"
	Value any    // a string or an int64
}

// Text returns the value of an attribute of a list that is a text, "" without one.
func Text(list []Attribute, key string) string {
	for i := range list {
		if list[i].Key == key {
			text, _ := list[i].Value.(string)
			return text
		}
	}
	return ""
}
