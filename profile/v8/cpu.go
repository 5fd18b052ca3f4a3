package v8

import (
	"io"

	"github.com/nettrace-go/nettrace/profile"
	"github.com/nettrace-go/nettrace/profile/calltree"
)

// maxSamples bounds the samples of a file: DevTools keeps all in memory.
const maxSamples = 1 << 20

// WriteCPU writes a .cpuprofile with the time of one type. With samples of several
// threads, each thread is a node below the root, and the threads come one after another:
// the time line then shows sums, not when something happened. DevTools gives each sample
// of a file the same time. WriteCPU therefore divides the time of each thread into
// samples of equal length, so that the sums differ by at most one such sample for each
// thread. The error is that of w, or of a type that does not measure time.
func WriteCPU(w io.Writer, p *profile.Profile, opt Options) error {
	if !calltree.Timed(opt.Type) {
		return unitError("cpuprofile", opt.Type, "times")
	}
	c := &cpu{encoder: newEncoder(w, p, &opt)}
	c.read(p, opt.Type)
	c.text(`{"nodes":[`)
	c.writeNodes()
	c.text("],\n\"startTime\":")
	c.number(c.start)
	c.text(`,"endTime":`)
	c.number(c.start + int64(len(c.samples))*c.step)
	c.text(`,"samples":[`)
	for i, node := range c.samples {
		c.separate(i)
		c.number(int64(node))
	}
	c.text("],\n\"timeDeltas\":[")
	for i := range c.samples {
		c.separate(i)
		c.number(min(int64(i), 1) * c.step)
	}
	c.text("]}\n")
	return c.Flush()
}

// cpu has the samples of a .cpuprofile.
type cpu struct {
	*encoder
	threads []thread
	start   int64   // µs after the sync time, of the first sample
	step    int64   // µs of each sample
	samples []int32 // ids of nodes
}

// thread has the samples of a thread.
type thread struct {
	name string
	tree *calltree.Tree
	hits []int64 // by node
	base int32   // id of the tree's root: the root of the file if there is one thread
}

// rootID is the id of the root of the file.
const rootID = 1

// read makes samples of equal length.
func (c *cpu) read(p *profile.Profile, typ profile.Type) {
	total, first := int64(0), int64(-1)
	for s := range p.Samples(typ) {
		total += s.Value
		if at := p.Nanos(s.Ticks) / 1000; first < 0 || at < first {
			first = at
		}
	}
	c.start = max(first, 0)
	c.step = total/1000/maxSamples + 1
	if typ == profile.Wall || typ == profile.CPUApprox { // the others have values of any length
		c.step = max(c.step, p.Interval/1000)
	}
	indexes := sampled(p, typ)
	next := int32(rootID)
	if len(indexes) > 1 {
		next++
	}
	for _, i := range indexes {
		t := thread{name: p.Threads()[i].Label(), tree: calltree.New(c.names), base: next}
		c.divide(&t, p, i, typ)
		next += int32(len(t.tree.Nodes))
		c.threads = append(c.threads, t)
	}
}

// sampled returns the indexes of the threads with samples.
func sampled(p *profile.Profile, typ profile.Type) (indexes []int) {
	for i := range p.Threads() {
		for range p.ThreadSamples(typ, i) {
			indexes = append(indexes, i)
			break
		}
	}
	return indexes
}

// divide makes the samples of a thread. The rest of a sample goes to the next one.
func (c *cpu) divide(t *thread, p *profile.Profile, index int, typ profile.Type) {
	rest := int64(0)
	var path []uint32
	for s := range p.ThreadSamples(typ, index) {
		path = c.names.Path(path, s.Stack)
		node := t.tree.Node(path)
		t.hits = append(t.hits, make([]int64, len(t.tree.Nodes)-len(t.hits))...)
		for rest += s.Value; rest >= c.step*500; rest -= c.step * 1000 {
			c.samples = append(c.samples, t.base+node)
			t.hits[node]++
		}
	}
}

// writeNodes writes the trees of the threads, and if there are several the root above
// them.
func (c *cpu) writeNodes() {
	if len(c.threads) != 1 {
		c.begin("(root)", "", rootID, 0)
		for i := range c.threads {
			c.child(i, c.threads[i].base)
		}
		c.end(len(c.threads))
	}
	for i := range c.threads {
		t := &c.threads[i]
		children := make([][]int32, len(t.tree.Nodes))
		for n := 1; n < len(t.tree.Nodes); n++ {
			parent := t.tree.Nodes[n].Parent
			children[parent] = append(children[parent], t.base+int32(n))
		}
		for n := range t.tree.Nodes {
			id := t.base + int32(n)
			name := c.names.List[t.tree.Nodes[n].Name:]
			switch {
			case id == rootID:
				c.begin("(root)", "", id, t.hits[n])
			case n == 0:
				c.begin(t.name, "", id, t.hits[n])
			default:
				c.begin(name[0].Text, name[0].Module, id, t.hits[n])
			}
			for k, child := range children[n] {
				c.child(k, child)
			}
			c.end(len(children[n]))
		}
	}
}

func (c *cpu) begin(name, module string, id int32, hits int64) {
	if id > rootID {
		c.text(",\n")
	}
	c.text(`{"id":`)
	c.number(int64(id))
	c.text(",")
	c.frame(name, module)
	c.text(`,"hitCount":`)
	c.number(hits)
}

func (c *cpu) child(i int, id int32) {
	if i == 0 {
		c.text(`,"children":[`)
	}
	c.separate(i)
	c.number(int64(id))
}

func (c *cpu) end(children int) {
	if children > 0 {
		c.text("]")
	}
	c.text("}")
}
