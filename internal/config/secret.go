package config

import (
	"errors"
	"io/fs"
	"os"
	"strings"
)

// SecretFileSuffix makes of the name of a secret setting, one with the struct tag
// secret, the name of the variable that tells the file which holds it.
const SecretFileSuffix = "_FILE"

// maxSecretFile bounds a file with a secret, in bytes.
const maxSecretFile = 64 << 10

// SecretFromFile reads the file that VARIABLE_FILE names and returns its content
// without the line breaks at its end; "" when that is not set. It is wrong to
// set both, and to name a file that is empty or cannot be read.
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
