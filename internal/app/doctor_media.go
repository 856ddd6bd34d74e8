package app

import (
	"context"
	"fmt"
	"net"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/pion/stun/v3"

	"parley/internal/media"
)

// inspectLiveKit checks the version of an outside LiveKit, and whether it offers TURN.
func (d *doctor) inspectLiveKit(ctx context.Context) {
	c := d.config
	tokens := media.Tokens{Key: c.LiveKitAPIKey, Secret: c.LiveKitAPISecret}
	info, err := media.Inspect(ctx, c.LiveKitURL, tokens, media.NewRooms(c.LiveKitURL, c.LiveKitAPIKey, c.LiveKitAPISecret))
	if err != nil {
		d.add("livekit", Failed, "a room cannot be joined: "+err.Error(), fmt.Sprintf("install LiveKit %s or later, and look at its log", embeddedVersion()))
		return
	}
	if tested := embeddedVersion(); olderThan(info.Version, tested) {
		d.add("livekit", Warned, fmt.Sprintf("its version is %s, this version of parley was tested with %s", info.Version, tested), "update LiveKit")
	} else {
		d.add("livekit", OK, "version "+info.Version, "")
	}
	if len(info.TURN) == 0 {
		d.add("turn", Warned, "LiveKit offers callers no TURN server", "configure TURN over TLS (turn in LiveKit's configuration) for callers whose firewall lets only port 443 through")
		return
	}
	d.add("turn", OK, "callers are offered "+strings.Join(info.TURN, ", "), "")
}

// embeddedVersion returns the version of LiveKit that this binary has in it; "" if it is not known.
func embeddedVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	i := slices.IndexFunc(info.Deps, func(m *debug.Module) bool { return m.Path == "github.com/livekit/livekit-server" })
	if i < 0 {
		return ""
	}
	return strings.TrimPrefix(info.Deps[i].Version, "v")
}

// olderThan compares major and minor version; false if either is not known.
func olderThan(version, tested string) bool {
	var major, minor, testedMajor, testedMinor int
	if _, err := fmt.Sscanf(version, "%d.%d", &major, &minor); err != nil {
		return false
	}
	if _, err := fmt.Sscanf(tested, "%d.%d", &testedMajor, &testedMinor); err != nil {
		return false
	}
	return major < testedMajor || major == testedMajor && minor < testedMinor
}

const (
	stunAttempts = 3
	stunTimeout  = 2 * time.Second // of an attempt
)

// publicAddress asks the STUN server at which address others see this machine.
func (d *doctor) publicAddress(ctx context.Context) {
	c := d.config
	if d.stun == "" || c.LiveKitURL != "" || !d.options.with("media") {
		return
	}
	told, err := c.NodeIP()
	if err != nil {
		return // check address reports it
	}
	local, seen, err := askSTUN(ctx, d.stun, c.RTCUDPPort)
	if err != nil {
		d.add("public address", Failed, "no answer from "+d.stun+" over UDP: "+err.Error(), "let the firewall pass UDP, or ask another STUN server")
		return
	}
	if seen.IP.String() != told {
		d.add("public address", Failed, fmt.Sprintf("others see this machine at %s, and callers are told to send media to %s", seen.IP, told),
			fmt.Sprintf("set PARLEY_RTC_NODE_IP=%s, and let the NAT forward UDP %d and TCP %d to this machine", seen.IP, c.RTCUDPPort, c.RTCTCPPort))
		return
	}
	if local == c.RTCUDPPort && seen.Port != local {
		d.add("public address", Warned, fmt.Sprintf("%s, but a NAT changes UDP port %d to %d", seen.IP, local, seen.Port), fmt.Sprintf("let the NAT forward UDP %d as it is", local))
		return
	}
	d.add("public address", OK, "others see this machine at "+seen.IP.String(), "")
}

// askSTUN sends a binding request (RFC 8489) from a UDP port, or from another one if that is in use, and returns the port and
// the address that the server saw.
func askSTUN(ctx context.Context, server string, port int) (local int, seen stun.XORMappedAddress, err error) {
	conn, err := net.ListenUDP("udp4", &net.UDPAddr{Port: port})
	if err != nil {
		if conn, err = net.ListenUDP("udp4", nil); err != nil {
			return 0, seen, err
		}
	}
	defer conn.Close()
	local = conn.LocalAddr().(*net.UDPAddr).Port
	to, err := net.ResolveUDPAddr("udp4", server)
	if err != nil {
		return local, seen, err
	}
	request, err := stun.Build(stun.TransactionID, stun.BindingRequest, stun.Fingerprint)
	if err != nil {
		return local, seen, err
	}
	buf := make([]byte, 1500)
	for range stunAttempts {
		if _, err = conn.WriteToUDP(request.Raw, to); err != nil {
			return local, seen, err
		}
		deadline := time.Now().Add(stunTimeout)
		if limit, ok := ctx.Deadline(); ok && limit.Before(deadline) {
			deadline = limit
		}
		if err = conn.SetReadDeadline(deadline); err != nil {
			return local, seen, err
		}
		for {
			var n int
			if n, _, err = conn.ReadFromUDP(buf); err != nil {
				break
			}
			answer := &stun.Message{Raw: append([]byte(nil), buf[:n]...)}
			if answer.Decode() == nil && answer.TransactionID == request.TransactionID && seen.GetFrom(answer) == nil {
				return local, seen, nil
			}
		}
	}
	return local, seen, err
}
