package input

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/nettrace-go/nettrace/codec"
)

// Values of --order.
const orderFile, orderTime = "file", "time"

// AddOrderFlag adds the flag --order to a command. usage is its help text.
func AddOrderFlag(cmd *cobra.Command, order *string, usage string) {
	cmd.Flags().StringVar(order, "order", orderFile, usage)
	_ = cmd.RegisterFlagCompletionFunc("order", cobra.FixedCompletions([]string{orderFile, orderTime}, cobra.ShellCompDirectiveNoFileComp))
}

// ParseOrder reads the value of --order.
func ParseOrder(text string) (codec.Order, error) {
	switch text {
	case orderFile:
		return codec.FileOrder, nil
	case orderTime:
		return codec.ByTime, nil
	}
	return codec.FileOrder, fmt.Errorf("--order: %q is neither file nor time", text)
}
