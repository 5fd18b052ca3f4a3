//go:build unix && !linux

package eventpipe_test

import "errors"

func enterContainer() error { return errors.ErrUnsupported }
