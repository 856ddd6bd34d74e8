package metrics

import (
	"github.com/prometheus/client_golang/prometheus"

	"parley/internal/audio"
)

// qualitySeries are the quality of the audio of phone calls, one observation for each call and direction.
type qualitySeries struct {
	loss, jitter, mos *prometheus.HistogramVec
	roundTrip         prometheus.Histogram
}

// The directions of a phone call's audio.
const (
	received = "received" // from the phone
	sent     = "sent"     // to the phone
)

func newQualitySeries() *qualitySeries {
	s := &qualitySeries{
		loss: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "sip_packet_loss_ratio", Help: "Part of a phone call's RTP packets that was lost, 0 to 1, at the end of the call, by direction: received from the phone, or sent to it.",
			Buckets: []float64{0, .001, .0025, .005, .01, .02, .03, .05, .1, .2, .5},
		}, []string{"direction"}),
		jitter: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "sip_jitter_seconds", Help: "Interarrival jitter of a phone call's RTP packets at the end of the call, by direction.",
			Buckets: []float64{.001, .0025, .005, .01, .02, .03, .05, .1, .2},
		}, []string{"direction"}),
		mos: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "sip_mos", Help: "Estimated mean opinion score of a phone call's audio, 1 to 4.5, at the end of the call, by direction.",
			Buckets: []float64{1.5, 2, 2.5, 3, 3.25, 3.5, 3.75, 4, 4.2, 4.3, 4.4},
		}, []string{"direction"}),
		roundTrip: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "sip_round_trip_seconds", Help: "Round-trip time between the SIP gateway and the phone at the end of a call, of phones that send RTCP reports.",
			Buckets: []float64{.01, .025, .05, .1, .15, .2, .3, .5, 1},
		}),
	}
	for _, direction := range []string{received, sent} {
		s.loss.WithLabelValues(direction)
		s.jitter.WithLabelValues(direction)
		s.mos.WithLabelValues(direction)
	}
	return s
}

// PhoneQuality observes the quality of a phone call's audio. What is not known is left out.
func (m *Metrics) PhoneQuality(tenantID string, q audio.Quality) {
	for _, s := range m.of(tenantID) {
		s.quality.observe(received, q.Received)
		s.quality.observe(sent, q.Sent)
		if q.RoundTripMS != nil {
			s.quality.roundTrip.Observe(*q.RoundTripMS / 1000)
		}
	}
}

func (s *qualitySeries) observe(direction string, d audio.DirectionQuality) {
	if ratio, known := d.LossRatio(); known {
		s.loss.WithLabelValues(direction).Observe(ratio)
	}
	if d.JitterMS != nil {
		s.jitter.WithLabelValues(direction).Observe(*d.JitterMS / 1000)
	}
	if d.MOS != nil {
		s.mos.WithLabelValues(direction).Observe(*d.MOS)
	}
}
