package main

import (
	"reflect"
	"strings"

	"github.com/alecthomas/kong"

	"parley/internal/config"
)

// secretFiles sets flags that are secrets from the files that their variables
// with _FILE name. What is given on the command line wins.
type secretFiles struct{}

// Validate finds nothing wrong with the commands.
func (secretFiles) Validate(*kong.Application) error { return nil }

// Resolve returns the content of the file of a secret; nil when there is none.
// In a file of a list each line is one.
func (secretFiles) Resolve(_ *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
	if !flag.Tag.Has("secret") || len(flag.Envs) == 0 {
		return nil, nil
	}
	secret, err := config.SecretFromFile(flag.Envs[0])
	if err != nil || secret == "" {
		return nil, err
	}
	if flag.Target.Kind() == reflect.Slice {
		secret = strings.Join(strings.Fields(secret), ",")
	}
	return secret, nil
}
