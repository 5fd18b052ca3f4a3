package record

// MeasuredRing is a Ring for tests of its bounds.
type MeasuredRing struct {
	*Ring
	Peak int64 // largest value of Bytes after a block
}

func (m *MeasuredRing) keep(b *arrival) error {
	err := m.Ring.keep(b)
	m.Peak = max(m.Peak, m.Bytes())
	return err
}

// Bytes returns the bytes of blocks, without those that have only rundown events.
func (m *MeasuredRing) Bytes() int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.held - m.rundown
}

// Rundown returns the bytes of blocks that have only rundown events.
func (m *MeasuredRing) Rundown() int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.rundown
}
