package attack

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// guesses are the answers to guesses of passwords, by status.
type guesses struct{ wrong, limited, busy, other atomic.Int64 }

// guessFromManyNetworks guesses an account's password from many networks at once until the context ends, and pauses a second between
// two guesses of one guesser. Every guess comes from another network, of any width.
func guessFromManyNetworks(ctx context.Context, url, account string, atOnce int) (answers *guesses, wait func()) {
	answers = new(guesses)
	var next atomic.Int64
	var all sync.WaitGroup
	for range atOnce {
		all.Go(func() {
			for ctx.Err() == nil {
				n := next.Add(1)
				from := fmt.Sprintf("%d.%d.%d.9", 11+n/200%80, n%200, n/16_000%250)
				status, err := signInFrom(ctx, url, from, account, fmt.Sprintf("guess %d of many", n))
				switch {
				case err != nil:
				case status == http.StatusUnauthorized:
					answers.wrong.Add(1)
				case status == http.StatusTooManyRequests:
					answers.limited.Add(1)
				case status == http.StatusServiceUnavailable:
					answers.busy.Add(1)
				default:
					answers.other.Add(1)
				}
				select {
				case <-ctx.Done():
				case <-time.After(time.Second):
				}
			}
		})
	}
	return answers, all.Wait
}

// proxyAddress is the address of this machine from which signInFrom connects.
const proxyAddress = "127.0.0.9"

var viaProxy = &http.Client{Transport: &http.Transport{DialContext: (&net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(proxyAddress)}}).DialContext}}

// signInFrom signs in from an address, through a proxy that the server trusts.
func signInFrom(ctx context.Context, url, from, account, password string) (status int, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url+"/api/v1/auth/login", strings.NewReader(credentials(account, password)))
	if err != nil {
		return 0, err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("X-Forwarded-For", from)
	answer, err := viaProxy.Do(r)
	if err != nil {
		return 0, err
	}
	defer answer.Body.Close()
	if answer.StatusCode == http.StatusServiceUnavailable && answer.Header.Get("Retry-After") == "" {
		return 0, fmt.Errorf("503 without Retry-After")
	}
	return answer.StatusCode, nil
}

// While hundreds guess passwords at once, each from a network of its own, the owner signs in where the owner signed in before:
// neither the account's limit nor the queue of passwords keeps the owner out, and guesses beyond the queue are refused.
func TestGuessesFromManyNetworks(t *testing.T) {
	s := proxied(t)
	const home = "198.51.100.7"
	signIn := func() (int, time.Duration) {
		began := time.Now()
		status, err := signInFrom(t.Context(), s.URL, home, ownersEmail, ownersPassword)
		if err != nil {
			t.Fatal(err)
		}
		return status, time.Since(began)
	}
	if status, _ := signIn(); status != http.StatusOK {
		t.Fatalf("the first sign-in: %d", status)
	}
	for _, account := range []string{ownersEmail, "nobody@example.org"} {
		attack, end := context.WithCancel(t.Context())
		answers, wait := guessFromManyNetworks(attack, s.URL, account, 200)
		await(t, "the attack is under way", func() bool {
			return answers.wrong.Load() > 0 && answers.busy.Load() > 0 && answers.wrong.Load()+answers.limited.Load()+answers.busy.Load() > 400
		})
		var waits []time.Duration
		for range size(10, 40) {
			status, took := signIn()
			if status != http.StatusOK {
				t.Errorf("the owner, while %s is attacked: %d", account, status)
			}
			waits = append(waits, took)
		}
		end()
		wait()
		slices.Sort(waits)
		t.Logf("%s: %d guesses were checked, %d refused for the account, %d for the queue; the owner waited %v at p50, %v at p95", account,
			answers.wrong.Load(), answers.limited.Load(), answers.busy.Load(), waits[len(waits)/2], waits[len(waits)*95/100])
		if answers.busy.Load() == 0 || answers.other.Load() > 0 {
			t.Errorf("%d guesses were refused for the queue, %d got another answer", answers.busy.Load(), answers.other.Load())
		}
	}
}
