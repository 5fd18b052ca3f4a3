// Package cutdepth changes the number of frames at which package profile regards
// a stack as truncated. Tests measure the repair of stacks with it, because they
// know the complete stacks.
package cutdepth

import "context"

type key struct{}

// With returns a context for profile.FromReader, which then cuts each stack after n
// frames and takes stacks of n frames for cut. Without it, n is what the runtime
// keeps, and no stack is cut. An n that is not positive changes nothing.
func With(ctx context.Context, n int) context.Context {
	if n <= 0 {
		return ctx
	}
	return context.WithValue(ctx, key{}, n)
}

// Of returns the number of frames that With set.
func Of(ctx context.Context) (n int, ok bool) {
	n, ok = ctx.Value(key{}).(int)
	return n, ok
}
