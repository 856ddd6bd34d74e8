// Command answers measures the detection of who answered on the corpus, and prints the figures of docs/answers.md:
//
//	go run ./tools/answers
package main

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"sync"

	"parley/internal/answering/corpus"
	"parley/internal/answering/trial"
)

func main() {
	wrong := flag.Bool("wrong", false, "print the evidence of what was wrong, too")
	flag.Parse()
	if err := run(*wrong); err != nil {
		fmt.Fprintln(os.Stderr, "answers:", err)
		os.Exit(1)
	}
}

func run(wrong bool) error {
	all, err := corpus.All()
	if err != nil {
		return err
	}
	for _, transcripts := range []bool{true, false} {
		results := judge(all, transcripts)
		for _, held := range []bool{true, false} {
			var report trial.Report
			for _, r := range results {
				if r.Held == held {
					report.Results = append(report.Results, r)
				}
			}
			fmt.Printf("\n## transcripts: %v, held back: %v, %d recordings\n\n", transcripts, held, len(report.Results))
			if err := report.WriteTable(os.Stdout); err != nil {
				return err
			}
			if wrong {
				if err := report.WriteWrong(os.Stdout); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// judge judges recordings on all processors.
func judge(recordings []trial.Recording, transcripts bool) []trial.Result {
	results := make([]trial.Result, len(recordings))
	next := make(chan int)
	var work sync.WaitGroup
	for range runtime.NumCPU() {
		work.Go(func() {
			for n := range next {
				results[n] = trial.Run(recordings[n], transcripts)
			}
		})
	}
	for n := range recordings {
		next <- n
	}
	close(next)
	work.Wait()
	return results
}
