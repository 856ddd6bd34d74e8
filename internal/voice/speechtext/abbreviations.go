package speechtext

import (
	"maps"
	"strings"
)

// exceptions are the words of a language, in lower case but for starters, and without their last full stop.
type exceptions struct {
	never, numbered, mayEnd, starters string
	suffixes                          string // of words that never end a sentence
	ordinals                          bool   // a number with a full stop may stand before a capitalised word, as nouns are in German
}

// everywhere are the exceptions of all languages.
var everywhere = exceptions{
	never:    "dr prof vs st",
	numbered: "no nr tel vol fig art",
	mayEnd:   "etc p.m a.m inc ltd ph.d",
}

// byLanguage are the exceptions by language, after the suppressions of Unicode's CLDR.
var byLanguage = map[string]exceptions{
	"en": {
		never: "mr mrs ms messrs gen col sgt lt capt maj cmdr rev hon sen rep gov pres fr sr mt ft e.g i.e approx jan feb mar " +
			"apr jun jul aug sep sept oct nov dec mon tue thu fri dept ext est bros",
		numbered: "pp p ch sec eq ft ca cf wed sat sun",
		mayEnd:   "ave blvd rd jr co corp d.c",
		starters: "I The A An This That These Those It He She We You They There Here My Your His Her Our Their What When Where " +
			"Who Why How Is Are Do Does Did Can Could Would Will Shall Should May If And But So Then At In On For To Please " +
			"Yes No Let Would Have Has Thanks Thank Sorry Also Now After Before Another Take Call",
	},
	"de": {
		ordinals: true,
		suffixes: "str nr",
		never: "hr fr frl dipl ing mag med jur phil z.b bzw ggf evtl ca inkl exkl zzgl bspw sog vgl s.o s.u u.a d.h v.a o.ä " +
			"u.ä i.d.r fa kd abs abb kap " +
			"jan feb mär apr jun jul aug sep sept okt nov dez geb gest verh",
		numbered: "s bd ff f max min mind mo di mi do fr sa so",
		mayEnd:   "usw bzgl uvm u.s.w o.g mwst co",
		starters: "Ich Du Er Sie Es Wir Ihr Das Der Die Dies Diese Dieser Dieses Ein Eine Und Oder Aber Dann Danach Da Dort Hier " +
			"Heute Morgen Jetzt Ist Sind Haben Hat Hätten Möchten Möchte Können Kann Könnten Soll Sollen Darf Was Wann Wo " +
			"Wer Wie Warum Welche Welcher Bitte Danke Ja Nein Gut Wenn Passt Wollen Gibt Dafür Bis Noch Vielen Kommen Noch " +
			"Reicht Links Rechts Mein Meine Unser Unsere Mit Für In Im",
	},
	"fr": {
		never:    "m mm mgr me p.ex env av bd chap pl cf j.-c tél boul",
		numbered: "p pp n réf max min",
		mayEnd:   "apr",
		starters: "Je Tu Il Elle Nous Vous Ils Elles On Le La Les Un Une Ce Cette Ces Cela Mais Et Ou Donc Puis Alors Voulez " +
			"Pouvez Quand Comment Où Qui Que Quel Quelle Merci Oui Non Nous",
	},
	"es": {
		never:    "sr sra srta sres ud uds vd d dña dra lic ing arq av avda ee.uu ee uu p.ej ej aprox c pza núm tel prov gral",
		numbered: "pág págs n cap",
		starters: "Yo Tú Él Ella Usted Nosotros Ellos El La Los Las Un Una Este Esta Eso Pero Y O Entonces Luego Cuando Cómo " +
			"Dónde Quién Qué Puede Desea Quiere Gracias Sí No Volverá Todo",
	},
	"it": {
		never:    "sig sig.ra sig.na sigg dott dott.ssa ing avv arch rag geom on p.es es cfr egr gent s ss",
		numbered: "n pag pagg cap",
		mayEnd:   "ecc",
		starters: "Io Tu Lui Lei Noi Voi Loro Il Lo La I Gli Le Un Una Questo Questa Ma E O Poi Quindi Quando Come Dove Chi Che " +
			"Può Vuole Desidera Grazie Sì No",
	},
	"pt": {
		never:    "sr sra srs dra exmo exma eng av r p.ex ex aprox prof profa lda",
		numbered: "n pág págs cap",
		starters: "Eu Tu Ele Ela Você Nós Eles O A Os As Um Uma Este Esta Isso Mas E Ou Então Depois Quando Como Onde Quem Que " +
			"Pode Quer Deseja Obrigado Obrigada Sim Não",
	},
	"nl": {
		never:    "dhr mevr mw ir ing drs mr bijv d.w.z o.a m.b.t t.a.v i.v.m a.s t.o.v ca evt incl excl jl str",
		numbered: "blz pag max min",
		mayEnd:   "enz a.u.b s.v.p",
		starters: "Ik Jij Je U Hij Zij Ze Het Wij We De Een Dit Dat Deze En Of Maar Dan Daarna Hier Daar Nu Is Zijn Heeft Hebt " +
			"Kan Kunt Wilt Wil Wat Wanneer Waar Wie Hoe Waarom Bedankt Ja Nee",
	},
	"pl": {
		never:    "ul al pl np tzw m.in tj godz inż mgr hab św ks gen wg m lok tys mln",
		numbered: "str poz ust ok os",
		mayEnd:   "itd itp r w zł gr",
		starters: "Ja Ty On Ona Ono My Wy Oni To Ten Ta Te A I Ale Lub Więc Potem Czy Co Kiedy Gdzie Kto Jak Proszę Dziękuję " +
			"Dobrze Tak Nie Chce Zapraszam",
	},
	"cs": {
		never:    "ul nám tř tzv např mj tj ing mgr bc mudr judr phdr p pí sl č čp cca hod doc",
		numbered: "str",
		mayEnd:   "atd apod aj kč",
		starters: "Já Ty On Ona My Vy Oni To Ten Ta A I Ale Nebo Pak Co Kdy Kde Kdo Jak Prosím Děkuji Ano Ne Chcete Hodí",
	},
	"sv": {never: "t.ex bl.a dvs kl ca s.k fr hr f.d inkl", mayEnd: "osv m.m", numbered: "s sid max min", starters: svStarters},
	"da": {never: "hr fr f.eks bl.a dvs kl ca d frk inkl", mayEnd: "osv m.m mv", numbered: "s", starters: daStarters},
	"nb": {never: "hr fr f.eks bl.a dvs kl ca inkl", mayEnd: "osv m.m mv", numbered: "s", starters: daStarters},
	"fi": {
		never: "esim ks mm ts n os puh ns", mayEnd: "jne yms", numbered: "s",
		starters: "Minä Sinä Hän Me Te He Se Tämä Ja Tai Mutta Sitten Missä Mikä Kuka Milloin Miten Kyllä Ei Kiitos Sopiiko",
	},
	"tr": {
		never:    "sn av sok cad mah apt örn bkz doç yrd alb gen",
		numbered: "sf",
		mayEnd:   "vb vs",
		starters: "Ben Sen O Biz Siz Onlar Bu Şu Ve Veya Ama Sonra Ne Nerede Kim Nasıl Neden Evet Hayır Lütfen Teşekkürler Uygun",
	},
	"ru": {
		never:    "ул пр просп пер пл д кв корп стр обл г гг акад т.е т.к т.н см рис напр тыс проф тел р гр св",
		numbered: "с гл п",
		mayEnd:   "т.д т.п др пр руб коп им",
		starters: "Я Ты Он Она Оно Мы Вы Они Это Этот Эта И А Но Или Потом Что Когда Где Кто Как Почему Да Нет Спасибо Пожалуйста " +
			"Вам Вы Берёте",
	},
	"uk": {
		never:    "вул просп пров пл буд кв корп обл м р ім акад т.зв див рис напр тис проф тел",
		mayEnd:   "т.д т.п ін грн коп",
		starters: "Я Ти Він Вона Воно Ми Ви Вони Це Цей Ця І А Але Або Потім Що Коли Де Хто Як Так Ні Дякую Вам",
	},
	"bg": {
		never:    "ул бул бл вх ет ап гр г проф инж напр т.е т.нар тел",
		mayEnd:   "др лв т.н",
		starters: "Аз Ти Той Тя То Ние Вие Те Това И А Но Или Какво Кога Къде Кой Как Да Не",
	},
	"el": {
		never:    "κ κα κος δρ π.χ δηλ τηλ αρ οδ λεωφ μ.μ π.μ",
		mayEnd:   "κλπ κ.λπ κ.ά",
		starters: "Εγώ Εσύ Αυτός Αυτή Αυτό Εμείς Εσείς Το Η Ο Και Αλλά Τι Πότε Πού Ποιος Πώς Ναι Όχι Ελάτε",
	},
	"hr": {
		never:    "npr tj ul br gosp gđa prof tzv sv god",
		mayEnd:   "itd sl",
		starters: "Ja Ti On Ona Mi Vi To A I Ali Što Kada Gdje Kako Da Ne Hvala",
	},
	"sk": {
		never:    "napr tzv tj ul nám ing mgr mudr p č cca hod",
		mayEnd:   "atď a.p",
		starters: "Ja Ty On Ona My Vy To A Ale Čo Kedy Kde Ako Áno Nie Ďakujem",
	},
	"hu": {
		never:    "pl kb ún ifj id özv ld ill u sz em",
		mayEnd:   "stb",
		starters: "Én Te Ő Mi Ti Az A Ez És De Vagy Hol Mikor Ki Mit Hogyan Igen Nem Kérem",
	},
	"ro": {
		never:    "dl dna d-na dra str bd bl ap sc et jud ex prof",
		mayEnd:   "ș.a",
		starters: "Eu Tu El Ea Noi Voi Ei Acest Aceasta Și Dar Sau Ce Când Unde Cine Cum Da Nu Este",
	},
	"ca": {
		never:    "sr sra srta av c pl núm tel p.ex dra",
		starters: "Jo Tu Ell Ella Nosaltres El La Els Les Un Una I O Però Què Quan On Qui Com Sí No",
	},
	"id": {
		never:    "jl bp bpk sdr ir hj h tgl kec kab",
		mayEnd:   "dll dsb dst",
		starters: "Saya Anda Dia Kami Kita Mereka Ini Itu Dan Atau Tapi Apa Kapan Di Siapa Bagaimana Ya Tidak",
	},
	"vi": {never: "tp ts bs ths gs pgs ks q p đ", starters: "Tôi Bạn Anh Chị Ông Bà Nó Chúng Đây Đó Và Hoặc Nhưng Gì Khi Ở Ai Có Không"},
	"hi": {never: "डॉ श्री श्रीमती सुश्री प्रो कु पं रु", numbered: "नं पृ"},
	"mr": {never: "डॉ श्री श्रीमती सौ प्रा रु", numbered: "क्र"},
	"ne": {never: "डा श्री प्रा रु", numbered: "नं"},
	"bn": {never: "ড ডা ডাঃ মো মোঃ মি মিসেস প্রফেসর", numbered: "নং"},
	"ta": {never: "திரு திருமதி ரூ"},
	"te": {never: "శ్రీ డా రూ"},
	"ar": {never: "أ.د م.ب"},
	"he": {never: "גב"},
}

const (
	svStarters = "Jag Du Han Hon Det Den Vi Ni De En Ett Och Men Eller Sedan Vad När Var Vem Hur Varför Ja Nej Tack Välkommen Passar"
	daStarters = "Jeg Du Han Hun Det Den Vi I De En Et Og Men Eller Så Hvad Hva Hvornår Når Hvor Hvem Hvordan Ja Nej Nei Tak Takk Passer Er Kan Har"
)

// sharedRules are languages whose exceptions are those of another.
var sharedRules = map[string]string{
	"no": "nb", "nn": "nb", "sr": "hr", "bs": "hr", "sl": "hr", "be": "ru", "mk": "bg", "gl": "pt", "ms": "id", "lb": "de", "et": "fi", "lv": "cs", "lt": "pl",
}

// rulesOf returns the rules of a language by its BCP 47 code.
func rulesOf(language string) rules {
	base, _, _ := strings.Cut(strings.ToLower(language), "-")
	if other, shared := sharedRules[base]; shared {
		base = other
	}
	r := everywhere.rules()
	own := byLanguage[base].rules()
	maps.Copy(r.never, own.never)
	maps.Copy(r.numbered, own.numbered)
	maps.Copy(r.mayEnd, own.mayEnd)
	r.starters, r.suffixes, r.ordinals = own.starters, own.suffixes, own.ordinals
	return r
}

func (e exceptions) rules() rules {
	return rules{
		never: wordSet(e.never), numbered: wordSet(e.numbered), mayEnd: wordSet(e.mayEnd), starters: wordSet(e.starters),
		suffixes: strings.Fields(e.suffixes), ordinals: e.ordinals,
	}
}

func wordSet(words string) map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsSeq(words) {
		set[word] = true
	}
	return set
}
