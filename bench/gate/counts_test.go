package main

import (
	"maps"
	"strings"
	"testing"
)

const valgrindOutput = `==6122== I   refs:      40,593,066
==6122== I1  misses:        37,223
==6122== LLi misses:         9,365
==6122== I1  miss rate:       0.09%
==6122== D   refs:      13,486,233  (8,729,483 rd   + 4,756,750 wr)
==6122== D1  misses:       146,913  (   90,940 rd   +    55,973 wr)
==6122== LLd misses:        44,031  (   10,906 rd   +    33,125 wr)
==6122== LL refs:          184,136  (  128,163 rd   +    55,973 wr)
==6122== LL misses:         53,396  (   20,271 rd   +    33,125 wr)
==6122== Branches:       6,400,688  (6,369,335 cond +    31,353 ind)
==6122== Mispredicts:      226,442  (  221,881 cond +     4,561 ind)
`

func TestParseCounts(t *testing.T) {
	got, err := parseCounts(valgrindOutput)
	if err != nil {
		t.Error(err)
	}
	want := map[string]float64{instructions: 40593066, l1Misses: 37223 + 146913, llMisses: 9365 + 44031, mispredicts: 226442}
	if !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestParseCountsWithout(t *testing.T) {
	for unit, line := range map[string]string{instructions: "I   refs", llMisses: "LL", mispredicts: "Mispredicts"} {
		t.Run(line, func(t *testing.T) {
			_, err := parseCounts(strings.ReplaceAll(valgrindOutput, line, "other"))
			if err == nil || !strings.Contains(err.Error(), unit) {
				t.Errorf("error %v, want one with %s", err, unit)
			}
		})
	}
}
