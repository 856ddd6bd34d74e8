package app

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"strings"
	"syscall"
	"time"

	"parley/internal/config"
	"parley/internal/media"
	"parley/internal/redis"
)

// Status is the result of a check of Diagnose.
type Status string

// The results. Only Failed keeps a server from working.
const (
	OK     Status = "ok"
	Warned Status = "warning"
	Failed Status = "failed"
)

// Finding is the result of one check.
type Finding struct {
	Check  string `json:"check"`
	Status Status `json:"status"`
	Found  string `json:"found"`
	Advice string `json:"advice,omitempty"` // what to do; "" where nothing is to be done
}

const (
	// doctorTimeout bounds each check.
	doctorTimeout = 10 * time.Second
	// lowDisk is the free space below which a warning is due, in bytes.
	lowDisk = 1 << 30
	// clockTolerance is how far clocks may differ: tokens and leases allow for a little.
	clockTolerance = 5 * time.Second
	// certificateDays is how long a certificate should still be valid.
	certificateDays = 14
	// fewFiles is the number of open files below which a server with many calls runs out.
	fewFiles = 4096
)

// doctor runs the checks of a configuration. It changes nothing.
type doctor struct {
	options  Options
	config   config.Server
	stun     string // host and port of a STUN server to ask; "" for none
	running  bool   // a server uses the data folder
	findings []Finding
}

// Diagnose checks what a server with these options needs, on this machine, while it runs or before it starts. stun is the host
// and port of a STUN server that is asked for this machine's public address; "" for none.
func Diagnose(ctx context.Context, o Options, stun string) []Finding {
	d := &doctor{options: o, config: o.Config, stun: stun}
	if err := d.config.Check(); err != nil {
		d.add("settings", Failed, err.Error(), "correct the setting (docs/configuration.md)")
		return d.findings // the other checks would be of other settings than the server's
	}
	d.add("settings", OK, "valid", "")
	d.running = d.inUse()
	for _, check := range []func(context.Context){d.disk, d.files, d.database, d.redis, d.listener, d.media, d.phone, d.address, d.publicAddress, d.certificate, d.bucket, d.providers} {
		limited, cancel := context.WithTimeout(ctx, doctorTimeout)
		check(limited)
		cancel()
	}
	return d.findings
}

func (d *doctor) add(check string, status Status, found, advice string) {
	d.findings = append(d.findings, Finding{check, status, strings.Join(strings.Fields(found), " "), advice})
}

// inUse reports whether a server holds the lock of the data folder.
func (d *doctor) inUse() bool {
	file, err := os.Open(d.config.Path("lock"))
	if err != nil {
		return false
	}
	defer file.Close()
	return syscall.Flock(int(file.Fd()), syscall.LOCK_SH|syscall.LOCK_NB) != nil
}

func (d *doctor) disk(context.Context) {
	folder := d.config.DataDir
	if _, err := os.Stat(folder); errors.Is(err, os.ErrNotExist) {
		d.add("disk", OK, folder+" is made at the first start", "")
		return
	}
	switch err, low := checkDisk(folder, leastFree), checkDisk(folder, lowDisk); {
	case err != nil:
		d.add("disk", Failed, err.Error(), "free space, or move PARLEY_DATA_DIR to another disk")
	case low != nil:
		d.add("disk", Warned, low.Error(), "free space before calls and recordings need it")
	default:
		d.add("disk", OK, "PARLEY_DATA_DIR has more than 1 GB free", "")
	}
}

func (d *doctor) files(context.Context) {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err == nil && limit.Max < fewFiles {
		d.add("open files", Warned, fmt.Sprintf("the process may open %d files", limit.Max), "raise the limit (LimitNOFILE of systemd, ulimit -n): each call and connection takes some")
	}
}

func (d *doctor) redis(ctx context.Context) {
	if d.config.RedisURL == "" {
		return
	}
	client, err := redis.Open(ctx, d.config.RedisURL)
	if err != nil {
		d.add("redis", Failed, "REDIS_URL: "+err.Error(), "start Redis, or correct address and password; without REDIS_URL a single server needs none")
		return
	}
	_ = client.Close()
	d.add("redis", OK, "answers", "")
}

// listener checks the HTTP listener: that of the running server, or whether its address is free.
func (d *doctor) listener(ctx context.Context) {
	if d.running {
		status, _, err := get(ctx, "http://"+onThisMachine(d.config.Addr)+"/health/ready")
		switch {
		case err != nil:
			d.add("http", Failed, "a server uses the data folder, and does not answer at PARLEY_ADDR: "+err.Error(), "run the doctor with the server's settings; if they are the same, look at the server's log")
		case status != http.StatusOK:
			d.add("http", Failed, fmt.Sprintf("the running server answers /health/ready with %d", status), "its /health says which part fails")
		default:
			d.add("http", OK, "the running server is ready", "")
		}
		return
	}
	listener, err := net.Listen("tcp", d.config.Addr)
	if err != nil {
		d.add("http", Failed, "PARLEY_ADDR: "+err.Error(), "choose another address, or end the program that has this one")
		return
	}
	listener.Close()
	d.add("http", OK, d.config.Addr+" is free", "")
}

// onThisMachine returns the address at which this machine reaches a listener.
func onThisMachine(listener string) string {
	host, port, _ := net.SplitHostPort(listener) // validated by Check
	if ip := net.ParseIP(host); host == "" || ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return net.JoinHostPort(host, port)
}

// media checks the ports of the embedded media server, or the outside LiveKit.
func (d *doctor) media(ctx context.Context) {
	c := d.config
	switch {
	case c.LiveKitURL != "":
		d.liveKit(ctx)
	case !d.options.with("media"):
	case d.running:
		d.add("media", OK, "the running server has the ports", "")
	default:
		options, err := embeddedOptions(c)
		if err == nil {
			err = options.Check()
		}
		if err != nil {
			d.add("media", Failed, err.Error(), "choose other ports, or end the program that has these")
			return
		}
		ports := fmt.Sprintf("%d (UDP)", c.RTCUDPPort)
		if !options.LoopbackOnly { // with which callers on this machine need no TCP
			ports = fmt.Sprintf("%d (TCP) and ", c.RTCTCPPort) + ports
		}
		d.add("media", OK, "free: "+ports, "")
	}
}

func (d *doctor) liveKit(ctx context.Context) {
	c := d.config
	_, date, err := get(ctx, "http"+strings.TrimPrefix(websocket(c.LiveKitURL), "ws"))
	if err != nil {
		d.add("livekit", Failed, "LIVEKIT_URL: "+err.Error(), "start LiveKit, correct the address, or open the firewall to it")
		return
	}
	if _, err := media.NewRooms(c.LiveKitURL, c.LiveKitAPIKey, c.LiveKitAPISecret).List(ctx, "health"); err != nil {
		d.add("livekit", Failed, "it answers, but not to LIVEKIT_API_KEY: "+err.Error(), "set key and secret as in LiveKit's configuration (keys)")
		return
	}
	d.add("livekit", OK, "answers, and accepts the API key", "")
	if c.LiveKitAPIKey != embeddedKey { // which is another Parley
		d.inspectLiveKit(ctx)
	}
	if at, err := http.ParseTime(date); err == nil {
		d.clock("LiveKit's clock", at)
	}
}

// clock compares another clock with this machine's.
func (d *doctor) clock(whose string, at time.Time) {
	if off := time.Since(at); off.Abs() > clockTolerance {
		d.add("clock", Failed, fmt.Sprintf("%s differs from this machine's by %v", whose, off.Round(time.Second)), "synchronise both with NTP (timedatectl): tokens and leases depend on it")
		return
	}
	d.add("clock", OK, whose+" agrees with this machine's", "")
}

// phone checks the ports of the SIP gateway.
func (d *doctor) phone(context.Context) {
	c := d.config
	if !d.options.hasGateway() || d.running {
		return
	}
	options, err := gatewayOptions(c)
	if err == nil {
		err = options.Check()
	}
	if err != nil {
		d.add("sip", Failed, err.Error(), "correct the setting: choose another port, or end the program that has this one")
		return
	}
	from, to, err := c.RTPPorts()
	if err != nil {
		d.add("sip", Failed, err.Error(), "correct PARLEY_SIP_RTP_PORTS")
		return
	}
	taken := 0
	for _, port := range []int{from, (from + to) / 2, to} {
		conn, err := net.ListenUDP("udp", &net.UDPAddr{Port: port})
		if err != nil {
			taken++
			continue
		}
		conn.Close()
	}
	if taken > 0 {
		d.add("sip", Warned, fmt.Sprintf("of three ports of PARLEY_SIP_RTP_PORTS that were tried, other programs have %d", taken), "choose a range that nothing else uses")
		return
	}
	d.add("sip", OK, fmt.Sprintf("ports for signalling and %d-%d (UDP) are free", from, to), "")
}

// address checks the address that callers send media to. It cannot detect firewalls between callers and that address.
func (d *doctor) address(context.Context) {
	c := d.config
	if c.LiveKitURL != "" || !d.options.with("media") || c.Private() {
		return
	}
	text, err := c.NodeIP()
	if err != nil {
		d.add("address", Failed, err.Error(), "set PARLEY_RTC_NODE_IP to the address at which callers reach this machine")
		return
	}
	ports := fmt.Sprintf("UDP %d and TCP %d", c.RTCUDPPort, c.RTCTCPPort)
	ip, err := netip.ParseAddr(text)
	switch {
	case err != nil || ip.IsLoopback():
		d.add("address", Failed, "callers are told to send media to "+text, "set PARLEY_RTC_NODE_IP to the address at which callers reach this machine")
	case ip.IsPrivate():
		d.add("address", Warned, "callers are told to send media to "+text+", a private address", "for callers from the internet set PARLEY_RTC_NODE_IP to the public one, and forward "+ports)
	case !ofThisMachine(ip):
		d.add("address", Warned, text+" is not an address of this machine", "let the NAT forward "+ports+" to this machine, and the firewall pass them")
	default:
		d.add("address", OK, "callers send media to "+text+"; the firewall must pass "+ports, "")
	}
}

// ofThisMachine reports whether an address is one of this machine.
func ofThisMachine(ip netip.Addr) bool {
	addresses, err := net.InterfaceAddrs()
	if err != nil {
		return false
	}
	for _, a := range addresses {
		if prefix, err := netip.ParsePrefix(a.String()); err == nil && prefix.Addr() == ip {
			return true
		}
	}
	return false
}

// certificate checks PARLEY_PUBLIC_URL.
func (d *doctor) certificate(ctx context.Context) {
	if d.config.Private() {
		return
	}
	u, err := url.Parse(d.config.Public())
	if err != nil {
		return // Check has parsed it
	}
	if u.Scheme != "https" {
		d.add("certificate", Warned, "PARLEY_PUBLIC_URL is not https", "put a proxy with a certificate in front: browsers give a page the microphone only over https")
		return
	}
	address := u.Host
	if u.Port() == "" {
		address = net.JoinHostPort(u.Hostname(), "443")
	}
	conn, err := (&tls.Dialer{}).DialContext(ctx, "tcp", address)
	if err != nil {
		var invalid *tls.CertificateVerificationError
		if errors.As(err, &invalid) {
			d.add("certificate", Failed, "PARLEY_PUBLIC_URL: "+err.Error(), "install a certificate for "+u.Hostname()+" that browsers trust, with its intermediate certificates")
			return
		}
		d.add("certificate", Failed, "PARLEY_PUBLIC_URL is not reachable from this machine: "+err.Error(), "check DNS, the proxy and the firewall; some NATs let a machine not reach its own public address")
		return
	}
	defer conn.Close()
	days := int(time.Until(conn.(*tls.Conn).ConnectionState().PeerCertificates[0].NotAfter).Hours() / 24)
	if days < certificateDays {
		d.add("certificate", Warned, fmt.Sprintf("the certificate of %s expires in %d days", u.Hostname(), days), "renew it, and see why that did not happen by itself")
		return
	}
	d.add("certificate", OK, fmt.Sprintf("valid for %s, for %d days", u.Hostname(), days), "")
}

func (d *doctor) bucket(ctx context.Context) {
	c := d.config
	if c.RecordingBucket == "" {
		return
	}
	bucket, err := newBucket(c.Bucket)
	if err == nil {
		err = bucket.Check(ctx)
	}
	if err != nil {
		d.add("bucket", Failed, "PARLEY_RECORDING_BUCKET: "+err.Error(), "correct the bucket's name, region, endpoint or credentials")
		return
	}
	d.add("bucket", OK, "answers", "")
}

func (d *doctor) providers(context.Context) {
	var with []string
	for _, account := range d.config.Accounts() {
		if account.Key != "" {
			with = append(with, account.Vendor)
		}
	}
	if len(with) == 0 {
		d.add("providers", Warned, "the platform has no vendor's key", "set keys such as DEEPGRAM_API_KEY, unless tenants have their own or agents use the offline providers")
		return
	}
	d.add("providers", OK, "keys of "+strings.Join(with, ", "), "")
}

// get returns an answer's status and date.
func get(ctx context.Context, address string) (status int, date string, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return 0, "", err
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, "", err
	}
	defer answer.Body.Close()
	return answer.StatusCode, answer.Header.Get("Date"), nil
}
