package mergepatch_test

import (
	"fmt"

	"parley/internal/mergepatch"
)

func ExampleApply() {
	stored := []byte(`{"llm": {"model": "a", "temperature": 0.7}, "tools": ["book"], "recording": true}`)
	patch := []byte(`{"llm": {"model": "b"}, "tools": ["cancel"], "recording": null}`)
	patched, err := mergepatch.Apply(stored, patch)
	fmt.Println(string(patched), err)
	// Output: {"llm":{"model":"b","temperature":0.7},"tools":["cancel"]} <nil>
}
