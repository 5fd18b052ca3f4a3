//go:build race

package codec

const poisonedByRace = true
