package calltree_test

import (
	"context"
	"fmt"
	"log"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/internal/corpora"
	"github.com/nettrace-go/nettrace/profile"
	"github.com/nettrace-go/nettrace/profile/calltree"
)

// Print the path with the most wall time, from the root.
func ExampleTree() {
	data, err := corpora.Open("net10-deep.v4")
	if err != nil {
		log.Fatal(err)
	}
	p, err := profile.FromReader(context.Background(), codec.NewBytesReader(data, codec.Options{}), profile.Options{})
	if err != nil {
		log.Fatal(err)
	}
	tree := calltree.New(calltree.NewNames(p, calltree.Naming(false)))
	tree.AddAll(p.Totals(profile.Wall))
	tree.Sum()
	longest := 0
	for i := range tree.Nodes {
		if tree.Nodes[i].Self > tree.Nodes[longest].Self {
			longest = i
		}
	}
	for _, name := range tree.Path(nil, int32(longest)) {
		fmt.Println(tree.Names.List[name].Text)
	}
	fmt.Println(tree.Nodes[longest].Self/1e6, "of", tree.Nodes[0].Total/1e6, "ms")
	// Output:
	// Program.Main(string[])
	// DeepScenario.Run(string, int)
	// System.Threading.Thread.Join()
	// System.Threading.Thread.Join(int)
	// 3678 of 9087 ms
}
