package media

import (
	"context"
	"encoding/binary"
	"fmt"
	"net"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

// Callers on other machines reach the media port at one address of this machine, that of NodeIP: with several, the server would
// receive a caller's media on an arbitrary one. Agents reach it as well.
func TestCallersOfOtherMachines(t *testing.T) {
	const elsewhere = "192.0.2.1" // of those for documentation
	own := sourceOf(elsewhere)
	nodes := map[string]string{"its own address": own.String(), "an address that is translated to it": elsewhere}
	if own == nil { // without network, a machine has this address alone
		own = net.IPv4(127, 0, 0, 1)
		nodes = map[string]string{"its own address": own.String()}
	}
	for name, node := range nodes {
		t.Run(name, func(t *testing.T) {
			o := EmbeddedOptions{NodeIP: node, Key: testKey, Secret: testSecret}
			if err := o.reservePorts(); err != nil {
				t.Fatal(err)
			}
			s, err := StartEmbedded(t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			defer func() {
				if err := s.Stop(context.Background()); err != nil {
					t.Error(err)
				}
			}()
			if got, want := listeners(t, o.UDPPort), []string{own.String()}; !slices.Equal(got, want) {
				t.Errorf("media on %v, want %v", got, want)
			}
			if err := NewRooms(s.URL(), testKey, testSecret).Create(t.Context(), "room", RoomOptions{EmptyTimeout: time.Minute, DepartureTimeout: time.Minute}); err != nil {
				t.Fatal(err)
			}
			token, err := tokens.Agent("room", "agent", time.Now(), time.Minute)
			if err != nil {
				t.Fatal(err)
			}
			agent, err := NewEmbeddedJoiner(nil).Join(t.Context(), JoinOptions{URL: s.URL(), Token: token, Agent: true})
			if err != nil {
				t.Fatal(err)
			}
			agent.Leave()
		})
	}
}

// listeners are the IPv4 addresses at which somebody has a UDP port.
func listeners(t *testing.T, port int) (addresses []string) {
	t.Helper()
	sockets, err := os.ReadFile("/proc/net/udp")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(sockets)) {
		var number, address, at uint32
		if _, err := fmt.Sscanf(strings.TrimSpace(line), "%d: %X:%X", &number, &address, &at); err == nil && int(at) == port {
			addresses = append(addresses, net.IP(binary.NativeEndian.AppendUint32(nil, address)).String())
		}
	}
	return addresses
}
