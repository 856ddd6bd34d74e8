package main

import (
	"reflect"
	"strings"

	"github.com/alecthomas/kong"

	"parley/internal/config"
)

// secretFiles sets secret flags from the files that their _FILE variables name. The command line has priority.
type secretFiles struct{}

// Validate implements kong.Resolver.
func (secretFiles) Validate(*kong.Application) error { return nil }

// Resolve returns the content of the secret's file; nil for none. For a list each line is one item.
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
