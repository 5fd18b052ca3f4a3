package summary

import (
	"cmp"
	"slices"
)

// stacks sets the functions, stacks and samples of a Summary in their order.
func (b *Builder) stacks(s *Summary) {
	ranks := b.functionRanks(s)
	// children are the nodes below each node: first[n] is the first one, next[n] the one
	// after it below the same parent.
	order := make([]int32, len(b.nodes)-1)
	for i := range order {
		order[i] = int32(i + 1)
	}
	slices.SortFunc(order, func(x, y int32) int {
		p, q := b.nodes[x], b.nodes[y]
		return cmp.Or(cmp.Compare(p.parent, q.parent), cmp.Compare(ranks[p.function], ranks[q.function]))
	})
	first := make([]int32, len(b.nodes)+1) // in order, by parent
	for _, n := range order {
		first[b.nodes[n].parent+1]++
	}
	for i := 1; i < len(first); i++ {
		first[i] += first[i-1]
	}
	numbers := b.preorder(s, order, first, ranks)
	b.series(s, numbers)
}

// functionRanks sorts the functions of the Summary, and returns the index of each by its
// number.
func (b *Builder) functionRanks(s *Summary) []int32 {
	s.Functions = append([]Function{}, b.functions...)
	slices.SortFunc(s.Functions, func(x, y Function) int { return cmp.Or(cmp.Compare(x.Module, y.Module), cmp.Compare(x.Name, y.Name)) })
	ranks := make([]int32, len(s.Functions))
	for i, f := range s.Functions {
		ranks[b.function[f]] = int32(i)
	}
	return ranks
}

// preorder sets the stacks, and returns the number of each node in the Summary. The nodes
// below node n are order[first[n]:first[n+1]].
func (b *Builder) preorder(s *Summary, order, first, ranks []int32) []int32 {
	numbers := make([]int32, len(b.nodes))
	s.Stacks.Depth, s.Stacks.Function = make([]int32, 0, len(order)), make([]int32, 0, len(order))
	path := []int32{0} // nodes from the root
	at := []int32{first[0]}
	for len(path) > 0 {
		top := len(path) - 1
		if at[top] == first[path[top]+1] {
			path, at = path[:top], at[:top]
			continue
		}
		n := order[at[top]]
		at[top]++
		s.Stacks.Depth = append(s.Stacks.Depth, int32(len(path)))
		s.Stacks.Function = append(s.Stacks.Function, ranks[b.nodes[n].function])
		numbers[n] = int32(len(s.Stacks.Depth))
		path, at = append(path, n), append(at, first[n])
	}
	return numbers
}

// series sets the samples.
func (b *Builder) series(s *Summary, numbers []int32) {
	for key, from := range b.samples {
		to := Samples{Type: key.of, State: key.text, Unit: from.unit, Node: []int32{}}
		nodes := make([]int32, 0, len(from.at))
		for n := range from.at {
			nodes = append(nodes, n)
		}
		slices.SortFunc(nodes, func(x, y int32) int { return cmp.Compare(numbers[x], numbers[y]) })
		for _, n := range nodes {
			sum := from.at[n]
			to.Node, to.Count, to.Value = append(to.Node, numbers[n]), append(to.Count, sum.count), append(to.Value, sum.value)
		}
		s.Samples = append(s.Samples, to)
	}
	slices.SortFunc(s.Samples, func(x, y Samples) int { return cmp.Or(cmp.Compare(x.Type, y.Type), cmp.Compare(x.State, y.State)) })
}
