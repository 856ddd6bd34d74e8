package sip

const (
	signalLoggingFeatureFlag        = "sip.signal_logging"
	outboundRouteHeadersFeatureFlag = "sip.outbound_route_headers"
)
