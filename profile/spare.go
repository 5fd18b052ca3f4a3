package profile

// spare has memory for the pieces of records, details and rounds. The goroutines that read chunks make
// it for the one that joins them: the first write into a page of memory takes more time than
// all others into it.
type spare struct {
	records [][]record
	details [][]detail
	rounds  [][]round
}

// provide makes the memory that some records, details and rounds need.
func (s *spare) provide(records, details, rounds int) {
	s.records, s.details, s.rounds = provided(s.records, records), provided(s.details, details), provided(s.rounds, rounds)
}

// provided returns a list with memory for n more elements.
func provided[T any](list [][]T, n int) [][]T {
	for n > 0 && len(list) <= n/pieceSize {
		piece := make([]T, pieceSize)
		clear(piece) // make need not write into memory that is new
		list = append(list, piece[:0])
	}
	return list
}

// take takes memory of another one, until it has a piece of records for each thread and one piece of
// details and of rounds.
func (s *spare) take(from *spare, threads int) {
	s.records, from.records = taken(s.records, from.records, threads)
	s.details, from.details = taken(s.details, from.details, 1)
	s.rounds, from.rounds = taken(s.rounds, from.rounds, 1)
}

// taken takes pieces of a list until another one has enough.
func taken[T any](list, from [][]T, atMost int) (all, rest [][]T) {
	n := max(0, min(len(from), atMost-len(list)))
	return append(list, from[len(from)-n:]...), from[:len(from)-n]
}
