package voice

import (
	"strings"

	"parley/internal/voice/routing"
)

// fixedText is a text that every agent may speak without its language model: a template of the prompt library, or else the default of the
// language in effect.
type fixedText struct {
	slug     string            // in the prompt library
	defaults map[string]string // by language, without a region
}

// fixedText returns a fixed text in the language in effect.
func (s *Session) fixedText(t fixedText) routing.Rendered { return t.in(s.router) }

// in returns the text in the language in effect.
func (t fixedText) in(r *routing.Router) routing.Rendered {
	language, _, _ := strings.Cut(strings.ToLower(r.Language()), "-")
	return r.LibraryText(t.slug, t.defaults[language], t.defaults["en"])
}

var (
	// A provider failed and has no fallback.
	apologyText = fixedText{"error", map[string]string{
		"en": "I am sorry, I have a technical problem. Please call again later.",
		"de": "Es tut mir leid, ich habe ein technisches Problem. Bitte rufen Sie später noch einmal an.",
		"fr": "Je suis désolé, j’ai un problème technique. Veuillez rappeler plus tard.",
		"es": "Lo siento, tengo un problema técnico. Por favor, vuelva a llamar más tarde.",
		"it": "Mi dispiace, ho un problema tecnico. La prego di richiamare più tardi.",
		"pt": "Peço desculpa, tenho um problema técnico. Por favor, ligue mais tarde.",
		"nl": "Het spijt me, ik heb een technisch probleem. Bel later alstublieft terug.",
		"pl": "Przepraszam, mam problem techniczny. Proszę zadzwonić później.",
		"sv": "Jag är ledsen, jag har ett tekniskt problem. Var vänlig ring igen senare.",
		"tr": "Üzgünüm, teknik bir sorun var. Lütfen daha sonra tekrar arayın.",
		"ru": "Извините, у меня техническая неполадка. Пожалуйста, перезвоните позже.",
		"ja": "申し訳ございません。技術的な問題が発生しました。後ほどおかけ直しください。",
		"ko": "죄송합니다. 기술적인 문제가 있습니다. 나중에 다시 전화해 주세요.",
		"zh": "很抱歉，我遇到了技术问题。请稍后再来电。",
		"hi": "माफ़ कीजिए, मुझे एक तकनीकी समस्या है। कृपया बाद में फिर से कॉल करें।",
		"ar": "عذرًا، لدي مشكلة تقنية. يرجى الاتصال لاحقًا.",
	}}
	// An assistant asks who is calling. {name} and {purpose} are those of the agent's settings.
	identifyText = fixedText{"identify", map[string]string{
		"en": "Hello, this is {name}. I am calling about the following: {purpose}.",
		"de": "Guten Tag, hier ist {name}. Es geht um Folgendes: {purpose}.",
		"fr": "Bonjour, ici {name}. Je vous appelle au sujet suivant : {purpose}.",
		"es": "Hola, le llama {name}. El motivo es el siguiente: {purpose}.",
		"it": "Buongiorno, sono {name}. Chiamo per il seguente motivo: {purpose}.",
		"pt": "Olá, aqui é {name}. O motivo da chamada é o seguinte: {purpose}.",
		"nl": "Goedendag, u spreekt met {name}. Het gaat over het volgende: {purpose}.",
		"pl": "Dzień dobry, mówi {name}. Dzwonię w następującej sprawie: {purpose}.",
		"sv": "Hej, det här är {name}. Det gäller följande: {purpose}.",
		"tr": "Merhaba, ben {name}. Konu şu: {purpose}.",
		"ru": "Здравствуйте, это {name}. Я звоню по такому вопросу: {purpose}.",
		"ja": "こんにちは、{name}です。ご用件は次のとおりです。{purpose}。",
		"ko": "안녕하세요, {name}입니다. 용건은 다음과 같습니다. {purpose}.",
		"zh": "您好，我是{name}。来电事由是：{purpose}。",
		"hi": "नमस्ते, मैं {name} हूँ। कॉल का कारण यह है: {purpose}।",
		"ar": "مرحبًا، معك {name}. سبب الاتصال هو: {purpose}.",
	}}
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
	// The call has cost as much as it may.
	budgetText = fixedText{"budget", map[string]string{
		"en": "I am sorry, I have to end our call here. Please call again later. Goodbye.",
		"de": "Es tut mir leid, ich muss unser Gespräch hier beenden. Bitte rufen Sie später noch einmal an. Auf Wiederhören.",
		"fr": "Je suis désolé, je dois mettre fin à notre appel. Veuillez rappeler plus tard. Au revoir.",
		"es": "Lo siento, tengo que terminar la llamada aquí. Por favor, vuelva a llamar más tarde. Adiós.",
		"it": "Mi dispiace, devo concludere qui la chiamata. La prego di richiamare più tardi. Arrivederci.",
		"pt": "Peço desculpa, tenho de terminar a chamada aqui. Por favor, ligue mais tarde. Adeus.",
		"nl": "Het spijt me, ik moet ons gesprek hier beëindigen. Bel later alstublieft terug. Tot ziens.",
		"pl": "Przepraszam, muszę zakończyć tę rozmowę. Proszę zadzwonić później. Do widzenia.",
		"sv": "Jag är ledsen, jag måste avsluta samtalet här. Var vänlig ring igen senare. Hej då.",
		"tr": "Üzgünüm, görüşmemizi burada bitirmem gerekiyor. Lütfen daha sonra tekrar arayın. Hoşça kalın.",
		"ru": "Извините, я должен закончить наш разговор. Пожалуйста, перезвоните позже. До свидания.",
		"ja": "申し訳ございません。通話をここで終了させていただきます。後ほどおかけ直しください。失礼いたします。",
		"ko": "죄송합니다. 여기서 통화를 마쳐야 합니다. 나중에 다시 전화해 주세요. 안녕히 계세요.",
		"zh": "很抱歉，我们的通话到此结束。请稍后再来电。再见。",
		"hi": "माफ़ कीजिए, मुझे यह कॉल यहीं समाप्त करनी होगी। कृपया बाद में फिर से कॉल करें। नमस्ते।",
		"ar": "عذرًا، يجب أن أنهي مكالمتنا هنا. يرجى الاتصال لاحقًا. مع السلامة.",
	}}
	// A caller on hold waits for a person.
	stillTryingText = fixedText{"transfer_wait", map[string]string{
		"en": "Thank you for waiting. I am still trying to reach somebody for you.",
		"de": "Danke für Ihre Geduld. Ich versuche weiterhin, jemanden für Sie zu erreichen.",
		"fr": "Merci de votre patience. J’essaie toujours de joindre quelqu’un pour vous.",
		"es": "Gracias por esperar. Sigo intentando localizar a alguien para usted.",
		"it": "Grazie per l’attesa. Sto ancora cercando di raggiungere qualcuno per lei.",
		"pt": "Obrigado por aguardar. Continuo a tentar contactar alguém para si.",
		"nl": "Dank u voor het wachten. Ik probeer nog steeds iemand voor u te bereiken.",
		"pl": "Dziękuję za cierpliwość. Nadal próbuję się z kimś połączyć.",
		"sv": "Tack för att du väntar. Jag försöker fortfarande nå någon åt dig.",
		"tr": "Beklediğiniz için teşekkürler. Sizin için hâlâ birine ulaşmaya çalışıyorum.",
		"ru": "Спасибо за ожидание. Я всё ещё пытаюсь с кем-нибудь вас соединить.",
		"ja": "お待たせしております。担当者におつなぎしているところです。",
		"ko": "기다려 주셔서 감사합니다. 아직 담당자와 연결하고 있습니다.",
		"zh": "感谢您的等候。我仍在为您联系同事。",
		"hi": "प्रतीक्षा के लिए धन्यवाद। मैं अब भी आपके लिए किसी से संपर्क करने की कोशिश कर रहा हूँ।",
		"ar": "شكرًا لانتظارك. ما زلت أحاول الوصول إلى أحد من أجلك.",
	}}
	// A person hears this in place of a summary that the language model did not write.
	callerWaitsText = fixedText{"transfer_summary", map[string]string{
		"en": "A caller would like to speak with you.",
		"de": "Ein Anrufer möchte mit Ihnen sprechen.",
		"fr": "Un appelant souhaite vous parler.",
		"es": "Una persona desea hablar con usted.",
		"it": "Una persona desidera parlare con lei.",
		"pt": "Uma pessoa deseja falar consigo.",
		"nl": "Een beller wil u graag spreken.",
		"pl": "Osoba dzwoniąca chce z Państwem rozmawiać.",
		"sv": "En person vill tala med dig.",
		"tr": "Arayan biri sizinle görüşmek istiyor.",
		"ru": "С вами хотят поговорить.",
		"ja": "お電話の方がお話を希望されています。",
		"ko": "전화하신 분이 통화를 원하십니다.",
		"zh": "有一位来电者想与您通话。",
		"hi": "एक कॉलर आपसे बात करना चाहता है।",
		"ar": "يرغب متصل في التحدث إليك.",
	}}
	// It follows the summary if the person may accept or decline.
	acceptText = fixedText{"transfer_accept", map[string]string{
		"en": "Press 1 or say yes to take the call. Press 2 or say no to decline.",
		"de": "Drücken Sie die 1 oder sagen Sie ja, um den Anruf anzunehmen. Drücken Sie die 2 oder sagen Sie nein, um abzulehnen.",
		"fr": "Appuyez sur 1 ou dites oui pour prendre l’appel. Appuyez sur 2 ou dites non pour refuser.",
		"es": "Pulse 1 o diga sí para aceptar la llamada. Pulse 2 o diga no para rechazarla.",
		"it": "Prema 1 o dica sì per accettare la chiamata. Prema 2 o dica no per rifiutare.",
		"pt": "Prima 1 ou diga sim para aceitar a chamada. Prima 2 ou diga não para recusar.",
		"nl": "Druk op 1 of zeg ja om het gesprek aan te nemen. Druk op 2 of zeg nee om te weigeren.",
		"pl": "Aby przyjąć rozmowę, naciśnij 1 lub powiedz tak. Aby odmówić, naciśnij 2 lub powiedz nie.",
		"sv": "Tryck 1 för att ta samtalet. Tryck 2 för att avböja.",
		"tr": "Aramayı almak için 1’e, reddetmek için 2’ye basın.",
		"ru": "Нажмите 1, чтобы принять звонок. Нажмите 2, чтобы отказаться.",
		"ja": "お受けになる場合は1を、お断りになる場合は2を押してください。",
		"ko": "받으시려면 1번, 거절하시려면 2번을 누르세요.",
		"zh": "接听请按1，拒绝请按2。",
		"hi": "कॉल लेने के लिए 1 दबाएँ। मना करने के लिए 2 दबाएँ।",
		"ar": "اضغط 1 لقبول المكالمة. اضغط 2 للرفض.",
	}}
)
