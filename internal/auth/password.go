package auth

import (
	"context"
	"encoding/base64"
	"fmt"

	"github.com/alexedwards/argon2id"
	"golang.org/x/crypto/argon2"
)

const maxPassword = 1024 // bytes

// MinPassword is the least length of a new user's password, in characters.
const MinPassword = 12

// PasswordCost is how much memory and time argon2id spends on one password.
// The zero value is DefaultPasswordCost.
type PasswordCost struct {
	Memory     uint32 // KiB, at least 8
	Iterations uint32
}

// DefaultPasswordCost is the minimum of OWASP's password storage cheat sheet for argon2id: 19 MB and tens of
// milliseconds of a core.
var DefaultPasswordCost = PasswordCost{Memory: 19456, Iterations: 2}

// passwords hashes with argon2id.
type passwords struct {
	params *argon2id.Params
	queue  *passwordQueue
	// nobody is a hash of an unknown password; checking it makes the response time of unknown accounts equal to that of known
	// ones.
	nobody string
}

func newPasswords(cost PasswordCost) passwords {
	if cost == (PasswordCost{}) {
		cost = DefaultPasswordCost
	}
	params := &argon2id.Params{Memory: cost.Memory, Iterations: cost.Iterations, Parallelism: 1, SaltLength: 16, KeyLength: 32}
	encoded := base64.RawStdEncoding.EncodeToString
	return passwords{
		params: params,
		queue:  new(passwordQueue),
		nobody: fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version,
			params.Memory, params.Iterations, params.Parallelism, encoded(randomBytes(16)), encoded(randomBytes(32))),
	}
}

// hash returns the hash of a user's new password.
func (p passwords) hash(ctx context.Context, password string) (string, error) {
	leave, err := p.queue.enter(ctx, "", true)
	if err != nil {
		return "", err
	}
	defer leave()
	return argon2id.CreateHash(password, p.params)
}

// match compares a password with an account's hash, or with nobody's if there is none. familiar is whether the account
// signed in from the client's network before. It returns errHashQueue if too many passwords wait.
func (p passwords) match(ctx context.Context, password, hash, account string, familiar bool) (bool, error) {
	leave, err := p.queue.enter(ctx, account, familiar)
	if err != nil {
		return false, err
	}
	defer leave()
	if hash == "" {
		hash = p.nobody
	}
	return argon2id.ComparePasswordAndHash(password, hash)
}
