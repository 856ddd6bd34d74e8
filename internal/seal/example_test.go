package seal_test

import (
	"errors"
	"fmt"

	"parley/internal/seal"
)

// A value opens in its own place only, and with an older key while that is kept.
func ExampleSealer() {
	first, second := make([]byte, seal.KeySize), append(make([]byte, seal.KeySize-1), 1)
	old, err := seal.New(first)
	if err != nil {
		fmt.Println(err)
		return
	}
	place := seal.Place{Table: "calls", Row: "call-1", Tenant: "acme"}
	sealed := old.Seal([]byte(`{"name": "Ann"}`), place)

	rotated, err := seal.New(second, first)
	if err != nil {
		fmt.Println(err)
		return
	}
	plain, err := rotated.Open(sealed, place)
	fmt.Println(string(plain), err, rotated.Current(sealed))

	place.Tenant = "other"
	_, err = rotated.Open(sealed, place)
	fmt.Println(errors.Is(err, seal.ErrOpen))
	// Output:
	// {"name": "Ann"} <nil> false
	// true
}
