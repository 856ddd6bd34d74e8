package main

import (
	"os"

	"parley/internal/app"
	"parley/internal/config"
)

type serve struct {
	config.Server
	Without []string `name:"without" enum:"worker,media,sip,delivery" placeholder:"ROLE" help:"Roles to leave out: worker, media, sip, delivery."`
}

func (c *serve) Run(s signalled) error {
	return app.Serve(s.ctx, s.stop, app.Options{Config: c.Server, Without: c.Without, Version: version, Out: os.Stdout})
}

type worker struct{ config.Server }

func (c *worker) Run(s signalled) error {
	return app.Work(s.ctx, s.stop, app.Options{Config: c.Server, Version: version, Out: os.Stdout})
}
