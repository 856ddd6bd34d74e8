package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

func TestResourcesAreGenerated(t *testing.T) {
	want, err := generate()
	if err != nil {
		t.Fatal(err)
	}
	const folder = "../../client"
	have, err := generated(folder)
	if err != nil || len(have) != len(want) {
		t.Errorf("%d generated files, want %d (%v): run go generate ./client", len(have), len(want), err)
	}
	for name, source := range want {
		if file, err := os.ReadFile(filepath.Join(folder, name)); err != nil || !bytes.Equal(file, source) {
			t.Errorf("client/%s is not what is generated from the API's description (%v): run go generate ./client", name, err)
		}
	}
}
