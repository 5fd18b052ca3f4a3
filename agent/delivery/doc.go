// Package delivery sends profiles to a target that may be down.
//
// A [Queue] sends each [Item] at least once: until the target accepts or refuses
// it. Between two attempts it waits, twice as long each time, with jitter, and as
// long as the target asks for. The queue is bounded, in memory or in a folder: if
// it is full, it drops the oldest item. It counts what it drops, by reason.
//
// A target that gets an item a second time, because its answer was lost, knows it
// by its ID.
//
// A target can accept an item with a [Warning], which the queue counts.
//
// Another kind of receiver is a type with the method Send of [Target]. It gets
// profiles in the format of pprof and can convert them.
package delivery
