package mediaport

import (
	"testing"

	"parley/internal/leaktest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }
