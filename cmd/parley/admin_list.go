package main

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"os"
	"strings"

	"golang.org/x/term"

	"parley/internal/app"
	"parley/internal/auth"
	"parley/internal/config"
)

type tenantList struct {
	config.Store
	output
}

func (c *tenantList) Run(s signalled) error {
	tenants, err := app.ListTenants(s.ctx, c.Store)
	if err != nil {
		return err
	}
	return printList(c.output, tenants, "there is no tenant", func(t app.ListedTenant) string { return t.ID + " " + t.Name })
}

type tenantDelete struct {
	config.Store
	config.Bucket
	output
	Name string `arg:"" help:"The tenant's name."`
	Yes  bool   `help:"Delete without asking."`
}

func (c *tenantDelete) Run(s signalled) error {
	if !c.Yes {
		if err := c.ask(s); err != nil {
			return err
		}
	}
	deleted, err := app.DeleteTenant(s.ctx, c.Store, c.Bucket, c.Name, true)
	if err != nil {
		return err
	}
	return c.print(deleted, fmt.Sprintf("tenant %s deleted: %d rows, and the recordings of %d calls", deleted.Name, deleted.Rows, deleted.RecordedCalls))
}

// ask has the tenant's name typed at a terminal.
func (c *tenantDelete) ask(s signalled) error {
	found, err := app.DeleteTenant(s.ctx, c.Store, c.Bucket, c.Name, false)
	if err != nil {
		return err
	}
	if !term.IsTerminal(int(os.Stdin.Fd())) {
		return fmt.Errorf("--yes: want it where nobody can be asked, to delete tenant %s with all its data", found.Name)
	}
	fmt.Fprintf(os.Stderr, "Tenant %s (%s) is deleted with its agents, calls, recordings, users and keys. Type its name to confirm: ", found.Name, found.ID)
	typed, err := bufio.NewReader(os.Stdin).ReadString('\n')
	if err != nil || strings.TrimRight(typed, "\r\n") != found.Name {
		return errors.New("that is not the tenant's name: nothing is deleted")
	}
	return nil
}

type userList struct {
	config.Store
	output
	Tenant string `placeholder:"NAME" help:"Only users of this tenant."`
}

func (c *userList) Run(s signalled) error {
	users, err := app.ListUsers(s.ctx, c.Store, c.Tenant)
	if err != nil {
		return err
	}
	return printList(c.output, users, "there is no user", func(u app.ListedUser) string {
		return u.Email + " " + u.Tenant + " " + strings.Join(u.Scopes, ",")
	})
}

type userPassword struct {
	config.Store
	output
	Email string `required:"" help:"The e-mail address that the user signs in with."`
}

func (c *userPassword) Run(s signalled) error {
	password, err := typedPassword()
	if err != nil {
		return err
	}
	changed, err := app.SetUser(s.ctx, c.Store, c.Email, auth.UserChange{Password: &password})
	if err != nil {
		return err
	}
	return c.print(changed, fmt.Sprintf("user %s: password changed, their sessions have ended", changed.Email))
}

// typedPassword reads a password twice from a terminal that does not show it, or else a line of standard input.
func typedPassword() (string, error) {
	stdin := int(os.Stdin.Fd())
	if !term.IsTerminal(stdin) {
		return readPassword("-")
	}
	var typed [2]string
	for i, prompt := range []string{"New password: ", "Again: "} {
		fmt.Fprint(os.Stderr, prompt)
		password, err := term.ReadPassword(stdin)
		fmt.Fprintln(os.Stderr)
		if err != nil {
			return "", fmt.Errorf("read the password: %w", err)
		}
		typed[i] = string(password)
	}
	if typed[0] != typed[1] {
		return "", errors.New("the passwords differ: nothing is changed")
	}
	return typed[0], nil
}

type keyList struct {
	config.Store
	output
	Tenant string `placeholder:"NAME" help:"Only keys of this tenant."`
}

func (c *keyList) Run(s signalled) error {
	keys, err := app.ListKeys(s.ctx, c.Store, c.Tenant)
	if err != nil {
		return err
	}
	return printList(c.output, keys, "there is no API key", func(k app.ListedKey) string {
		return fmt.Sprintf("%s %s… %s %q %s", k.ID, k.Prefix, k.Tenant, k.Name, strings.Join(k.Scopes, ","))
	})
}

type keyRevoke struct {
	config.Store
	output
	ID string `arg:"" help:"The key's id, as key list prints it; not the key itself."`
}

func (c *keyRevoke) Run(s signalled) error {
	revoked, err := app.RevokeKey(s.ctx, c.Store, c.ID)
	if err != nil {
		return err
	}
	return c.print(revoked, fmt.Sprintf("key %s of tenant %s revoked: %s", revoked.Name, revoked.Tenant, revoked.ID))
}

// printList prints items, one a line, or what an empty list says.
func printList[T any](o output, items []T, empty string, line func(T) string) error {
	lines := make([]string, len(items))
	for i, item := range items {
		lines[i] = line(item)
	}
	return o.print(items, cmp.Or(strings.Join(lines, "\n"), empty))
}
