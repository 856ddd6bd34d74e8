package config

import (
	"errors"
	"io/fs"
	"os"
	"strings"
)

// SecretFileSuffix appended to the variable of a secret setting (struct tag secret) is the variable with the path
// of a file that contains it.
const SecretFileSuffix = "_FILE"

// maxSecretFile limits a file with a secret, in bytes.
const maxSecretFile = 64 << 10

// SecretFromFile returns the content of the file that VARIABLE_FILE names, without trailing line breaks; "" if it
// is not set. Setting both variables, or naming a file that is empty or unreadable, is an error.
func SecretFromFile(variable string) (string, error) {
	path := os.Getenv(variable + SecretFileSuffix)
	if path == "" {
		return "", nil
	}
	if os.Getenv(variable) != "" {
		return "", wrong(variable, "%s and %s are both set, want one of them", variable, variable+SecretFileSuffix)
	}
	content, err := os.ReadFile(path)
	var problem *fs.PathError
	if errors.As(err, &problem) {
		err = problem.Err
	}
	secret := strings.TrimRight(string(content), "\r\n")
	switch {
	case err != nil:
		return "", wrong(variable+SecretFileSuffix, "%s cannot be read: %v", path, err)
	case len(content) > maxSecretFile:
		return "", wrong(variable+SecretFileSuffix, "%s is larger than %d bytes", path, maxSecretFile)
	case secret == "":
		return "", wrong(variable+SecretFileSuffix, "%s is empty", path)
	}
	return secret, nil
}
