// Command parley is the voice-agent platform in one binary: see parley --help.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/alecthomas/kong"
)

// version is set at build time.
var version = "dev"

type commands struct {
	Serve   serve   `cmd:"" help:"Serve API, documentation, media, webhook delivery and a worker."`
	Worker  worker  `cmd:"" help:"Claim calls and run them, for a server elsewhere."`
	Migrate migrate `cmd:"" help:"Bring the database's schema up to date."`
	Tenant  struct {
		Create tenantCreate `cmd:"" help:"Make a tenant."`
	} `cmd:"" help:"Administer tenants."`
	User struct {
		Create userCreate `cmd:"" help:"Make a user, who signs in with e-mail and password."`
	} `cmd:"" help:"Administer users."`
	Key struct {
		Create keyCreate `cmd:"" help:"Make an API key; it is shown once."`
	} `cmd:"" help:"Administer API keys."`
	Call    callCommand      `cmd:"" help:"Place a call as a synthetic caller and print the conversation."`
	Version kong.VersionFlag `help:"Print the version."`
}

func main() {
	var c commands
	parser, err := kong.New(&c, kong.Name("parley"), kong.Description("Self-hosted, multi-tenant platform for voice agents."),
		kong.Vars{"version": version}, kong.UsageOnError(), kong.ConfigureHelp(kong.HelpOptions{Compact: true}))
	if err != nil {
		fail(err)
	}
	chosen, err := parser.Parse(os.Args[1:])
	if err != nil {
		fail(err)
	}
	// The first signal asks for a clean end, which may take a while; the
	// second ends it at once, still cleanly.
	ctx, cancel := context.WithCancel(context.Background())
	stop, cancelStop := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM)
	go func() {
		<-signals
		cancel()
		<-signals
		cancelStop()
	}()
	chosen.BindTo(ctx, (*context.Context)(nil))
	if err := chosen.Run(signalled{ctx, stop}); err != nil {
		fail(err)
	}
}

// signalled holds what signals end: ctx with the first, stop with the second.
type signalled struct{ ctx, stop context.Context }

// errSilent ends the program with exit code 1 after it told the reason itself.
var errSilent = errors.New("")

func fail(err error) {
	if !errors.Is(err, errSilent) {
		fmt.Fprintf(os.Stderr, "parley: %v\n", err)
	}
	os.Exit(1)
}
