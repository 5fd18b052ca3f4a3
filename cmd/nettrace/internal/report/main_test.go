package report_test

import (
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/report"
)

func TestMain(m *testing.M) { programtest.Main(m, report.Command) }
