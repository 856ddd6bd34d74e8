// Command parley is the voice-agent platform in one binary: see parley --help.
package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"

	"parley/internal/config"
)

// version is set at build time.
var version = "dev"

type commands struct {
	Serve   serve          `cmd:"" help:"Serve API, documentation, media, webhook delivery and a worker."`
	Worker  worker         `cmd:"" help:"Claim calls and run them, for a server elsewhere."`
	Migrate migrate        `cmd:"" help:"Bring the database's schema up to date."`
	Backup  backupCommand  `cmd:"" help:"Write the database and this machine's recordings to a file, while servers run."`
	Restore restoreCommand `cmd:"" help:"Load a backup, of either kind of database, into the configured one."`
	Copy    copyCommand    `cmd:"" help:"Copy the SQLite database of the data folder to PostgreSQL."`
	Doctor  doctorCommand  `cmd:"" help:"Check the requirements of a server with these settings, with remedies; exit code 1 if a check fails."`
	Tenant  struct {
		Create tenantCreate `cmd:"" help:"Make a tenant."`
		List   tenantList   `cmd:"" help:"List the tenants."`
		Set    tenantSet    `cmd:"" help:"Change a tenant's retention, masking, dialling rules and limits, and print its settings."`
		Delete tenantDelete `cmd:"" help:"Delete a tenant with all its data, after asking for its name."`
	} `cmd:"" help:"Administer tenants."`
	Number struct {
		Assign  numberAssign  `cmd:"" help:"Give a phone number to a tenant: on the platform's SIP trunk, and wherever trunks of several tenants could bring its calls."`
		List    numberList    `cmd:"" help:"List the numbers that are assigned, with their tenants."`
		Release numberRelease `cmd:"" help:"Take back the assignment of a phone number. On the platform's SIP trunk it is no longer answered."`
	} `cmd:"" help:"Administer phone numbers."`
	User struct {
		Create   userCreate   `cmd:"" help:"Make a user, who signs in with e-mail and password."`
		List     userList     `cmd:"" help:"List the users."`
		Set      userSet      `cmd:"" help:"Change a user's password, which ends their sessions, or scopes."`
		Password userPassword `cmd:"" help:"Change a user's password, which ends their sessions; asks for it, or reads it from standard input."`
		Delete   userDelete   `cmd:"" help:"Delete a user; their sessions end."`
	} `cmd:"" help:"Administer users."`
	Key struct {
		Create keyCreate `cmd:"" help:"Make an API key; it is shown once."`
		List   keyList   `cmd:"" help:"List the API keys that are not revoked, without their secrets."`
		Revoke keyRevoke `cmd:"" help:"Revoke an API key permanently."`
	} `cmd:"" help:"Administer API keys."`
	Calls struct {
		Show callsShow `cmd:"" help:"Print a call and its timeline."`
		SIP  callsSIP  `cmd:"" name:"sip" help:"Print a call's SIP messages."`
		Tail callsTail `cmd:"" help:"Print calls whose status changes, until a signal."`
	} `cmd:"" help:"Look at calls, over the API."`
	Providers struct {
		Check providersCheck `cmd:"" help:"Try the vendors with the keys that are set, each family of models once, and print a table. It costs a few cents."`
	} `cmd:"" help:"Check the providers of speech and language."`
	Answers struct {
		Eval answersEval `cmd:"" help:"Measure on recordings how often the detection of who answered is right, and print the evidence where it is wrong."`
	} `cmd:"" help:"Detection of who answers phone calls."`
	Hearing struct {
		Eval hearingEval `cmd:"" help:"Play recordings of callers over an agent, and print which stop it and how soon: speech that is missed, and other sound that interrupts it."`
	} `cmd:"" help:"What stops an agent that speaks."`
	Call    callCommand      `cmd:"" help:"Place a call as a synthetic caller and print the conversation."`
	Bench   benchCommand     `cmd:"" help:"Load a server with concurrent synthetic callers and print the figures."`
	Chat    chatCommand      `cmd:"" help:"Talk with an agent or a workflow in writing, through the same engine."`
	Eval    evalCommand      `cmd:"" help:"Run scripted conversations and check their expectations."`
	MCP     mcpCommand       `cmd:"" name:"mcp" help:"Serve a server's tools to an MCP client, over standard input and output."`
	Health  healthCommand    `cmd:"" help:"Ask a server or worker on this machine whether it is healthy; for health checks of containers."`
	Build   versionCommand   `cmd:"" name:"version" help:"Print version, commit, Go version, platform and libraries."`
	Version kong.VersionFlag `help:"Print the version."`
}

func main() {
	var c commands
	parser, err := kong.New(&c, kong.Name("parley"), kong.Description("Self-hosted, multi-tenant platform for voice agents."),
		kong.Vars{"version": version}, kong.UsageOnError(), kong.Resolvers(secretFiles{}), kong.ConfigureHelp(kong.HelpOptions{Compact: true}))
	if err != nil {
		c.fail(err)
	}
	chosen, err := parser.Parse(os.Args[1:])
	if err != nil {
		complaint := named(parser.Model, err)
		var setting *config.Error
		if errors.As(err, &setting) { // without the flag, which was not given
			complaint = setting
		}
		c.fail(misused(err, complaint))
	}
	// The first signal starts a graceful shutdown, which waits for calls; the second one ends all calls.
	ctx, cancel := context.WithCancel(context.Background())
	stop, cancelStop := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) { // as under nohup
		signal.Notify(signals, syscall.SIGHUP)
	}
	go func() {
		<-signals
		cancel()
		<-signals
		cancelStop()
	}()
	if err := chosen.Run(signalled{ctx, stop}); err != nil {
		c.fail(err)
	}
}

// signalled are contexts that signals cancel: ctx the first, stop the second.
type signalled struct{ ctx, stop context.Context }

// named adds to an error about a flag the variable that set it, if any.
func named(app *kong.Application, err error) error {
	wrong := err
	_ = kong.Visit(app, func(node kong.Visitable, next kong.Next) error {
		flag, ok := node.(*kong.Flag)
		if !ok {
			return next(nil)
		}
		rest, about := strings.CutPrefix(err.Error(), "--"+flag.Name)
		for _, variable := range flag.Envs {
			if about && strings.HasPrefix(strings.TrimPrefix(rest, ":"), " ") && os.Getenv(variable) != "" {
				wrong = fmt.Errorf("%s: %w", variable, err)
			}
		}
		return next(nil)
	})
	return wrong
}

// coded is an error with an exit code other than 1.
type coded struct {
	code int
	error
}

// misused sets the command's exit code for invalid usage.
func misused(err, complaint error) error {
	var parse *kong.ParseError
	if errors.As(err, &parse) && parse.Context != nil {
		if chosen := parse.Context.Selected(); chosen != nil && chosen.Name == "eval" {
			return coded{exitUnusable, complaint}
		}
	}
	return complaint
}

// fail prints the error on one line and exits.
func (c *commands) fail(err error) {
	text := strings.Join(strings.Fields(err.Error()), " ")
	if c.writesJSON() {
		slog.New(slog.NewJSONHandler(os.Stderr, nil)).Error("Parley failed", "error", text)
	} else {
		fmt.Fprintf(os.Stderr, "parley: %s\n", text)
	}
	var own coded
	if errors.As(err, &own) {
		os.Exit(own.code)
	}
	os.Exit(1)
}

// writesJSON reports whether the command prints lines of JSON only. It reads the arguments itself, because those of an
// invalid command line are not in c.
func (c *commands) writesJSON() bool {
	if len(os.Args) < 2 || os.Args[1] != "serve" && os.Args[1] != "worker" {
		return false
	}
	arguments := strings.Join(os.Args[2:], " ")
	return os.Getenv("PARLEY_LOG_FORMAT") == "json" || strings.Contains(arguments, "--log-format=json") || strings.Contains(arguments, "--log-format json")
}
