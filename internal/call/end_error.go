package call

import "time"

// endErrors returns the error-log entry of a call that the reaper ends because of the installation; none for other reasons.
func (r *reaper) endErrors(c *Call, reason Reason, now time.Time) []ErrorItem {
	var message string
	recovered, outage := r.database.Recovered()
	switch reason {
	case NoWorker:
		message = r.s.whyUnclaimed(c)
		if outage && c.JoinBy.Before(recovered.Add(takeoverGrace)) {
			message = "the database was unavailable while the call waited: " + message
		}
	case WorkerLost:
		message = "the worker of the call was lost, and no other worker continued the call"
		if outage && c.LeaseUntil.Before(recovered.Add(LeaseDuration)) {
			message = "the database was unavailable: " + message
		}
	case ConnectionLost:
		message = "the agent could not join the room in time"
	default:
		return nil
	}
	return []ErrorItem{{Service: "workflow", Level: LevelError, Message: message, CreatedAt: now}}
}

// whyUnclaimed returns why no worker has claimed a call, according to the load as last measured.
func (s *Service) whyUnclaimed(c *Call) string {
	if s.options.Obstacle != nil {
		if err := s.options.Obstacle(c.CallType); err != nil {
			return "no worker claimed the call: " + err.Error()
		}
	}
	switch l := s.Load(); {
	case l.Slots == 0:
		return "no worker was registered"
	case l.Free == 0:
		return "all workers were busy until the call timed out"
	}
	return "no worker claimed the call in time"
}
