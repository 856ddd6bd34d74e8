package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"parley/internal/app"
	"parley/internal/auth"
	"parley/internal/config"
	"parley/internal/cost"
	"parley/internal/tenant"
)

// output is the format in which a command prints its result.
type output struct {
	JSON bool `name:"json" help:"Print JSON."`
}

func (o output) print(made any, text string) error {
	if !o.JSON {
		_, err := fmt.Println(text)
		return err
	}
	encoder := json.NewEncoder(os.Stdout)
	encoder.SetIndent("", "  ")
	return encoder.Encode(made)
}

type tenantCreate struct {
	config.Store
	output
	Name string `arg:"" help:"The tenant's name."`
}

func (c *tenantCreate) Run(s signalled) error {
	made, err := app.CreateTenant(s.ctx, c.Store, c.Name)
	if err != nil {
		return err
	}
	return c.print(made, fmt.Sprintf("tenant %s created: %s", made.Name, made.ID))
}

type tenantSet struct {
	config.Store
	output
	Name          string `arg:"" help:"The tenant's name."`
	RetentionDays string `name:"retention-days" placeholder:"N" help:"Delete transcripts, contexts and recordings N days after a call's end; 0 or off keeps them for ever."`
	Redact        *bool  `negatable:"" help:"Mask phone numbers, e-mail addresses and card numbers in transcripts and webhooks of calls from now on."`

	Listening *bool `negatable:"" help:"Permit users and keys of the tenant to listen to calls and to take them over; --no-listening forbids it."`

	Timezone *string `placeholder:"NAME" help:"IANA time zone of {{now}} and {{today}} in prompts, tools and conditions, such as Europe/Berlin, where an agent has none of its own; empty for UTC."`

	Limits map[string]string `name:"limit" placeholder:"NAME=N" help:"Set a limit such as agents or waiting_calls (docs/limits.md); default as N goes back to the default. Can be repeated."`

	PricesFile  string `name:"prices-file" env:"PARLEY_PRICES_FILE" placeholder:"FILE" help:"Price list of the server, whose currency that of budgets has to be. Default: the shipped one, in USD."`
	BudgetDay   string `name:"budget-day" placeholder:"50EUR" help:"What the tenant's calls may cost a day (UTC), in the currency of the price list; off for no budget."`
	BudgetMonth string `name:"budget-month" placeholder:"1000EUR" help:"What they may cost a month, likewise."`

	PhonePrefixes  *[]string `name:"phone-prefixes" placeholder:"PREFIX,…" help:"What numbers that the tenant dials begin with, such as +49; empty for anything that the platform allows."`
	PhoneRanges    *[]string `name:"phone-ranges" placeholder:"RANGE,…" help:"Special ranges that the tenant may dial: premium_rate, shared_cost, satellite; empty for the platform's."`
	PhoneAtOnce    *int      `name:"phone-at-once" placeholder:"N" help:"Maximum concurrent outbound phone calls; 0 for no limit, -1 for the platform's limit."`
	PhonePerMinute *int      `name:"phone-per-minute" placeholder:"N" help:"Outbound phone calls a minute, likewise."`
	PhonePerDay    *int      `name:"phone-per-day" placeholder:"N" help:"Outbound phone calls in 24 hours, likewise."`
}

func (c *tenantSet) Run(s signalled) error {
	change := tenant.Change{Redact: c.Redact, Listening: c.Listening, Timezone: c.Timezone, PhoneAtOnce: c.PhoneAtOnce, PhonePerMinute: c.PhonePerMinute, PhonePerDay: c.PhonePerDay,
		PhonePrefixes: listed(c.PhonePrefixes), PhoneRanges: listed(c.PhoneRanges)}
	days, err := strconv.Atoi(c.RetentionDays)
	switch {
	case c.RetentionDays == "":
	case c.RetentionDays == "off":
		change.RetentionDays = new(int)
	case err != nil || days < 0 || days > tenant.MaxRetention:
		return fmt.Errorf("--retention-days: want 1 to %d days, or 0 or off to keep for ever, not %q", tenant.MaxRetention, c.RetentionDays)
	default:
		change.RetentionDays = &days
	}
	if change.Limits, err = limits(c.Limits); err != nil {
		return err
	}
	if change.Budgets, err = c.budgets(); err != nil {
		return err
	}
	set, err := app.SetTenant(s.ctx, c.Store, c.Name, change)
	if err != nil {
		return err
	}
	kept, masked := "for ever", "nothing is masked"
	if set.RetentionDays != nil {
		kept = fmt.Sprintf("until %d days after the call's end", *set.RetentionDays)
	}
	if set.Redact {
		masked = "phone numbers, e-mail addresses and card numbers are masked"
	}
	text := fmt.Sprintf("tenant %s: transcripts, contexts and recordings are kept %s; %s", set.Name, kept, masked)
	if set.Timezone != "" {
		text += "; its time zone is " + set.Timezone
	}
	if !set.Listening {
		text += "; nobody may listen to its calls"
	}
	for _, name := range slices.Sorted(maps.Keys(set.Limits)) {
		text += fmt.Sprintf("; limit %s is %d", name, set.Limits[name])
	}
	for _, period := range tenant.Periods {
		if budget, limited := set.Budgets[period]; limited {
			text += fmt.Sprintf("; the budget of a %s is %s", period, budget)
		}
	}
	return c.print(set, text)
}

// budgets parses the budgets given on the command line; nil for no change.
func (c *tenantSet) budgets() (set map[tenant.Period]*cost.Money, err error) {
	for period, text := range map[tenant.Period]string{tenant.Day: c.BudgetDay, tenant.Month: c.BudgetMonth} {
		if text == "" {
			continue
		}
		if set == nil {
			set = map[tenant.Period]*cost.Money{}
		}
		if text == "off" {
			set[period] = nil
			continue
		}
		budget, err := cost.ParseMoney(text)
		if err != nil {
			return nil, fmt.Errorf("--budget-%s: %w", period, err)
		}
		prices, err := app.LoadPrices(c.PricesFile)
		if err != nil {
			return nil, err
		}
		if prices.Currency != budget.Currency {
			return nil, fmt.Errorf("--budget-%s: the prices are in %s (PARLEY_PRICES_FILE), not in %s", period, prices.Currency, budget.Currency)
		}
		set[period] = &budget
	}
	return set, nil
}

// limits parses limits given on the command line.
func limits(given map[string]string) (map[tenant.Limit]*int64, error) {
	set := map[tenant.Limit]*int64{}
	for name, text := range given {
		value, err := strconv.ParseInt(text, 10, 64)
		switch {
		case !slices.Contains(tenant.LimitNames, tenant.Limit(name)):
			return nil, fmt.Errorf("--limit: there is no limit %q, see docs/limits.md", name)
		case text == "default":
			set[tenant.Limit(name)] = nil
		case err != nil || value < 0 || value > tenant.Limit(name).Max():
			return nil, fmt.Errorf("--limit: want %s=N with 0 to %d, or default, not %q", name, tenant.Limit(name).Max(), text)
		default:
			set[tenant.Limit(name)] = &value
		}
	}
	return set, nil
}

// listed returns a given list; a single empty item means none.
func listed(items *[]string) *[]string {
	if items != nil && len(*items) == 1 && (*items)[0] == "" {
		return &[]string{}
	}
	return items
}

type numberAssign struct {
	config.Store
	output
	Tenant string `required:"" placeholder:"NAME" help:"The number's tenant."`
	Number string `arg:"" help:"The phone number, E.164."`
}

func (c *numberAssign) Run(s signalled) error {
	assigned, err := app.AssignNumber(s.ctx, c.Store, c.Tenant, c.Number)
	if err != nil {
		return err
	}
	return c.print(assigned, fmt.Sprintf("number %s assigned to tenant %s", assigned.Number, c.Tenant))
}

type numberList struct {
	config.Store
	output
	Tenant string `placeholder:"NAME" help:"Only numbers of this tenant."`
}

func (c *numberList) Run(s signalled) error {
	numbers, err := app.ListNumbers(s.ctx, c.Store, c.Tenant)
	if err != nil {
		return err
	}
	return printList(c.output, numbers, "no number is assigned", func(n app.AssignedNumber) string { return n.Number + " " + n.Tenant })
}

type numberRelease struct {
	config.Store
	output
	Number string `arg:"" help:"The phone number, E.164."`
}

func (c *numberRelease) Run(s signalled) error {
	released, err := app.ReleaseNumber(s.ctx, c.Store, c.Number)
	if err != nil {
		return err
	}
	return c.print(released, fmt.Sprintf("number %s released by tenant %s", released.Number, released.Tenant))
}

type userCreate struct {
	config.Store
	output
	Tenant   string   `required:"" placeholder:"NAME" help:"The user's tenant."`
	Email    string   `required:"" help:"The e-mail address to sign in with."`
	Password string   `required:"" help:"The password, of at least 12 characters; - reads it from standard input."`
	Scopes   []string `default:"*" help:"What the user may do."`
}

func (c *userCreate) Run(s signalled) error {
	password, err := readPassword(c.Password)
	if err != nil {
		return err
	}
	made, err := app.CreateUser(s.ctx, c.Store, c.Tenant, c.Email, password, c.Scopes)
	if err != nil {
		return err
	}
	return c.print(made, fmt.Sprintf("user %s created: %s", made.Email, made.ID))
}

type userSet struct {
	config.Store
	output
	Email    string    `required:"" help:"The e-mail address that the user signs in with."`
	Password string    `help:"The new password; - reads it from standard input."`
	Scopes   *[]string `placeholder:"SCOPE,…" help:"What the user may do from now on, in open sessions too; empty for nothing."`
}

func (c *userSet) Run(s signalled) error {
	if c.Password == "" && c.Scopes == nil {
		return errors.New("--password, --scopes: want one of them")
	}
	password, err := readPassword(c.Password)
	if err != nil {
		return err
	}
	change := auth.UserChange{Scopes: listed(c.Scopes)}
	done := []string{}
	if c.Password != "" {
		change.Password = &password
		done = append(done, "password changed, their sessions have ended")
	}
	if c.Scopes != nil {
		done = append(done, "scopes changed")
	}
	changed, err := app.SetUser(s.ctx, c.Store, c.Email, change)
	if err != nil {
		return err
	}
	return c.print(changed, fmt.Sprintf("user %s: %s", changed.Email, strings.Join(done, "; ")))
}

type userDelete struct {
	config.Store
	output
	Email string `required:"" help:"The e-mail address that the user signs in with."`
}

func (c *userDelete) Run(s signalled) error {
	deleted, err := app.DeleteUser(s.ctx, c.Store, c.Email)
	if err != nil {
		return err
	}
	return c.print(deleted, fmt.Sprintf("user %s deleted, their sessions have ended", deleted.Email))
}

// readPassword returns the password of a flag; "-" reads standard input.
func readPassword(flag string) (string, error) {
	if flag != "-" {
		return flag, nil
	}
	line, err := bufio.NewReader(os.Stdin).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return "", fmt.Errorf("read the password: %w", err)
	}
	return strings.TrimRight(line, "\r\n"), nil
}

type keyCreate struct {
	config.Store
	output
	Tenant      string   `required:"" placeholder:"NAME" help:"The key's tenant."`
	Name        string   `required:"" help:"What the key is for."`
	Environment string   `enum:"live,test" default:"live" help:"live or test."`
	Scopes      []string `required:"" placeholder:"SCOPE,…" help:"What the key may do, such as calls:write,calls:read; * for everything."`
	RateLimit   int      `name:"rate-limit" default:"600" help:"Requests a minute."`
}

func (c *keyCreate) Run(s signalled) error {
	if len(c.Scopes) == 0 {
		return errors.New("--scopes: want at least one scope, such as calls:read")
	}
	made, err := app.CreateKey(s.ctx, c.Store, c.Tenant, auth.KeyDraft{Name: c.Name, Environment: c.Environment, Scopes: c.Scopes, RateLimit: c.RateLimit})
	if err != nil {
		return err
	}
	return c.print(made, made.Key)
}
