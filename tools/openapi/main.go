// Command openapi prints the description of the API that the server serves at
// /openapi.json. The dashboard's types and enumerations are generated from it.
package main

import (
	"fmt"
	"os"

	"parley/tools/openapi/description"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "openapi:", err)
		os.Exit(1)
	}
}

func run() error {
	served, err := description.JSON()
	if err != nil {
		return err
	}
	_, err = os.Stdout.Write(served)
	return err
}
