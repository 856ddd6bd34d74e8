package client

// The classes of who answers a phone call that is dialled.
const (
	AnsweredHuman       = "human"
	AnsweredVoicemail   = "voicemail"
	AnsweredMailboxFull = "mailbox_full" // a mailbox that takes no message
	AnsweredScreening   = "screening"    // an assistant that asks who is calling
	AnsweredMenu        = "menu"
	AnsweredFax         = "fax"
	AnsweredSilence     = "silence"
	AnsweredUnknown     = "unknown"
)

// AnsweredBy is who answered a phone call that was dialled.
type AnsweredBy struct {
	Class      string  `json:"class"`
	Confidence float64 `json:"confidence"` // 0 to 1
	Cause      string  `json:"cause"`      // what decided, such as phrase or short_greeting
	AfterMS    int64   `json:"after_ms"`   // from the answer to the decision
}

// AnswerEvidence is what one layer of the detection found.
type AnswerEvidence struct {
	Layer string `json:"layer"` // tones, timing, phrases, model or clock
	AnsweredBy
	Detail string `json:"detail"` // the phrase, the tone or the duration
}

// AnswerDetection is how an agent finds out who answers a phone call that it places. Fields that are nil have their defaults.
type AnswerDetection struct {
	Enabled    bool                           `json:"enabled,omitempty"`
	WindowMS   *int                           `json:"window_ms,omitempty"`    // 1200 to 30000; 6000
	NoSpeechMS *int                           `json:"no_speech_ms,omitempty"` // 1000 to 30000; 5000
	OnTimeout  string                         `json:"on_timeout,omitempty"`   // human, voicemail or unknown; human
	Phrases    map[string]map[string][]string `json:"phrases,omitempty"`      // by language and class
	LLM        bool                           `json:"llm,omitempty"`          // ask the agent's model where the rest disagrees
	Actions    map[string]AnswerAction        `json:"actions,omitempty"`      // by class; continue
}

// AnswerAction is what an agent does when a class has answered.
type AnswerAction struct {
	Do         string `json:"do"`                    // continue, end, leave_message, identify or navigate
	Text       string `json:"text,omitempty"`        // of leave_message
	After      string `json:"after,omitempty"`       // of leave_message: beep or silence; beep
	MaxWaitMS  *int   `json:"max_wait_ms,omitempty"` // of leave_message: 1000 to 120000; 30000
	Name       string `json:"name,omitempty"`        // of identify: who is calling
	Purpose    string `json:"purpose,omitempty"`     // of identify: why
	Goal       string `json:"goal,omitempty"`        // of navigate
	MaxPresses *int   `json:"max_presses,omitempty"` // of navigate: 1 to 50; 10
	MaxS       *int   `json:"max_s,omitempty"`       // of navigate: 10 to 600; 120
}
