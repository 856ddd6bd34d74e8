package metrics

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Backlog is the open webhook deliveries of all nodes, without those of disabled webhooks.
type Backlog struct {
	Waiting  int64         // for their first or next attempt
	InFlight int64         // under the lease of a node that makes an attempt
	Oldest   time.Duration // age of the oldest, 0 when there is none
	Overdue  time.Duration // how long the one that is due first has been due, 0 when none is due
}

// Backlog registers a function that returns the backlog, false while it is unknown.
func (m *Metrics) Backlog(read func() (Backlog, bool)) {
	describe := func(name, help string) *prometheus.Desc { return prometheus.NewDesc(name, help, nil, nil) }
	waiting := describe("webhook_deliveries_waiting", "Webhook deliveries of all nodes that wait for an attempt.")
	inFlight := describe("webhook_deliveries_in_flight", "Webhook deliveries of all nodes that a node holds under a lease.")
	oldest := describe("webhook_deliveries_oldest_seconds", "Age of the oldest webhook delivery that is not over.")
	overdue := describe("webhook_deliveries_overdue_seconds", "How long the webhook delivery that is due first has been due.")
	m.all.registry.MustRegister(collector{[]*prometheus.Desc{waiting, inFlight, oldest, overdue}, func(ch chan<- prometheus.Metric) {
		b, known := read()
		if !known {
			return
		}
		gauge := func(d *prometheus.Desc, value float64) {
			ch <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, value)
		}
		gauge(waiting, float64(b.Waiting))
		gauge(inFlight, float64(b.InFlight))
		gauge(oldest, b.Oldest.Seconds())
		gauge(overdue, b.Overdue.Seconds())
	}})
}

// Pool is a pool of connections to the database.
type Pool struct {
	Name             string
	InUse, Idle, Max int
	Waits            int64         // how often a caller waited for a connection
	Wait             time.Duration // total waiting time
}

// Database registers a function that returns the process's connection pools.
func (m *Metrics) Database(read func() []Pool) {
	describe := func(name, help string, labels ...string) *prometheus.Desc {
		return prometheus.NewDesc(name, help, append([]string{"pool"}, labels...), nil)
	}
	connections := describe("database_connections", "Connections of this process to the database.", "state")
	most := describe("database_connections_max", "Connections that this process may have.")
	waits := describe("database_connection_waits_total", "How often a transaction waited for a connection.")
	waited := describe("database_connection_wait_seconds_total", "How long transactions waited for connections.")
	m.all.registry.MustRegister(collector{[]*prometheus.Desc{connections, most, waits, waited}, func(ch chan<- prometheus.Metric) {
		for _, p := range read() {
			ch <- prometheus.MustNewConstMetric(connections, prometheus.GaugeValue, float64(p.InUse), p.Name, "in_use")
			ch <- prometheus.MustNewConstMetric(connections, prometheus.GaugeValue, float64(p.Idle), p.Name, "idle")
			ch <- prometheus.MustNewConstMetric(most, prometheus.GaugeValue, float64(p.Max), p.Name)
			ch <- prometheus.MustNewConstMetric(waits, prometheus.CounterValue, float64(p.Waits), p.Name)
			ch <- prometheus.MustNewConstMetric(waited, prometheus.CounterValue, p.Wait.Seconds(), p.Name)
		}
	}})
}

// DeliveryEnded counts a webhook delivery that was delivered or failed.
func (m *Metrics) DeliveryEnded(tenantID, status string) {
	for _, s := range m.of(tenantID) {
		s.deliveries.WithLabelValues(status).Inc()
	}
}

// collector reads values on demand.
type collector struct {
	descriptions []*prometheus.Desc
	collect      func(chan<- prometheus.Metric)
}

// Describe implements prometheus.Collector.
func (c collector) Describe(ch chan<- *prometheus.Desc) {
	for _, d := range c.descriptions {
		ch <- d
	}
}

// Collect implements prometheus.Collector.
func (c collector) Collect(ch chan<- prometheus.Metric) { c.collect(ch) }
