//go:build !linux

package main

func trimCode() {}
