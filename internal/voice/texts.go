package voice

import (
	"cmp"
	"strings"
)

// fixedText is a text that every agent may speak without its language model: a template of the prompt library, or else the default of the
// language in effect.
type fixedText struct {
	slug     string            // in the prompt library
	defaults map[string]string // by language, without a region
}

// fixedText returns a fixed text in the language in effect.
func (s *Session) fixedText(t fixedText) string {
	language, _, _ := strings.Cut(strings.ToLower(s.router.Language()), "-")
	return s.router.LibraryText(t.slug, cmp.Or(t.defaults[language], t.defaults["en"]))
}

var (
	// A provider failed and has no fallback.
	apologyText = fixedText{"error", map[string]string{"en": "I am sorry, I have a technical problem. Please call again later."}} // the library has other languages
	// The language model had no answer.
	pardonText = fixedText{"pardon", map[string]string{
		"en": "I am sorry, could you say that again?",
		"de": "Entschuldigung, können Sie das bitte noch einmal sagen?",
		"fr": "Pardon, pourriez-vous répéter ?",
		"es": "Perdón, ¿podría repetirlo?",
		"it": "Mi scusi, può ripetere?",
		"pt": "Desculpe, pode repetir?",
		"nl": "Sorry, kunt u dat nog eens zeggen?",
		"pl": "Przepraszam, czy może Pan lub Pani powtórzyć?",
		"sv": "Förlåt, kan du säga det igen?",
		"tr": "Affedersiniz, tekrar eder misiniz?",
		"ru": "Извините, повторите, пожалуйста.",
		"ja": "すみません、もう一度おっしゃっていただけますか。",
		"ko": "죄송합니다. 다시 한번 말씀해 주시겠어요?",
		"zh": "不好意思，您能再说一遍吗？",
		"hi": "माफ़ कीजिए, क्या आप फिर से कह सकते हैं?",
		"ar": "عذرًا، هل يمكنك إعادة ذلك؟",
	}}
	// The language model, or a filter of its vendor, declined to answer.
	declinedText = fixedText{"declined", map[string]string{
		"en": "I am sorry, I cannot answer that. Can I help you with something else?",
		"de": "Es tut mir leid, darauf kann ich nicht antworten. Kann ich Ihnen mit etwas anderem helfen?",
		"fr": "Je suis désolé, je ne peux pas répondre à cela. Puis-je vous aider pour autre chose ?",
		"es": "Lo siento, no puedo responder a eso. ¿Puedo ayudarle con otra cosa?",
		"it": "Mi dispiace, non posso rispondere a questo. Posso aiutarla con altro?",
		"pt": "Peço desculpa, não posso responder a isso. Posso ajudar com outra coisa?",
		"nl": "Het spijt me, daar kan ik geen antwoord op geven. Kan ik u met iets anders helpen?",
		"pl": "Przepraszam, nie mogę na to odpowiedzieć. Czy mogę pomóc w czymś innym?",
		"sv": "Jag är ledsen, det kan jag inte svara på. Kan jag hjälpa dig med något annat?",
		"tr": "Üzgünüm, buna cevap veremiyorum. Başka bir konuda yardımcı olabilir miyim?",
		"ru": "Извините, на это я не могу ответить. Могу ли я помочь чем-то ещё?",
		"ja": "申し訳ございません。それにはお答えできません。ほかにご用件はございますか。",
		"ko": "죄송합니다. 그 질문에는 답변드릴 수 없습니다. 다른 것을 도와드릴까요?",
		"zh": "很抱歉，这个我无法回答。还有别的可以帮您吗？",
		"hi": "माफ़ कीजिए, मैं इसका जवाब नहीं दे सकता। क्या मैं किसी और चीज़ में मदद कर सकता हूँ?",
		"ar": "عذرًا، لا أستطيع الإجابة عن ذلك. هل يمكنني مساعدتك في شيء آخر؟",
	}}
	// The answer takes long.
	waitText = fixedText{"wait", map[string]string{
		"en": "One moment, please.",
		"de": "Einen Moment bitte.",
		"fr": "Un instant, s’il vous plaît.",
		"es": "Un momento, por favor.",
		"it": "Un momento, per favore.",
		"pt": "Um momento, por favor.",
		"nl": "Een moment alstublieft.",
		"pl": "Chwileczkę, proszę.",
		"sv": "Ett ögonblick, tack.",
		"tr": "Bir dakika lütfen.",
		"ru": "Одну минуту, пожалуйста.",
		"ja": "少々お待ちください。",
		"ko": "잠시만 기다려 주세요.",
		"zh": "请稍等。",
		"hi": "कृपया एक क्षण रुकिए।",
		"ar": "لحظة من فضلك.",
	}}
	// It still does.
	waitLongerText = fixedText{"wait_longer", map[string]string{
		"en": "I am sorry, this takes a little longer.",
		"de": "Es tut mir leid, es dauert noch einen Augenblick.",
		"fr": "Je suis désolé, cela prend un peu plus de temps.",
		"es": "Lo siento, esto tarda un poco más.",
		"it": "Mi dispiace, ci vuole ancora un attimo.",
		"pt": "Peço desculpa, demora mais um pouco.",
		"nl": "Het spijt me, het duurt nog even.",
		"pl": "Przepraszam, to potrwa jeszcze chwilę.",
		"sv": "Jag är ledsen, det tar lite längre tid.",
		"tr": "Üzgünüm, biraz daha sürecek.",
		"ru": "Извините, это займёт ещё немного времени.",
		"ja": "申し訳ございません。もう少々お待ちください。",
		"ko": "죄송합니다. 조금 더 걸립니다.",
		"zh": "抱歉，还需要一点时间。",
		"hi": "माफ़ कीजिए, इसमें थोड़ा और समय लगेगा।",
		"ar": "عذرًا، سيستغرق هذا وقتًا أطول قليلًا.",
	}}
)
