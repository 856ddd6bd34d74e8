package chaos

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/client"
)

// Many live streams, some of whose readers never read: the others receive every change, at full size soon, and when all have
// left, the server holds no resources of them.
func TestStreamsWithStalledReaders(t *testing.T) {
	if !full { // at full size it has the machine to itself, for its times count
		t.Parallel()
	}
	streams, stalled, changes := size(100, 1000), size(5, 50), size(10, 100)
	s := put(t, map[string]string{"PARLEY_SSE_STREAMS_PER_TENANT": "2000"})
	s.fast()
	before := s.goroutines()
	key := s.key()
	address := strings.TrimPrefix(s.server.Load().URL, "http://")
	var silent []net.Conn
	for range stalled {
		c, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		silent = append(silent, c)
		fmt.Fprintf(c, "GET /api/v1/sse/calls/stream HTTP/1.1\r\nHost: %s\r\nX-API-Key: %s\r\n\r\n", address, key)
	}
	type arrival struct {
		call string
		at   time.Time
	}
	arrivals := make(chan arrival, streams*changes*4)
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	web := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	var reading sync.WaitGroup
	ready := make(chan struct{}, streams)
	for range streams - stalled {
		reading.Go(func() {
			request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+"/api/v1/sse/calls/stream", nil)
			if err != nil {
				t.Error(err)
				return
			}
			request.Header.Set("X-API-Key", key)
			answer, err := web.Do(request)
			if err != nil {
				t.Errorf("stream: %v", err)
				return
			}
			defer answer.Body.Close()
			kind := ""
			for lines := bufio.NewScanner(answer.Body); lines.Scan(); {
				name, value, _ := strings.Cut(lines.Text(), ": ")
				switch {
				case name == "event":
					kind = value
				case name == "data" && kind == "calls_update":
					select {
					case ready <- struct{}{}: // the first one: what there is
					default:
					}
					at := time.Now()
					if _, rest, found := strings.Cut(value, `"id":"`); found {
						arrivals <- arrival{rest[:36], at}
					}
				}
			}
		})
	}
	for range streams - stalled {
		select {
		case <-ready:
		case <-time.After(patience):
			t.Fatal("not all streams began")
		}
	}
	var took []time.Duration
	for range changes {
		began := time.Now()
		d, err := s.api().Calls.TestAgent(t.Context(), client.TestAgent{AgentName: "demo"})
		if err != nil {
			t.Fatal(err)
		}
		deadline := time.After(patience)
		for heard := 0; heard < streams-stalled; {
			select {
			case a := <-arrivals:
				if a.call == d.CallID {
					heard++
					took = append(took, a.at.Sub(began))
				}
			case <-deadline:
				t.Fatalf("%d of %d streams heard of a change", heard, streams-stalled)
			}
		}
		if _, err := s.api().Calls.End(t.Context(), d.CallID); err != nil {
			t.Fatal(err)
		}
		time.Sleep(50 * time.Millisecond) // its end is published, too
	}
	slices.Sort(took)
	median, late := took[len(took)/2], took[len(took)*95/100]
	t.Logf("%d streams, %d of them stalled: request to reader p50 %s, p95 %s", streams, stalled, median.Round(time.Millisecond), late.Round(time.Millisecond))
	if full && (median > time.Second || late > 100*time.Millisecond) {
		t.Errorf("half of the readers waited %s or more, one in twenty %s", median, late)
	}
	leave()
	reading.Wait()
	for _, c := range silent {
		c.Close()
	}
	await(t, 50*time.Millisecond, fmt.Sprintf("of their goroutines none is left, as before they came: %v", before), func() bool { return s.goroutines() < before+10 })
}

// goroutines is how many the server has, by its own figures.
func (s *subject) goroutines() (n float64) {
	s.t.Helper()
	answer, err := http.Get(s.server.Load().URL + "/metrics")
	if err != nil {
		s.t.Fatal(err)
	}
	defer answer.Body.Close()
	for lines := bufio.NewScanner(answer.Body); lines.Scan(); {
		if rest, ok := strings.CutPrefix(lines.Text(), "go_goroutines "); ok {
			if _, err := fmt.Sscan(rest, &n); err != nil {
				s.t.Fatal(err)
			}
			return n
		}
	}
	s.t.Fatal("the server's figures have no goroutines")
	return 0
}
