package caller

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"parley/client"
	"parley/internal/dialogue"
	"parley/internal/media"
)

// BenchOptions configures a load test.
type BenchOptions struct {
	Server, APIKey string
	Agent          string
	Calls          int           // concurrent callers
	Ramp           time.Duration // over which they start, evenly
	Duration       time.Duration // of full load, after the ramp; unused with Turns
	Turns          int           // lines per caller, without a time limit; 0 for as many as Duration permits

	Say   []string // lines, repeated
	Voice string   // of the offline synthesiser; "" for slt
	// InterruptEvery makes every nth line interrupt the reply before it, InterruptAfter its start; 0 for none.
	InterruptEvery int
	InterruptAfter time.Duration

	// Failed, if not nil, is called with the error of each failed call, by many goroutines.
	Failed func(callID string, err error)
	// Synthesizer speaks the lines; nil for the offline one.
	Synthesizer dialogue.Synthesizer
	Joiner      *media.Joiner // nil to create one
	Log         *slog.Logger
}

func (o *BenchOptions) check() error {
	switch {
	case o.Server == "":
		return errors.New("the server's address is missing")
	case o.Agent == "":
		return errors.New("name an agent to call")
	case o.Calls < 1:
		return errors.New("there must be 1 call at least")
	case o.Turns < 0:
		return errors.New("the number of turns must not be below 0")
	case o.Ramp < 0 || o.Duration <= 0 && o.Turns == 0:
		return errors.New("the duration must be above 0, and the ramp not below")
	case o.InterruptEvery < 0 || o.InterruptAfter < 0:
		return errors.New("the settings of interruptions must not be below 0")
	case len(o.Say) == 0:
		return errors.New("there is nothing to say")
	}
	if o.Voice == "" {
		o.Voice = "slt"
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Joiner == nil {
		o.Joiner = media.NewJoiner(o.Log)
	}
	if o.Failed == nil {
		o.Failed = func(string, error) {}
	}
	return nil
}

// Bench runs concurrent synthetic callers. Each says a line, waits for the reply and continues, for Turns lines or
// else until the time has passed, then hangs up. Failed calls are counted; an error means that the run could not
// start. When ctx ends, callers hang up early.
func Bench(ctx context.Context, o BenchOptions) (*Figures, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	lines, err := prepare(ctx, Options{Say: o.Say, Voice: o.Voice, Synthesizer: o.Synthesizer})
	if err != nil {
		return nil, err
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = o.Calls
	defer transport.CloseIdleConnections()
	b := &bench{o: o, lines: lines, figures: newFigures(o.Calls),
		api: client.New(o.Server, o.APIKey, client.WithHTTPClient(&http.Client{Transport: transport, Timeout: 30 * time.Second}))}
	b.until = time.Now().Add(o.Ramp + o.Duration)
	var callers sync.WaitGroup
	for n := range o.Calls {
		callers.Go(func() {
			select {
			case <-time.After(o.Ramp * time.Duration(n) / time.Duration(o.Calls)):
				b.call(ctx, n)
			case <-ctx.Done():
			}
		})
	}
	callers.Wait()
	return b.figures.sum(), nil
}

// bench is a run.
type bench struct {
	o     BenchOptions
	api   *client.Client
	lines []line
	until time.Time

	mu      sync.Mutex
	figures *Figures
}

// call makes one call and adds its result to the figures.
func (b *bench) call(ctx context.Context, n int) {
	r, interruptions, err := b.talk(ctx, n)
	b.mu.Lock()
	defer b.mu.Unlock()
	if r != nil {
		b.figures.Started++
		b.figures.add(r, interruptions)
	}
	if err != nil {
		b.figures.Failed++
		id := ""
		if r != nil {
			id = r.CallID
		}
		b.o.Failed(id, err)
	}
}

// talk runs the nth call. The result is nil if it was never dispatched.
func (b *bench) talk(ctx context.Context, n int) (r *Result, interruptions []time.Duration, err error) {
	dispatched, err := b.api.Calls.TestAgent(ctx, client.TestAgent{AgentName: b.o.Agent})
	if err != nil {
		return nil, nil, fmt.Errorf("start call: %w", err)
	}
	answered := time.Now()
	r = &Result{CallID: dispatched.CallID, Status: dispatched.Status}
	light := newLightLine()
	light.Participant, err = b.o.Joiner.Join(ctx, media.JoinOptions{URL: dispatched.URL, Token: dispatched.Token, OnPacket: light.handlePacket})
	if err != nil {
		return r, nil, errors.Join(err, giveUp(ctx, b.api, r))
	}
	defer light.Leave()
	talk := &conversation{room: light, script: &loopScript{b, n}, hangUp: true, setDecoding: light.listening.Store, detector: speechDetector{packets: true}}
	spoken := talk.run(ctx)
	light.Leave()
	r.setMeasurements(talk, answered)
	return r, talk.interruptions(), errors.Join(spoken, b.end(ctx, r))
}

// end returns an error unless the call ended as completed.
func (b *bench) end(ctx context.Context, r *Result) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), endWait)
	defer cancel()
	call, err := b.api.Calls.Wait(ctx, r.CallID, 250*time.Millisecond)
	if err != nil {
		return fmt.Errorf("wait for the call's end: %w", err)
	}
	r.Status = call.Status
	if call.StatusReason != nil {
		r.StatusReason = *call.StatusReason
	}
	if r.Status != client.Completed {
		return fmt.Errorf("the call ended as %s (%s)", r.Status, r.StatusReason)
	}
	return nil
}

// loopScript repeats lines until the caller has had its turns or the run's time has passed. Each caller starts with
// a different line.
type loopScript struct {
	*bench
	first int
}

func (l *loopScript) next(n int) (line, bool) {
	more := n < l.o.Turns
	if l.o.Turns == 0 {
		more = time.Now().Before(l.until)
	}
	return l.lines[(l.first+n)%len(l.lines)], more
}

func (l *loopScript) interruptAfter(n int) time.Duration {
	// Callers interrupt at different lines, so that interruptions do not coincide.
	if every := l.o.InterruptEvery; every > 0 && n > 0 && (l.first+n)%every == every-1 {
		return l.o.InterruptAfter
	}
	return 0
}
