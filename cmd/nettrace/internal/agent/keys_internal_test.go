package agent

import (
	"reflect"
	"regexp"
	"testing"

	"github.com/nettrace-go/nettrace/agent/config"
)

// TestKeys: the help has each key of the configuration.
func TestKeys(t *testing.T) {
	seen := map[reflect.Type]bool{}
	var check func(of reflect.Type)
	check = func(of reflect.Type) {
		for of.Kind() == reflect.Slice || of.Kind() == reflect.Pointer {
			of = of.Elem()
		}
		if of.Kind() != reflect.Struct || seen[of] {
			return
		}
		seen[of] = true
		for i := range of.NumField() {
			key := of.Field(i).Tag.Get("yaml")
			if key == "" {
				continue
			}
			if !regexp.MustCompile(`\b` + key + `\b`).MatchString(keys) {
				t.Errorf("the key %s of %v is missing", key, of)
			}
			check(of.Field(i).Type)
		}
	}
	check(reflect.TypeFor[config.Config]())
}
