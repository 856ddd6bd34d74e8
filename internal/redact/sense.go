package redact

import (
	"strings"
	"unicode"
)

// sense is the meaning of a number according to the words before it.
type sense int

const (
	unsaid sense = iota
	calls        // a phone number
	names        // the number of an order, a ticket, an account
)

// lookBack limits how far before a number words are read, in bytes.
const lookBack = 80

// sense reads the words before the run, nearest first. "Number" alone means a phone number, unless a word close
// before it says otherwise.
func (r run) sense() sense {
	start := r.groups[0].start
	before := r.text[max(0, start-lookBack):start]
	if len(before) < lookBack {
		before = r.before + before
	}
	return said(before)
}

// said returns the meaning that the words before a number imply.
func said(before string) sense {
	before = strings.ToLower(before)
	if strings.HasSuffix(strings.TrimRight(before, " "), "#") {
		return names
	}
	words := strings.FieldsFunc(before, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) })
	number := 0
	for i := len(words) - 1; i >= 0; i-- {
		w := words[i]
		switch {
		case phoneWords[w]:
			return calls
		case nameWords[w]:
			return names
		case number == 0 && numberWords[w] && i+1 < len(words) && ofWords[words[i+1]]: // the number of visitors
			return unsaid
		case number == 0 && numberWords[w]:
			number = 4
		case number == 0 && (strings.HasSuffix(w, "nummer") || strings.HasSuffix(w, "nr")): // a compound, in German
			return names
		}
		if number > 0 {
			if number--; number == 0 {
				return calls
			}
		}
	}
	if number > 0 {
		return calls
	}
	return unsaid
}

var (
	phoneWords = set(`phone phones telephone cell cellphone mobile landline fax whatsapp tel call calls called calling callback dial dialed dialled ring reach sms plus
		telefon telefonnummer handy handynummer mobil mobilnummer rufnummer faxnummer festnetz festnetznummer anrufen anruf rückruf rückrufnummer rufen erreichbar erreichen
		teléfono telefono móvil movil celular llamar llame llámame llámeme whatsap téléphone telephone portable appeler appelez rappeler cellulare`)
	nameWords = set(`order orders invoice booking reservation ticket tracking reference ref confirmation case account customer policy serial sku isbn ean item article id ids
		parcel shipment transaction contract member membership claim code version model part receipt timestamp epoch amount price total balance
		bestellung auftrag rechnung buchung kunde vorgang artikel referenz vertrag konto betrag preis sendung
		pedido factura reserva referencia cliente cuenta contrato precio commande facture réservation référence client compte contrat prix`)
	ofWords     = set(`of von der de di`)
	numberWords = set(`number numbers nummer número numéro no nr num`)
)

func set(words string) map[string]bool {
	s := map[string]bool{}
	for _, w := range strings.Fields(words) {
		s[w] = true
	}
	return s
}
