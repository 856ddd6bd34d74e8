package main

import (
	"fmt"
	"os"
	"strings"

	"parley/internal/app"
	"parley/internal/backup"
	"parley/internal/config"
	"parley/internal/database"
)

type migrate struct {
	config.Store
	output
	DryRun bool `name:"dry-run" help:"Print which migrations would be applied, and change nothing."`
}

func (c *migrate) Run(s signalled) error {
	apply, verb := app.Migrate, "applied"
	if c.DryRun {
		apply, verb = app.PendingMigrations, "would apply"
	}
	list, err := apply(s.ctx, c.Store)
	if err != nil {
		return err
	}
	var lines []string
	for _, m := range list {
		lines = append(lines, fmt.Sprintf("%s %05d %s", verb, m.Version, m.Name))
	}
	if len(list) == 0 || !c.DryRun {
		lines = append(lines, "the database is up to date")
	}
	return c.print(struct {
		Migrations []database.Migration `json:"migrations"`
	}{append([]database.Migration{}, list...)}, strings.Join(lines, "\n"))
}

type backupCommand struct {
	config.Store
	output
	File       string `arg:"" help:"File to make, a ZIP file; - writes it to standard output."`
	Recordings bool   `default:"true" negatable:"" help:"Include this machine's recordings."`
}

func (c *backupCommand) Run(s signalled) error {
	m, err := app.Backup(s.ctx, c.Store, app.BackupOptions{File: c.File, WithoutRecordings: !c.Recordings, Version: version})
	if err != nil {
		return err
	}
	text := fmt.Sprintf("backed up %s to %s; the keys are not in it", contents(m), c.File)
	if m.RecordingsElsewhere > 0 && c.Recordings {
		text += fmt.Sprintf("\n%d recordings are not on this machine: back up the bucket, or the other machines' folders", m.RecordingsElsewhere)
	}
	if c.File == "-" {
		_, err := fmt.Fprintln(os.Stderr, text)
		return err
	}
	return c.print(m, text)
}

func contents(m *backup.Manifest) string {
	return fmt.Sprintf("%d rows of %d tables and %d recordings", m.Rows, len(m.Tables), m.Recordings)
}

type restoreCommand struct {
	config.Store
	output
	File    string `arg:"" help:"The backup."`
	Replace bool   `help:"Delete the data and recordings that are there."`
}

func (c *restoreCommand) Run(s signalled) error {
	m, err := app.Restore(s.ctx, c.Store, app.RestoreOptions{File: c.File, Replace: c.Replace})
	if err != nil {
		return err
	}
	return c.print(m, fmt.Sprintf("restored %s, as they were at %s", contents(m), m.CreatedAt.Format("2006-01-02 15:04:05Z07:00")))
}

type copyCommand struct {
	config.Store
	output
	Replace bool `help:"Delete the data that the PostgreSQL database has."`
}

func (c *copyCommand) Run(s signalled) error {
	rows, err := app.Copy(s.ctx, c.Store, c.Replace)
	if err != nil {
		return err
	}
	return c.print(struct {
		Rows int64 `json:"rows"`
	}{rows}, fmt.Sprintf("copied %d rows from %s to PostgreSQL", rows, c.DatabaseFile()))
}
