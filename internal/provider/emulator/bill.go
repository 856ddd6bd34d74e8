package emulator

// Bill returns what the vendor has counted, by unit, each token once: input_tokens, cached_input_tokens, cache_write_tokens, output_tokens,
// input_audio_tokens, cached_input_audio_tokens, output_audio_tokens, characters, and samples of the caller's audio.
func (s *Server) Bill() map[string]int {
	s.mu.Lock()
	defer s.mu.Unlock()
	bill := make(map[string]int, len(s.bill))
	for unit, n := range s.bill {
		bill[unit] = n
	}
	return bill
}

// charge adds to the bill.
func (s *Server) charge(unit string, n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.bill == nil {
		s.bill = map[string]int{}
	}
	s.bill[unit] += n
}
