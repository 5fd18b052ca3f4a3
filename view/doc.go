// Package view writes what the viewer of nettrace shows: the samples of a trace
// and its reports, as a document for a page in a browser.
//
//	s := view.Source{File: name, Profile: p, Trace: t, Reports: reports}
//	data, err := s.Encode()
//
// The page applies the filters itself. The profile must therefore have the
// samples of all types, states and times, with the frames of the runtime's
// helpers: ProfileOptions.
//
// # The document
//
// A document is compressed with gzip. It consists of parts, each after its
// length as a 32-bit integer; all integers of fixed size are little-endian. The
// first part is the head, in JSON. The others are the columns that Head.Columns
// lists, in that order. A column is a list of signed integers, each as zigzag
// LEB128.
//
// A column that is not listed has the same value in each row: 1 for count,
// otherwise 0.
//
// Times are in nanoseconds since the trace's sync time. They are exact: the
// length of a time is the difference of its two ends, as package profile rounds
// it. No number exceeds 2^53 - 1, so that a page can hold it in a float64.
//
// # The tree
//
// The stacks of all samples are paths of one tree, in preorder: node 0 is the
// root, which has no function, and a node comes after its parent.
//
//	parent     number of the node less that of its parent; 0 for the root
//	function   index of the columns function.*; 0 for the root
//
// Functions are those of the profile, in the order of their first node. Several
// can have the same name: top shows them as one.
//
//	function.name       index in Head.Names
//	function.module     index in Head.Modules
//	function.namespace  index in Head.Namespaces
//	function.assembly   index in Head.Assemblies
//	function.type       length in UTF-16 units of the declaring type at the beginning of the
//	                    name; -1 less an index in Head.OtherTypes; 0 without a type
//	function.flags      FlagFramework, FlagSynthesized, and Type.HelperFlag of types
//
// # Samples
//
// Each type of samples has columns of its own, such as wall.at. The rows of two
// columns are ordered by time, and then by thread:
//
//	at       beginning, difference to the row before
//	thread   index in Head.Threads
//
// The rows of the others are ordered by thread and time; Type.Offsets has the
// first row of each thread. The first value of a thread in a column of differences
// is the difference to 0.
//
//	over     timed types: length less the distance to the next row of the thread,
//	         less 0 in the last row
//	value    other types: the value
//	node     difference to the row before
//	state    wall: 2 * profile.State, plus 1 in managed code
//	status   profile.Status, plus 4 if the end of the time is unknown
//	count    profile.Sample.Count
//	class    index in Head.Classes
//	added    profile.Evidence.Added
//	context  profile.Evidence.Context
//	byTime   profile.Evidence.ByTime
//	helpers  type event: the flag in function.flags of the functions that are folded
//	         into their callers
//	offset   type event: profile.Sample.Offset, difference to the row before
//
// # Time lines
//
// The columns line.* have what the threads did, thread by thread: see Lines.
//
//	line.length  length of the span, which begins where the one before ends
//	line.state   index in Lines.States
//	line.cause   index in Lines.Causes
package view
