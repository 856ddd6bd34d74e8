// Command batch-dispatch makes a phone call to each contact of a CSV file: at a steady rate, with a bounded number of calls in
// progress, and once for each contact, however often it is started within 24 hours. It prints how each call ended, as CSV.
package main

import (
	"cmp"
	"context"
	"encoding/csv"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"sync"
	"time"

	"parley/client"
)

func main() {
	file := flag.String("file", "examples/batch-dispatch/contacts.csv", "contacts, with the columns id, phone_number and name")
	workflow := flag.String("workflow", "demo", "slug of the workflow that talks to them")
	batch := flag.String("batch", "example", "name of the batch: a contact is called once in each")
	rate := flag.Float64("rate", 2, "dispatches a second")
	atOnce := flag.Int("at-once", 10, "calls in progress at most")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *file, campaign{*workflow, *batch, *rate, *atOnce}, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "batch-dispatch:", err)
		stop()
		os.Exit(1)
	}
}

type contact struct{ id, number, name string }

type campaign struct {
	workflow, batch string
	rate            float64 // dispatches a second
	atOnce          int
}

func run(ctx context.Context, file string, plan campaign, out io.Writer) error {
	if plan.rate <= 0 || plan.atOnce < 1 {
		return errors.New("-rate and -at-once must be above 0")
	}
	contacts, err := read(file)
	if err != nil {
		return err
	}
	key, err := apiKey()
	if err != nil {
		return err
	}
	// The client waits and retries where the server answers 429 or 503 with Retry-After.
	api := client.New(cmp.Or(os.Getenv("PARLEY_SERVER"), "http://127.0.0.1:8080"), key, client.WithAttempts(10))
	return plan.call(ctx, api, contacts, csv.NewWriter(out))
}

// call calls the contacts and writes each call's end when it comes. The error names all contacts that could not be called.
func (p campaign) call(ctx context.Context, api *client.Client, contacts []contact, out *csv.Writer) error {
	var (
		mu       sync.Mutex // of out and failures
		failures []error
		calls    sync.WaitGroup
		places   = make(chan struct{}, p.atOnce)
		pace     = time.NewTicker(time.Duration(float64(time.Second) / p.rate))
	)
	defer pace.Stop()
	write := func(row ...string) {
		_ = out.Write(row) // Error has it
		out.Flush()
	}
	write("id", "call_id", "status", "reason", "seconds")
	for _, c := range contacts {
		select {
		case places <- struct{}{}:
		case <-ctx.Done():
		}
		select {
		case <-pace.C:
		case <-ctx.Done():
		}
		if ctx.Err() != nil {
			failures = append(failures, ctx.Err())
			break
		}
		calls.Go(func() {
			defer func() { <-places }()
			ended, err := p.one(ctx, api, c)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				failures = append(failures, fmt.Errorf("contact %s: %w", c.id, err))
				return
			}
			reason := ""
			if ended.StatusReason != nil {
				reason = *ended.StatusReason
			}
			write(c.id, ended.ID, ended.Status, reason, strconv.Itoa(ended.DurationSeconds))
		})
	}
	calls.Wait()
	return errors.Join(append(failures, out.Error())...)
}

// one dispatches a call and waits for its end. With webhooks in place of polling, a receiver of call.completed, call.failed,
// call.disconnected and call.timeout finds the contact by data.metadata.
func (p campaign) one(ctx context.Context, api *client.Client, c contact) (*client.Call, error) {
	dispatched, err := api.Calls.Start(ctx, client.StartCall{
		WorkflowSlug: p.workflow, CallType: "sip", PhoneNumber: c.number, UserID: c.id,
		UserContext: map[string]any{"name": c.name},
		Metadata:    map[string]any{"batch": p.batch, "contact": c.id},
		// The same key is answered with the same call for 24 hours.
		IdempotencyKey: p.batch + "-" + c.id,
	})
	if err != nil {
		return nil, err
	}
	return api.Calls.Wait(ctx, dispatched.CallID, 2*time.Second)
}

func read(file string) ([]contact, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", file, err)
	}
	if len(rows) == 0 || strings.Join(rows[0], ",") != "id,phone_number,name" {
		return nil, fmt.Errorf("%s does not begin with the columns id,phone_number,name", file)
	}
	var contacts []contact
	for _, row := range rows[1:] {
		contacts = append(contacts, contact{row[0], row[1], row[2]})
	}
	return contacts, nil
}

// apiKey is that of PARLEY_API_KEY, else the demo tenant's.
func apiKey() (string, error) {
	if key := os.Getenv("PARLEY_API_KEY"); key != "" {
		return key, nil
	}
	key, err := os.ReadFile("data/demo-api-key")
	return strings.TrimSpace(string(key)), err
}
