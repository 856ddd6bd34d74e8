package tenant_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/shopspring/decimal"

	"parley/internal/cost"
	"parley/internal/database"
	"parley/internal/database/databasetest"
	"parley/internal/fault"
	"parley/internal/tenant"
)

func money(t *testing.T, text string) *cost.Money {
	t.Helper()
	m, err := cost.ParseMoney(text)
	if err != nil {
		t.Fatal(err)
	}
	return &m
}

// A tenant is warned once of each budget at 80 %, and its calls are refused at 100 %, until the period is over or the budget is raised.
func TestBudgets(t *testing.T) {
	databasetest.EachVirtual(t, func(t *testing.T, db *database.DB) {
		acme, err := tenant.Create(t.Context(), db, "Acme")
		if err != nil {
			t.Fatal(err)
		}
		other, err := tenant.Create(t.Context(), db, "Globex")
		if err != nil {
			t.Fatal(err)
		}
		cache := tenant.NewBudgetCache(db)
		set := func(period tenant.Period, budget *cost.Money) {
			t.Helper()
			if _, err := tenant.Set(t.Context(), db, "Acme", tenant.Change{Budgets: map[tenant.Period]*cost.Money{period: budget}}); err != nil {
				t.Fatal(err)
			}
		}
		spend := func(id, amount string, want ...string) {
			t.Helper()
			var warnings []tenant.BudgetWarning
			err := db.Tenant(id).Write(t.Context(), func(ctx context.Context, tx database.Tx) (err error) {
				warnings, err = tenant.Spend(ctx, tx, id, *money(t, amount))
				return err
			})
			if err != nil || len(warnings) != len(want) {
				t.Fatalf("%s: %+v, %v; want %v", amount, warnings, err, want)
			}
			for n, w := range warnings {
				if got := string(w.Period) + " " + w.Spent.String() + " of " + w.Budget.String() + " " + w.Currency; got != want[n] {
					t.Errorf("%s: %s, want %s", amount, got, want[n])
				}
			}
		}
		exhausted := func(want string) {
			t.Helper()
			time.Sleep(3 * time.Second)
			synctest.Wait()
			err := cache.Check(t.Context(), acme.ID)
			var later *fault.Error
			switch {
			case want == "" && err != nil, want != "" && !fault.Is(err, fault.BudgetExhausted):
				t.Errorf("%v, want %q", err, want)
			case want != "" && (!errors.As(err, &later) || later.Message != want || later.RetryAfter <= 0 || later.RetryAfter > 31*24*time.Hour):
				t.Errorf("%+v, want %q", later, want)
			}
			if err := cache.Check(t.Context(), other.ID); err != nil {
				t.Errorf("another tenant: %v", err)
			}
		}
		spend(acme.ID, "3EUR")
		exhausted("")
		set(tenant.Day, money(t, "0.3EUR"))
		exhausted("the calls of this day have cost 3 EUR, and its budget is 0.3 EUR")
		set(tenant.Day, money(t, "4EUR"))
		spend(acme.ID, "0.199999999999EUR")
		spend(acme.ID, "50USD") // in no currency of a budget
		spend(acme.ID, "0.000000000001EUR", "day 3.2 of 4 EUR")
		spend(acme.ID, "0.7EUR")
		spend(other.ID, "90EUR")
		exhausted("")
		spend(acme.ID, "0.1EUR")
		exhausted("the calls of this day have cost 4 EUR, and its budget is 4 EUR")
		set(tenant.Day, money(t, "5EUR"))
		exhausted("")
		spend(acme.ID, "0.1EUR", "day 4.1 of 5 EUR")
		set(tenant.Month, money(t, "4EUR"))
		set(tenant.Day, nil)
		exhausted("the calls of this month have cost 4.1 EUR, and its budget is 4 EUR")
		set(tenant.Month, nil)
		set(tenant.Day, money(t, "4EUR"))
		exhausted("the calls of this day have cost 4.1 EUR, and its budget is 4 EUR")
		time.Sleep(24 * time.Hour)
		if !db.Postgres() { // whose clock is not virtual
			exhausted("")
			spend(acme.ID, "3.3EUR", "day 3.3 of 4 EUR")
		}
	})
}

func TestMoney(t *testing.T) {
	for text, want := range map[string]string{"50EUR": "50 EUR", "12.50 USD": "12.5 USD", "0EUR": "0 EUR", "0.000000000001EUR": "0.000000000001 EUR",
		"": "", "50": "", "EUR": "", "-1EUR": "", "1e3EUR": "", "50eur": "", "1000000EUR": "", "1.0000000000001EUR": "", "50,00EUR": ""} {
		m, err := cost.ParseMoney(text)
		if (err == nil) != (want != "") || err == nil && m.String() != want {
			t.Errorf("%q: %s, %v; want %q", text, m, err, want)
		}
	}
	for text, want := range map[string]bool{"0.5": true, "0.50": true, "0.000001": true, "10.5": true, "1": true, "0": false, "0.0": false, "": false, "-1": false, "01": false, "1000000": false, "x": false} {
		if limit, ok := cost.ParseLimit(text); ok != want || ok && !limit.Equal(decimal.RequireFromString(text)) {
			t.Errorf("%q: %s, %t", text, limit, ok)
		}
	}
}
