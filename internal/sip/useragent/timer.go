package useragent

import (
	"fmt"
	"time"

	"github.com/emiago/sipgo/sip"

	"parley/internal/sip/negotiation"
)

// sessionTimer ends a call whose peer has vanished (RFC 4028): one side refreshes the session, the other expects it.
type sessionTimer struct {
	interval  time.Duration // 0 without a timer
	least     time.Duration // that the peer wants
	refreshes bool          // this side does
	timer     *time.Timer
}

func (s *sessionTimer) stop() {
	if s.timer != nil {
		s.timer.Stop()
	}
}

// tooShort reports whether a request asks for an interval below a limit.
func (s *sessionTimer) tooShort(r *sip.Request, least time.Duration) bool {
	interval, _, ok := seconds(value(r, "Session-Expires"))
	return ok && interval < least && lists(r, "Supported", "timer")
}

// negotiate settles the timer for a request of the peer, and returns the headers of its 2xx.
func (s *sessionTimer) negotiate(c *Call, r *sip.Request) []sip.Header {
	interval, params, asked := seconds(value(r, "Session-Expires"))
	supports := lists(r, "Supported", "timer") || c.peer.timer
	switch {
	case asked:
		s.interval = max(interval, c.options.minInterval())
		s.refreshes = params["refresher"] == "uas" || params["refresher"] == "" && !supports
	case !supports:
		s.interval = 0
		return nil
	case s.interval == 0:
		s.interval, s.refreshes = c.options.interval(), true
	}
	if s.refreshes {
		return []sip.Header{expires(s.interval, "uas")}
	}
	return []sip.Header{expires(s.interval, "uac"), sip.NewHeader("Require", "timer")}
}

func expires(interval time.Duration, refresher string) sip.Header {
	text := fmt.Sprint(int(interval.Seconds()))
	if refresher != "" {
		text += ";refresher=" + refresher
	}
	return sip.NewHeader("Session-Expires", text)
}

// ask adds the headers to a request of this side that begins or renews the session.
func (s *sessionTimer) ask(c *Call, r *sip.Request) {
	interval, refresher := s.interval, "uac"
	switch {
	case c.state() != stateActive:
		interval, refresher = c.options.interval(), ""
	case interval == 0:
		return
	case !s.refreshes:
		refresher = "uas"
	}
	least := max(s.least, c.options.minInterval())
	r.AppendHeader(expires(max(interval, least), refresher))
	r.AppendHeader(sip.NewHeader("Min-SE", fmt.Sprint(int(least.Seconds()))))
}

// raise takes the least interval of a 422. It reports false if that is no more than what was asked for.
func (s *sessionTimer) raise(res *sip.Response) bool {
	least, _, ok := seconds(value(res, "Min-SE"))
	if !ok || least <= s.least || least > 24*time.Hour {
		return false
	}
	s.least, s.interval = least, max(s.interval, least)
	return true
}

// adopt takes the timer that a 2xx has settled.
func (s *sessionTimer) adopt(res *sip.Response) {
	interval, params, ok := seconds(value(res, "Session-Expires"))
	if !ok {
		s.interval = 0
		return
	}
	s.interval = max(interval, 10*time.Second)
	s.refreshes = params["refresher"] != "uas"
}

// start begins the interval anew.
func (s *sessionTimer) start(c *Call) {
	s.stop()
	switch {
	case s.interval == 0 || c.state() != stateActive:
	case s.refreshes:
		s.timer = c.after(s.interval/2, func() { s.refresh(c) })
	default:
		s.timer = c.after(s.interval-min(32*time.Second, s.interval/3), func() { s.expire(c) })
	}
}

func (s *sessionTimer) expire(c *Call) {
	c.hangUp(End{Cause: Expired}, Reason{"SIP", 408, "Session expired"})
}

// refresh renews the session by an UPDATE, or by a re-INVITE with the last description.
func (s *sessionTimer) refresh(c *Call) {
	if c.state() != stateActive {
		return
	}
	if !c.peer.update {
		c.reinvite(c.session.Refresh, func(_ negotiation.Stream, err error) {
			if err != nil && c.state() == stateActive {
				s.timer = c.after(s.interval/3, func() { s.expire(c) })
			}
		})
		return
	}
	r := c.newRequest(sip.UPDATE)
	r.AppendHeader(sip.NewHeader("Supported", supported))
	s.ask(c, r)
	c.request(r, func(res *sip.Response, err error) {
		status := 0
		if err != nil {
			status = errorStatus(err)
		} else {
			status = res.StatusCode
		}
		switch {
		case c.state() != stateActive:
		case status < 300:
			c.alive()
			c.retarget(res)
			s.adopt(res)
			s.start(c)
		case status == 422 && s.raise(res):
			s.refresh(c)
		case status == 408, status == 481:
			c.hangUp(End{Cause: Expired, Status: status}, Reason{"SIP", status, Phrase(status)})
		case status == 491, status == 500:
			s.timer = c.after(glareDelay(c), func() { s.refresh(c) })
		default:
			c.peer.update = false
			s.refresh(c)
		}
	})
}
