package app

import (
	"parley/internal/config"
	"parley/internal/hearing"
)

// loadVADModel loads the model of PARLEY_VAD_MODEL; without one, the built-in network is used.
func loadVADModel(path string) (hearing.Model, error) {
	if path == "" {
		return hearing.Model{}, nil
	}
	m, err := hearing.LoadModel(path)
	if err != nil {
		return hearing.Model{}, &config.Error{Variable: "PARLEY_VAD_MODEL", Problem: err.Error()}
	}
	return m, nil
}
