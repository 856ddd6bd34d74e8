// Command client prints client/resources.go: the types and methods of the Go client for the resources in operations.go, from the
// API's description.
//
//	go generate ./client
package main

import (
	"encoding/json"
	"fmt"
	"os"

	"parley/tools/openapi/description"
)

func main() {
	source, err := generate()
	if err == nil {
		_, err = os.Stdout.Write(source)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "client:", err)
		os.Exit(1)
	}
}

func generate() ([]byte, error) {
	served, err := description.JSON()
	if err != nil {
		return nil, err
	}
	g := generator{structs: map[string]string{}}
	if err := json.Unmarshal(served, &g.document); err != nil {
		return nil, fmt.Errorf("read the description: %w", err)
	}
	return g.source()
}
