package voice

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"parley/internal/dialogue"
	"parley/internal/voice/generation"
	"parley/internal/voice/providers"
)

// answersByLanguage are answers of a usual length, to the same question, in languages whose sentences end in different ways.
var answersByLanguage = []struct {
	language, name string
	token          int // characters of a token of the model
	text           string
}{
	{"en", "English", 4, "Your appointment is on May 3 at 3 p.m. with Dr. Smith. Please bring your insurance card and arrive ten minutes early. Is there anything else I can do for you?"},
	{"de", "German", 4, "Ihr Termin ist am 3. Mai um 15 Uhr bei Dr. Schmidt. Bitte bringen Sie Ihre Versicherungskarte mit und kommen Sie zehn Minuten früher. Kann ich sonst noch etwas für Sie tun?"},
	{"fr", "French", 4, "Votre rendez-vous est le 3 mai à 15 h avec le Dr. Petit. Merci d'apporter votre carte et d'arriver dix minutes plus tôt. Puis-je faire autre chose pour vous ?"},
	{"es", "Spanish", 4, "Su cita es el 3 de mayo a las 3 p. m. con la Dra. Ruiz. Traiga su tarjeta y llegue diez minutos antes. ¿Puedo hacer algo más por usted?"},
	{"ru", "Russian", 3, "Ваша запись 3 мая в 15 часов у проф. Иванова. Возьмите с собой полис и приходите на десять минут раньше. Могу я ещё чем-нибудь помочь?"},
	{"tr", "Turkish", 3, "Randevunuz 3 Mayıs saat 15.30'da Dr. Yılmaz ile. Lütfen kartınızı getirin ve on dakika erken gelin. Başka bir konuda yardımcı olabilir miyim?"},
	{"el", "Greek", 2, "Το ραντεβού σας είναι στις 3 Μαΐου στις 3 μ.μ. με τον Δρ. Παππά. Φέρτε την κάρτα σας και ελάτε δέκα λεπτά νωρίτερα. Μπορώ να κάνω κάτι άλλο για εσάς;"},
	{"hi", "Hindi", 2, "आपका अपॉइंटमेंट तीन मई को दोपहर तीन बजे डॉ. शर्मा के साथ है। कृपया अपना कार्ड साथ लाएँ और दस मिनट पहले आएँ। क्या मैं आपकी और कोई मदद कर सकता हूँ?"},
	{"bn", "Bengali", 2, "আপনার অ্যাপয়েন্টমেন্ট তিন মে বিকেল তিনটায় ডা. রহমানের সাথে। অনুগ্রহ করে আপনার কার্ড আনুন এবং দশ মিনিট আগে আসুন। আমি কি আর কিছু করতে পারি?"},
	{"ar", "Arabic", 3, "موعدك في الثالث من مايو الساعة الثالثة مع الدكتور أحمد. هل يمكنك إحضار بطاقتك والوصول قبل عشر دقائق؟ هل هناك أي شيء آخر يمكنني مساعدتك به؟"},
	{"ur", "Urdu", 3, "آپ کا وقت تین مئی کو دوپہر تین بجے ڈاکٹر احمد کے ساتھ ہے۔ براہ کرم اپنا کارڈ ساتھ لائیں اور دس منٹ پہلے آئیں۔ کیا میں آپ کی اور کوئی مدد کر سکتا ہوں؟"},
	{"th", "Thai", 2, "นัดหมายของคุณคือวันที่สามพฤษภาคมเวลาบ่ายสามโมงค่ะ กรุณานำบัตรมาด้วยและมาก่อนเวลาสิบนาทีค่ะ มีอะไรให้ช่วยอีกไหมคะ"},
	{"km", "Khmer", 2, "ការណាត់ជួបរបស់អ្នកគឺថ្ងៃទីបីឧសភាម៉ោងបីរសៀល។ សូមយកកាតរបស់អ្នកមកជាមួយហើយមកមុនដប់នាទី។ តើខ្ញុំអាចជួយអ្វីទៀតបាន?"},
	{"my", "Burmese", 2, "ချိန်းဆိုမှုက မေလ သုံးရက်နေ့ မွန်းလွဲ သုံးနာရီပါ။ သင့်ကတ်ကို ယူလာပြီး ဆယ်မိနစ် စောလာပါ။ နောက်ထပ် ဘာကူညီပေးရမလဲ။"},
	{"am", "Amharic", 2, "ቀጠሮዎ ግንቦት ሦስት ከሰዓት በኋላ ሦስት ሰዓት ነው። እባክዎ ካርድዎን ይዘው አሥር ደቂቃ ቀድመው ይምጡ። ሌላ ምን ልርዳዎት?"},
	{"hy", "Armenian", 2, "Ձեր հանդիպումը մայիսի երեքին է՝ ժամը երեքին։ Խնդրում ենք բերել ձեր քարտը և գալ տասը րոպե շուտ։ Ուրիշ ինչո՞վ կարող եմ օգնել։"},
	{"ja", "Japanese", 1, "ご予約は五月三日の午後三時、スミス先生です。保険証をお持ちのうえ、十分前にお越しください。ほかにご用件はございますか？"},
	{"zh", "Chinese", 1, "您的预约是五月三日下午三点，医生是史密斯。请带上您的医保卡，并提前十分钟到达。还有什么可以帮您的吗？"},
	{"ko", "Korean", 2, "예약은 5월 3일 오후 3시, 김 박사님입니다. 보험증을 가지고 10분 일찍 오세요. 더 도와드릴 일이 있나요?"},
}

// tokenTime is how long the model takes to write a token in these tests.
const tokenTime = 20 * time.Millisecond

// writes returns a script that writes a text in tokens of so many characters.
func writes(text string, characters int) (steps []step) {
	for rest := []rune(text); len(rest) > 0; {
		n := min(characters, len(rest))
		steps = append(steps, step{after: tokenTime, text: string(rest[:n])})
		rest = rest[n:]
	}
	return steps
}

// firstSound returns the first text that the voice receives of an answer, and how long after the first token its audio begins.
func firstSound(t *testing.T, language, text string, token int) (first string, after time.Duration) {
	synctest.Test(t, func(t *testing.T) {
		model := &fakeModel{reply: func(dialogue.Prompt) []step { return writes(text, token) }}
		synthesizer := &fakeSynthesizer{}
		voice, err := synthesizer.Open(t.Context(), dialogue.VoiceOptions{})
		if err != nil {
			t.Fatal(err)
		}
		reports := make(chan generation.Report)
		answer := generation.NewAnswer(t.Context(), "anna", false, reports)
		var work sync.WaitGroup
		answer.Generate(&work, generation.Request{Models: []providers.Model{{LanguageModel: model}}, Budget: generation.NewBudget(generation.Limits{}),
			Speaker: providers.Speaker{Voice: voice, Language: language}})
		var begun time.Time
		for first == "" {
			r := <-reports
			switch e := r.Event.(type) {
			case generation.FirstToken:
				begun = r.At
			case generation.AudioReceived:
				first, after = e.Text.Written(), r.At.Sub(begun)
			case generation.Failed:
				t.Fatal(e.Err)
			}
		}
		answer.Cancel(0)
		work.Wait()
	})
	return first, after
}

// The table of docs/speech.md is what a caller waits for in each language. Where a language's sentences were not found, the whole answer
// was waited for.
func TestFirstSoundByLanguage(t *testing.T) {
	page, err := os.ReadFile("../../docs/speech.md")
	if err != nil {
		t.Fatal(err)
	}
	var table strings.Builder
	table.WriteString("| language | characters of the first text | first sound after | whole answer after |\n|---|---|---|---|\n")
	for _, a := range answersByLanguage {
		first, after := firstSound(t, a.language, a.text, a.token)
		whole := time.Duration(len(writes(a.text, a.token))-1) * tokenTime
		fmt.Fprintf(&table, "| %s | %d | %d ms | %d ms |\n", a.name, utf8.RuneCountInString(first), after.Milliseconds(), whole.Milliseconds())
		if after > whole*2/3 {
			t.Errorf("%s: the first sound comes %v after the first token, the whole answer after %v", a.name, after, whole)
		}
	}
	if !strings.Contains(string(page), table.String()) {
		t.Errorf("docs/speech.md lacks this table:\n%s", table.String())
	}
}

// A caller hears the first sentence while the model writes on.
func TestFirstSentenceIsHeardBeforeTheModelEnds(t *testing.T) {
	for language, text := range map[string]string{
		"hi": "जी हाँ, मैं आपकी मदद करता हूँ। आपका समय कल तीन बजे है। क्या यह ठीक है?",
		"ar": "نعم، موعدك غدا في الثالثة. هل يناسبك هذا الوقت؟ يمكنني تغييره إذا أردت.",
		"ur": "جی ہاں، آپ کا وقت کل ہے۔ کیا یہ وقت ٹھیک ہے؟ میں اسے بدل سکتا ہوں۔",
		"th": "ได้ค่ะ เดี๋ยวดิฉันตรวจสอบให้นะคะ กรุณารอสักครู่ค่ะ",
	} {
		t.Run(language, func(t *testing.T) {
			const pause = 10 * time.Second // within the answer, after its first sentence
			perform(t, func(s *scenario) {
				c := config("Hello there.")
				c.DefaultLanguage = language
				s.options.Plan.Agents["anna"] = c
				first := []rune(text)[:len([]rune(text))/2]
				replying(step{after: 10 * ms, text: string(first)}, step{after: pause / 4, text: text[len(string(first)):]})(s)
			}, func(s *scenario) {
				s.question("when")
				s.wait(900 * ms)
				s.synthesizer.mu.Lock()
				defer s.synthesizer.mu.Unlock()
				if len(s.synthesizer.said) < 2 {
					s.Errorf("the voice received %q while the model was writing", s.synthesizer.said)
				}
			}, func(*scenario) {})
		})
	}
}
