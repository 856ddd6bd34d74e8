package sippeer

import (
	"crypto/x509"
	"fmt"
	"net"
	"strconv"
	"testing"

	"parley/e2e/binary"
)

// ProxyOptions are those of a proxy between a gateway and phones.
type ProxyOptions struct {
	Number    string // whose calls go to the gateway; all others go to the phone
	Gateway   string // host:port
	Transport string // to the gateway: udp or tcp
	Phone     string // host:port, over UDP
	Secure    bool   // SRTP on the gateway's side, RTP on the phone's
}

// Proxy is kamailio, which records its route and has rtpengine relay the audio in user space.
type Proxy struct {
	*Peer
	Address, TLSAddress string         // host:port
	Roots               *x509.CertPool // of its certificate, for the name localhost
	media               *Peer
}

// proxySettings has the places of: UDP and TCP port, TLS port, rtpengine's port, the flags for audio to the gateway and to the phone,
// the number, the gateway's URI, the phone's URI.
const proxySettings = `debug=1
log_stderror=yes
fork=yes
children=1
tcp_children=1
auto_aliases=no
tcp_accept_aliases=yes
enable_tls=yes
listen=udp:127.0.0.1:%[1]d
listen=tcp:127.0.0.1:%[1]d
listen=tls:127.0.0.1:%[2]d
loadmodule "tls.so"
loadmodule "tm.so"
loadmodule "sl.so"
loadmodule "rr.so"
loadmodule "pv.so"
loadmodule "maxfwd.so"
loadmodule "textops.so"
loadmodule "siputils.so"
loadmodule "rtpengine.so"
modparam("tls", "tls_method", "TLSv1.2+")
modparam("tls", "certificate", "certificate.pem")
modparam("tls", "private_key", "key.pem")
modparam("rr", "enable_double_rr", 1)
modparam("rtpengine", "rtpengine_sock", "udp:127.0.0.1:%[3]d")

request_route {
	if (!mf_process_maxfwd_header("10")) {
		sl_send_reply("483", "Too Many Hops");
		exit;
	}
	if (is_method("CANCEL")) {
		if (t_check_trans()) t_relay();
		exit;
	}
	if (has_totag()) {
		if (loose_route()) {
			route(RELAY);
		}
		if (is_method("ACK") && t_check_trans()) {
			t_relay();
			exit;
		}
		sl_send_reply("404", "Not Here");
		exit;
	}
	t_check_trans();
	record_route();
	if ($rU == "%[6]s") {
		$du = "%[7]s";
	} else {
		$du = "%[8]s";
	}
	route(RELAY);
}

# The gateway is known by its User-Agent header; its own requests go to the phone.
route[RELAY] {
	if ($ua == "Parley") {
		rtpengine_manage("replace-origin replace-session-connection ICE=remove %[5]s");
	} else {
		rtpengine_manage("replace-origin replace-session-connection ICE=remove %[4]s");
	}
	t_on_reply("MEDIA");
	t_relay();
	exit;
}

onreply_route[MEDIA] {
	rtpengine_manage("replace-origin replace-session-connection ICE=remove");
}
`

// StartProxy starts a proxy.
func StartProxy(t *testing.T, o ProxyOptions) *Proxy {
	t.Helper()
	ports, err := binary.FreePortRow(4) // SIP, SIP over TLS, two of rtpengine
	if err != nil {
		t.Fatal(err)
	}
	const relayed = 40
	audioPorts, err := binary.FreePortRow(relayed)
	if err != nil {
		t.Fatal(err)
	}
	p := &Proxy{Address: net.JoinHostPort("127.0.0.1", strconv.Itoa(ports)), TLSAddress: net.JoinHostPort("localhost", strconv.Itoa(ports+1))}
	p.media = launch(t, t.TempDir(), nil, "rtpengine", "--foreground", "--log-stderr", "--log-level=5", "--config-file=none", "--table=-1", "--interface=127.0.0.1",
		fmt.Sprintf("--listen-ng=127.0.0.1:%d", ports+2), fmt.Sprintf("--listen-cli=127.0.0.1:%d", ports+3), fmt.Sprintf("--port-min=%d", audioPorts), fmt.Sprintf("--port-max=%d", audioPorts+relayed-1))
	p.media.awaitListening(t, net.JoinHostPort("127.0.0.1", strconv.Itoa(ports+3)))
	toGateway, toPhone := "RTP/AVP", "RTP/AVP"
	if o.Secure {
		toGateway = "RTP/SAVP DTLS=off"
	}
	certificate, key, roots := Certify(t, "localhost")
	p.Roots = roots
	settings := fmt.Sprintf(proxySettings, ports, ports+1, ports+2, toGateway, toPhone, o.Number, "sip:"+o.Gateway+";transport="+o.Transport, "sip:"+o.Phone)
	dir := t.TempDir()
	p.Peer = launch(t, dir, map[string]string{"kamailio.cfg": settings, "certificate.pem": certificate, "key.pem": key},
		"kamailio", "-DD", "-E", "-m", "32", "-M", "4", "-w", dir, "-Y", dir, "-f", "kamailio.cfg")
	p.awaitListening(t, p.Address)
	return p
}
