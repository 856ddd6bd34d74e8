package main

import (
	"bytes"
	"os"
	"testing"
)

func TestResourcesAreGenerated(t *testing.T) {
	want, err := generate()
	if err != nil {
		t.Fatal(err)
	}
	if have, err := os.ReadFile("../../client/resources.go"); err != nil || !bytes.Equal(have, want) {
		t.Errorf("client/resources.go is not what is generated from the API's description (%v): run go generate ./client", err)
	}
}
