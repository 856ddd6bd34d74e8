package provider

import "strings"

// languages is the language support of a family of models, by BCP 47 tag. Without codes every language is assumed to be known.
type languages struct {
	// codes are the codes of the vendor's API.
	codes string
	// aliases maps unsupported tags, in lower case, to equivalent codes.
	aliases map[string]string
	// multiple is the code for several languages at once, and recognised are the languages that only it supports.
	multiple, recognised string
	// notSent: the request has no language; the model supports only one, or detects it.
	notSent bool
}

// LanguageCode returns a vendor's code for a BCP 47 tag: the tag itself, or else its base language (de for de-AT). It returns ""
// for no tag, and for an unsupported language with known false. Models that the catalogue does not know are assumed to support
// every language. A model of "" is the default of the catalogue.
func LanguageCode(kind Kind, name, model, tag string) (code string, known bool) {
	f, ok := FamilyOf(kind, name, model)
	if !ok || f.codes == "" {
		return tag, true
	}
	return f.code(tag)
}

// SentLanguage is like LanguageCode, for a request: "" also if the request has no language.
func SentLanguage(kind Kind, name, model, tag string) string {
	if f, _ := FamilyOf(kind, name, model); f.notSent {
		return ""
	}
	code, _ := LanguageCode(kind, name, model, tag)
	return code
}

// Languages lists the codes of the languages that the models know, without the code for several; nil for all.
func (f Family) Languages() []string {
	var list []string
	for _, code := range strings.Fields(f.codes + " " + f.recognised) {
		if code != f.multiple && code != "multi" {
			list = append(list, code)
		}
	}
	return list
}

func (l languages) code(tag string) (code string, known bool) {
	if tag == "" {
		return "", true
	}
	for part := tag; part != ""; {
		if code := find(l.codes, part); code != "" {
			return code, true
		}
		if code := l.aliases[strings.ToLower(part)]; code != "" {
			return code, true
		}
		part = part[:max(strings.LastIndexByte(part, '-'), 0)]
	}
	base, _, _ := strings.Cut(tag, "-")
	if find(l.recognised, base) != "" {
		return l.multiple, true
	}
	return "", false
}

// find returns the code that equals a tag, ignoring case.
func find(codes, tag string) string {
	for code := range strings.FieldsSeq(codes) {
		if strings.EqualFold(code, tag) {
			return code
		}
	}
	return ""
}
