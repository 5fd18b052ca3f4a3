package calltree

import "github.com/nettrace-go/nettrace/profile"

// Labels returns the labels of a sample, with raw the names of types as the runtime wrote
// them.
func Labels(p *profile.Profile, s *profile.Sample, raw bool) []profile.Label {
	list := p.Labels(s)
	for i := range list {
		if l := &list[i]; raw && l.Raw != "" {
			l.Text = l.Raw
		}
	}
	return list
}

// Class returns what a sample is about: the text of the label that profile.Type.ClassLabel
// names, "" if it has none. See Labels for raw.
func Class(p *profile.Profile, s *profile.Sample, raw bool) string {
	key := s.Type.ClassLabel()
	for _, l := range Labels(p, s, raw) {
		if key != "" && l.Key == key {
			return l.Text
		}
	}
	return ""
}
