package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"parley/client"
	"parley/e2e/emulated"
	"parley/internal/media"
)

// What part analyses does: calls that are analysed end at a rate for a time; then conversing callers are measured alone, and beside
// analyses of those calls.
const (
	endsPerSecond = 10
	endsFor       = 30 * time.Second
	callersBeside = 20
)

// analysedAgent is the name of the agent whose calls are analysed, and outcome that of the analysis.
const (
	analysedAgent = "analysed"
	outcome       = "outcome"
)

// analyses measures how long after the end of a call its analysis is finished, and whether analyses slow down conversations. The
// emulated language model answers an analysis in a second.
func analyses(path, dir string) (err error) {
	e, err := startEmulated(path, dir, nil)
	if err != nil {
		return err
	}
	defer func() { err = e.stop(err) }()
	key, err := fastKey(path, e.Server)
	if err != nil {
		return err
	}
	e.API = client.New(e.URL, key)
	if _, err := e.API.Analyses.Create(context.Background(), client.NewAnalysis{Name: outcome, Schema: emulated.AnalysisSchema}); err != nil {
		return err
	}
	agent := emulated.Agent(analysedAgent)
	agent.Config.Analyses = []string{outcome}
	if _, err := e.API.Agents.Create(context.Background(), agent); err != nil {
		return err
	}
	if err := e.endCalls(); err != nil {
		return err
	}
	waits, err := e.analysisWaits()
	if err != nil {
		return err
	}
	fmt.Printf("end of call to its analysis        %6.0f ms p50, %.0f ms p95, over %d calls, %d ends a second\n", quantile(waits, 0.5), quantile(waits, 0.95), len(waits), endsPerSecond)
	if err := e.converse(path, "alone"); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	again := make(chan analysed, 1)
	go func() { again <- e.analyseAgain(ctx) }()
	err = e.converse(path, "beside analyses")
	cancel()
	made := <-again
	fmt.Printf("    beside them                    %6d analyses in %.0f s\n", made.count, made.took.Seconds())
	return errors.Join(err, made.err)
}

// endCalls makes calls of a second, so many of which start, and end, in each second.
func (e *conversing) endCalls() error {
	joiner := media.NewJoiner(slog.New(slog.DiscardHandler))
	failures := make([]error, endsPerSecond*int(endsFor.Seconds()))
	ticker := time.NewTicker(time.Second / endsPerSecond)
	defer ticker.Stop()
	var all sync.WaitGroup
	for n := range failures {
		<-ticker.C
		all.Go(func() { failures[n] = greeting(e.Server, joiner, analysedAgent) })
	}
	all.Wait()
	return errors.Join(failures...)
}

// analysisWaits waits for all analyses, and returns the milliseconds from the end of each call to that of its analysis.
func (e *conversing) analysisWaits() (waits []float64, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	for page := 1; ; page++ {
		calls, err := e.API.Calls.List(ctx, client.CallQuery{AgentName: analysedAgent, Page: page})
		if err != nil || len(calls.Items) == 0 {
			return waits, err
		}
		for _, c := range calls.Items {
			finished, err := e.finished(ctx, c.ID)
			if err != nil {
				return nil, fmt.Errorf("call %s: %w", c.ID, err)
			}
			ended, err := e.API.Calls.Get(ctx, c.ID) // it may have been open in the list
			if err != nil {
				return nil, err
			}
			waits = append(waits, float64(finished.Sub(*ended.EndedAt).Milliseconds()))
		}
	}
}

// finished waits until the analysis of a call is finished, and returns when it was.
func (e *conversing) finished(ctx context.Context, callID string) (time.Time, error) {
	for {
		results, err := e.API.Calls.Analyses(ctx, callID)
		if err != nil {
			return time.Time{}, err
		}
		if len(results) == 1 && results[0].FinishedAt != nil {
			if results[0].Status != "done" {
				return time.Time{}, fmt.Errorf("the analysis is %s: %s", results[0].Status, *results[0].Reason)
			}
			return *results[0].FinishedAt, nil
		}
		select {
		case <-time.After(100 * time.Millisecond):
		case <-ctx.Done():
			return time.Time{}, fmt.Errorf("wait for the analysis: %w", ctx.Err())
		}
	}
}

// converse measures dispatches one at a time, and conversing callers.
func (e *conversing) converse(path, how string) error {
	tracks, err := dispatchToTrack(e.Server, emulatedAgent, 30)
	if err != nil {
		return err
	}
	fmt.Printf("%s: dispatch answer to agent's track %.1f ms p50, %.1f ms p95, over %d calls\n", how, quantile(tracks, 0.5), quantile(tracks, 0.95), len(tracks))
	l, err := e.runCallers(path, callersBeside)
	if err != nil {
		return err
	}
	l.print()
	return nil
}

// analysed is how many analyses runs over earlier calls have made.
type analysed struct {
	count int
	took  time.Duration
	err   error
}

// analyseAgain analyses all calls again and again, each time with a new version of the analysis, until the context ends.
func (e *conversing) analyseAgain(ctx context.Context) (a analysed) {
	begun := time.Now()
	for version := 2; ctx.Err() == nil && a.err == nil; version++ {
		var made int
		made, a.err = e.analyseAll(ctx, version)
		a.count += made
	}
	if ctx.Err() != nil {
		a.err = nil
	}
	a.took = time.Since(begun)
	return a
}

func (e *conversing) analyseAll(ctx context.Context, version int) (made int, err error) {
	if _, err := e.API.Analyses.Update(ctx, outcome, map[string]any{"instructions": fmt.Sprintf("Version %d.", version)}); err != nil {
		return 0, err
	}
	run, err := e.API.Analyses.StartRun(ctx, outcome, client.RunAnalysis{AgentName: analysedAgent})
	for err == nil && run.FinishedAt == nil {
		select {
		case <-time.After(100 * time.Millisecond):
			id := run.ID
			run, err = e.API.Analyses.Run(context.WithoutCancel(ctx), id)
		case <-ctx.Done():
			return run.Done, ctx.Err()
		}
	}
	if err != nil {
		return 0, err
	}
	if run.Failed > 0 {
		return run.Done, fmt.Errorf("%d analyses of run %s failed", run.Failed, run.ID)
	}
	return run.Done, nil
}
