// Command client writes the generated parts of the clients from the API's description. Without arguments, it writes resources.go and
// resource_*.go into the folder of the Go client: the types and methods for the resources in operations.go. With a language, it writes
// all resources into the folder of that client.
//
//	go generate ./client
//	go run ./tools/client typescript clients/typescript/src/generated
//	go run ./tools/client python clients/python/src/parley
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"parley/tools/openapi/description"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "client:", err)
		os.Exit(1)
	}
}

func run(arguments []string) error {
	if len(arguments) == 0 {
		return write(".")
	}
	if len(arguments) != 2 {
		return errors.New("usage: client [typescript|python FOLDER]")
	}
	d, err := read()
	if err != nil {
		return err
	}
	files, err := d.client(arguments[0])
	if err != nil {
		return err
	}
	return save(arguments[1], files)
}

// client returns the generated files of the client of a language.
func (d document) client(language string) (map[string][]byte, error) {
	switch language {
	case "typescript":
		return d.typescript()
	case "python":
		return d.python()
	}
	return nil, fmt.Errorf("there is no client of the language %s", language)
}

// write replaces the generated files in the folder of the Go client.
func write(folder string) error {
	files, err := generate()
	if err != nil {
		return err
	}
	old, err := generated(folder)
	if err != nil {
		return err
	}
	for _, path := range old {
		err = errors.Join(err, os.Remove(path))
	}
	return errors.Join(err, save(folder, files))
}

func save(folder string, files map[string][]byte) error {
	err := os.MkdirAll(folder, 0o755)
	for name, source := range files {
		err = errors.Join(err, os.WriteFile(filepath.Join(folder, name), source, 0o644))
	}
	return err
}

// generated returns the paths of the generated files of a folder.
func generated(folder string) ([]string, error) {
	return filepath.Glob(filepath.Join(folder, "resource*.go"))
}

func generate() (map[string][]byte, error) {
	d, err := read()
	if err != nil {
		return nil, err
	}
	g := generator{document: d, structs: map[string]string{}}
	return g.files()
}

func read() (d document, err error) {
	served, err := description.JSON()
	if err != nil {
		return document{}, err
	}
	if err := json.Unmarshal(served, &d); err != nil {
		return document{}, fmt.Errorf("read the description: %w", err)
	}
	return d, nil
}
