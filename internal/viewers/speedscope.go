// Package viewers checks files for the programs that show profiles: speedscope,
// the viewers of Chromium and Perfetto, FlameGraph. Each function reads a
// complete file by the viewer's rules, independently of the writers, and returns
// the first fault for which the viewer would fail.
//
// Only tests import this package.
package viewers

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Speedscope is a file of speedscope's own format, version 0.0.1.
type Speedscope struct {
	Schema   string `json:"$schema"`
	Exporter string `json:"exporter"`
	Name     string `json:"name"`
	Active   int    `json:"activeProfileIndex"`
	Shared   struct {
		Frames []struct {
			Name string `json:"name"`
			File string `json:"file"`
		} `json:"frames"`
	} `json:"shared"`
	Profiles []SpeedscopeProfile `json:"profiles"`
}

// SpeedscopeProfile is one of them: events of an evented one, samples and
// weights of a sampled one.
type SpeedscopeProfile struct {
	Type       string            `json:"type"`
	Name       string            `json:"name"`
	Unit       string            `json:"unit"`
	StartValue json.Number       `json:"startValue"`
	EndValue   json.Number       `json:"endValue"`
	Events     []SpeedscopeEvent `json:"events"`
	Samples    [][]int           `json:"samples"`
	Weights    []json.Number     `json:"weights"`
}

// SpeedscopeEvent opens a frame or closes it.
type SpeedscopeEvent struct {
	Type  string      `json:"type"`
	Frame int         `json:"frame"`
	At    json.Number `json:"at"`
}

// ParseSpeedscope reads a file and checks it: known keys only, integer values,
// frames that exist, times that do not step back and stay within the profile,
// frames that close in the order in which they opened, none left open.
func ParseSpeedscope(data []byte) (*Speedscope, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	var f Speedscope
	if err := d.Decode(&f); err != nil {
		return nil, err
	}
	if f.Schema != "https://www.speedscope.app/file-format-schema.json" {
		return nil, fmt.Errorf("$schema is %q", f.Schema)
	}
	if f.Active < 0 || f.Active >= max(1, len(f.Profiles)) {
		return nil, fmt.Errorf("activeProfileIndex %d of %d profiles", f.Active, len(f.Profiles))
	}
	for i := range f.Profiles {
		p := &f.Profiles[i]
		check := p.checkEvents
		if p.Type == "sampled" {
			check = p.checkSamples
		} else if p.Type != "evented" {
			return nil, fmt.Errorf("profile %d is of type %q", i, p.Type)
		}
		if err := check(len(f.Shared.Frames)); err != nil {
			return nil, fmt.Errorf("profile %d, %q: %w", i, p.Name, err)
		}
	}
	return &f, nil
}

// period is the start and end of a profile.
func (p *SpeedscopeProfile) period() (start, end int64, err error) {
	if start, err = p.StartValue.Int64(); err == nil {
		end, err = p.EndValue.Int64()
	}
	if err == nil && end < start {
		err = fmt.Errorf("it ends at %d and starts at %d", end, start)
	}
	return start, end, err
}

func (p *SpeedscopeProfile) checkEvents(frames int) error {
	last, end, err := p.period()
	var open []int
	for i, e := range p.Events {
		at, atErr := e.At.Int64()
		switch {
		case err != nil:
			return err
		case atErr != nil:
			return fmt.Errorf("event %d: %w", i, atErr)
		case at < last || at > end:
			return fmt.Errorf("event %d is at %d, after %d, and the end is %d", i, at, last, end)
		case e.Frame < 0 || e.Frame >= frames:
			return fmt.Errorf("event %d: frame %d of %d", i, e.Frame, frames)
		case e.Type == "O":
			open = append(open, e.Frame)
		case e.Type != "C":
			return fmt.Errorf("event %d is of type %q", i, e.Type)
		case len(open) == 0 || open[len(open)-1] != e.Frame:
			return fmt.Errorf("event %d closes frame %d, open are %v", i, e.Frame, open)
		default:
			open = open[:len(open)-1]
		}
		last = at
	}
	if len(open) > 0 {
		return fmt.Errorf("at the end frames are open: %v", open)
	}
	return err
}

func (p *SpeedscopeProfile) checkSamples(frames int) error {
	start, end, err := p.period()
	if err != nil {
		return err
	}
	if len(p.Samples) != len(p.Weights) {
		return fmt.Errorf("%d samples, %d weights", len(p.Samples), len(p.Weights))
	}
	for i, stack := range p.Samples {
		weight, err := p.Weights[i].Int64()
		if err != nil || weight < 0 {
			return fmt.Errorf("weight %d is %s", i, p.Weights[i])
		}
		start += weight
		for _, frame := range stack {
			if frame < 0 || frame >= frames {
				return fmt.Errorf("sample %d: frame %d of %d", i, frame, frames)
			}
		}
	}
	if start != end {
		return fmt.Errorf("the weights end at %d, the profile at %d", start, end)
	}
	return nil
}
