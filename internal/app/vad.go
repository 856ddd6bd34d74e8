package app

import (
	"parley/internal/config"
	network "parley/internal/hearing/speech"
)

// loadVADModel loads the network of PARLEY_VAD_MODEL; without one, the built-in network is used.
func loadVADModel(path string) (*network.Network, error) {
	if path == "" {
		return network.BuiltIn(), nil
	}
	n, err := network.Load(path)
	if err != nil {
		return nil, &config.Error{Variable: "PARLEY_VAD_MODEL", Problem: err.Error()}
	}
	return n, nil
}
