package transfer

import (
	"slices"
	"strings"
	"unicode"
)

// The keys with which a person accepts or declines.
const (
	AcceptKey  = '1'
	DeclineKey = '2'
)

// declining and accepting are words of a person who is asked whether they take a call. A phrase of several words counts where they
// follow each other.
var (
	declining = []string{
		"no", "not", "don't", "can't", "cannot", "won't", "decline", "busy", "later", "nobody", "reject",
		"nein", "nicht", "nee", "ablehnen", "später", "keine zeit",
		"non", "pas", "refuse", "plus tard",
		"rechazar", "ahora no", "ocupado", "ocupada", "más tarde",
		"rifiuto", "occupato", "occupata", "più tardi",
		"não", "recuso", "mais tarde",
		"niet", "weiger",
		"nie", "odrzuć", "później",
	}
	accepting = []string{
		"yes", "yeah", "yep", "sure", "okay", "ok", "accept", "alright", "all right", "go ahead", "of course", "put them through", "put him through", "put her through", "connect",
		"ja", "jawohl", "gerne", "klar", "annehmen", "in ordnung", "durchstellen", "verbinden",
		"oui", "d'accord", "bien sûr", "j'accepte", "allez-y",
		"sí", "vale", "claro", "de acuerdo", "acepto", "adelante",
		"sì", "certo", "va bene", "accetto",
		"sim", "claro que sim", "aceito", "tudo bem",
		"prima", "akkoord", "verbind",
		"tak", "dobrze", "jasne", "zgoda",
	}
)

// agreements are words of agreement that begin with one that declines.
var agreements = strings.NewReplacer("’", "'", "no problem", "sure", "kein problem", "klar", "pas de problème", "oui", "nessun problema", "certo", "geen probleem", "prima")

// Reply returns what a person's words say, PersonAccepted or PersonDeclined; 0 if they say neither. Declining words count first.
func Reply(text string) Event {
	words := strings.FieldsFunc(agreements.Replace(strings.ToLower(text)), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '\'' && r != '-'
	})
	switch {
	case slices.ContainsFunc(declining, in(words)):
		return PersonDeclined
	case slices.ContainsFunc(accepting, in(words)):
		return PersonAccepted
	}
	return 0
}

// in returns a function that reports whether a phrase is in words.
func in(words []string) func(phrase string) bool {
	return func(phrase string) bool {
		wanted := strings.Fields(phrase)
		for at := range words {
			if at+len(wanted) <= len(words) && slices.Equal(words[at:at+len(wanted)], wanted) {
				return true
			}
		}
		return false
	}
}
