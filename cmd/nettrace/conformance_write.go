package main

import "github.com/spf13/cobra"

func (p *program) conformanceWriteCommand() *cobra.Command { return &cobra.Command{Use: "write"} }
