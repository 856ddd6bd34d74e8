package app

import (
	"parley/internal/config"
	"parley/internal/sip"
	"parley/internal/worker"
)

// gatewayOptions says how to start the SIP gateway in this process.
func gatewayOptions(c config.Server, secret string) (sip.GatewayOptions, error) {
	ip, err := c.NodeIP()
	if err != nil {
		return sip.GatewayOptions{}, err
	}
	from, to, err := c.RTPPorts()
	return sip.GatewayOptions{
		Port: c.SIPPort, RTPPorts: sip.PortRange{From: from, To: to}, LoopbackOnly: c.Loopback(), NodeIP: ip,
		AllowPrivateNetworks: c.PrivateNetworks(),
		MediaURL:             embeddedURL(c), Key: embeddedKey, Secret: secret, Logger: c.Logger(),
	}, err
}

// outsidePhones dials through an outside LiveKit; nil when there is none.
func outsidePhones(c config.Server, allowPrivate bool) worker.Phones {
	if c.LiveKitURL == "" {
		return nil
	}
	return sip.NewService(sip.ServiceOptions{URL: c.LiveKitURL, Key: c.LiveKitAPIKey, Secret: c.LiveKitAPISecret, AllowPrivateNetworks: allowPrivate})
}
