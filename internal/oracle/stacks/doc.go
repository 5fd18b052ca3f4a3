// Package stacks compares the names that codec/clr/symbols gives to the frames of
// a trace's stacks with those of another reader, the program te.
//
// Its answer is a line for each event with a stack: ticks, provider, id, thread
// and the frames. Equal ticks have no order, so lines are compared as a multiset,
// for each event that both print. Letter case of modules is ignored: the other
// reader spells one module in two ways within a trace.
package stacks
