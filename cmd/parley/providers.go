package main

import (
	"encoding/json"
	"fmt"
	"os"
	"text/tabwriter"

	"parley/internal/app"
	"parley/internal/config"
	"parley/internal/provider/roundtrip"
)

type providersCheck struct {
	Provider string            `placeholder:"NAME" help:"Try only this provider, such as deepgram. Default: all that have a key."`
	Kind     string            `enum:"stt,llm,tts," default:"" placeholder:"KIND" help:"Try only this kind: stt, llm or tts. Default: all."`
	Voice    map[string]string `placeholder:"PROVIDER=ID" help:"The voice to speak with, such as cartesia=ID; may be given several times. Default: a public one of the vendor."`
	JSON     bool              `name:"json" help:"Print one JSON object."`
	Verbose  bool              `short:"v" help:"Log to standard error."`

	config.Vendors `embed:"" group:"Keys and addresses of the vendors:"`
}

// Run tries each provider that has a key, with one model of each family. It succeeds when all of them worked.
func (c *providersCheck) Run(s signalled) error {
	check, err := app.NewProviderCheck(s.ctx, c.Vendors, c.Kind, c.Provider, c.Voice, verbose(c.Verbose))
	if err != nil {
		return err
	}
	fmt.Fprintln(os.Stderr, roundtrip.Cost(check.Trials))
	results := check.Run(s.ctx)
	if err := c.print(results); err != nil {
		return err
	}
	bad := 0
	for _, r := range results {
		if r.Outcome != roundtrip.OK {
			bad++
		}
	}
	if bad > 0 {
		return fmt.Errorf("%d of %d round trips did not succeed", bad, len(results))
	}
	return nil
}

func (c *providersCheck) print(results []roundtrip.Result) error {
	if c.JSON {
		encoder := json.NewEncoder(os.Stdout)
		encoder.SetIndent("", "  ")
		return encoder.Encode(map[string]any{"results": results})
	}
	table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "KIND\tPROVIDER\tMODEL\tOUTCOME\tFIRST\tTOTAL\tMESSAGE")
	for _, r := range results {
		first := "–"
		if r.FirstMS > 0 {
			first = fmt.Sprintf("%d ms", r.FirstMS)
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%d ms\t%s\n", r.Kind, r.Provider, r.Model, r.Outcome, first, r.TotalMS, r.Message)
	}
	return table.Flush()
}
