"""The language of a message is told from few words, and an answer is given in the one that is wanted."""

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from utils.languages.detection import language_of, same_language, wanted_language
from utils.languages.language_names import named_language

MESSAGES = {
    "en": """And in 2024?|thanks|What about children?|How much is it?|Who wrote it?|Is it open on Sundays?
        |tell me more|Why?|good morning|Remind me to call mum at 5|What's the weather like in Paris?
        |Explain recursion|show my notes|Which one is cheaper?|Can you help me?|Never mind
        |What did I ask before?|yes please|Where is it?""",
    "de": """Und für Kinder?|Danke|Wie teuer ist das?|Wer hat das geschrieben?|Ist sonntags geöffnet?
        |Erzähl mir mehr|Warum?|Guten Morgen|Erinnere mich um 5 an den Anruf|Wie wird das Wetter in Paris?
        |Erkläre Rekursion|Und 2024?|Welches ist billiger?|Kannst du mir helfen?|Vergiss es
        |Was habe ich vorhin gefragt?|Wo liegt das?|Fasse das zusammen|wie heißt der Film""",
    "fr": """Et le samedi ?|merci|C'est combien ?|Qui l'a écrit ?|C'est ouvert le dimanche ?|Dis-m'en plus
        |Pourquoi ?|Bonjour|Rappelle-moi d'appeler maman à 17 h|Quel temps fait-il à Paris ?
        |Explique la récursivité|Et en 2024 ?|Lequel est le moins cher ?|Peux-tu m'aider ?|Laisse tomber
        |Qu'est-ce que j'ai demandé avant ?|Où est-ce ?|Et pour les enfants ?|d'accord""",
    "es": """¿Y los sábados?|gracias|¿Cuánto cuesta?|¿Quién lo escribió?|¿Abre los domingos?|Cuéntame más
        |¿Por qué?|Buenos días|Recuérdame llamar a mamá a las 5|¿Qué tiempo hace en París?|Explica la recursión
        |¿Y en 2024?|¿Cuál es más barato?|¿Puedes ayudarme?|Olvídalo|¿Qué pregunté antes?|¿Dónde está?
        |y para niños|cuanto vale esto""",
    "it": """E il sabato?|grazie|Quanto costa?|Chi l'ha scritto?|È aperto la domenica?|Dimmi di più|Perché?
        |Buongiorno|Ricordami di chiamare mamma alle 5|Che tempo fa a Parigi?|Spiega la ricorsione|E nel 2024?
        |Qual è il più economico?|Puoi aiutarmi?|Lascia perdere|Cosa ho chiesto prima?|Dov'è?|E per i bambini?
        |va bene""",
    "pt": """E aos sábados?|obrigado|Quanto custa?|Quem escreveu isso?|Abre aos domingos?|Conta-me mais
        |Por quê?|Bom dia|Lembra-me de ligar à mãe às 5|Como está o tempo em Paris?|Explica a recursão
        |E em 2024?|Qual é mais barato?|Podes ajudar-me?|Esquece|O que perguntei antes?|Onde fica?
        |E para crianças?|você pode me ajudar?""",
    "nl": """En op zaterdag?|dank je|Hoe duur is het?|Wie heeft dat geschreven?|Is het op zondag open?
        |Vertel me meer|Waarom?|Goedemorgen|Herinner me eraan mama te bellen om 5 uur
        |Wat voor weer is het in Parijs?|Leg recursie uit|En in 2024?|Welke is goedkoper?|Kun je me helpen?
        |Laat maar|Wat vroeg ik eerder?|Waar is het?|En voor kinderen?""",
    "sv": """Och på lördagar?|Hur mycket kostar det?|Vem skrev det?|Är det öppet på söndagar?|Berätta mer
        |Varför?|God morgon|Påminn mig om att ringa mamma klockan 5|Hur är vädret i Paris?|Förklara rekursion
        |Och för barn?|Vilken är billigast?|Kan du hjälpa mig?|Glöm det|Vad frågade jag innan?|Var ligger det?
        |tack så mycket""",
    "da": """Og om lørdagen?|Hvad koster det?|Hvem har skrevet bogen?|Er der åbent om søndagen?|Fortæl mig mere
        |Hvorfor ikke nu?|Godmorgen|Mind mig om at ringe til mor klokken 5|Hvordan er vejret i Paris?
        |Forklar rekursion|Og til børn?|Hvad hedder byen?|Kan du hjælpe mig?|Glem det|Hvad spurgte jeg om før?
        |Hvor er det henne?|mange tak""",
    "no": """Hva koster det?|Hvem har skrevet boka?|Er det åpent på søndager?|Fortell meg mer|Hvorfor ikke nå?
        |God morgen|Minn meg på å ringe mamma klokka 5|Hvordan er været i Paris?|Forklar rekursjon
        |Og for ungene?|Hva heter byen?|Kan du hjelpe meg?|Glem det nå|Hva spurte jeg om før?|Hvor er det noe?
        |tusen takk|Og i fjor?""",
    "da no": """Hvem skrev det?|Og i 2024?|Hvor ligger det?|Hvilken er billigst?|Hvorfor?|Hvorfor det?
        |Og for barn?""",
    "fi": """Entä lauantaisin?|kiitos|Paljonko se maksaa?|Kuka sen kirjoitti?|Onko se auki sunnuntaisin?
        |Kerro lisää|Miksi?|Hyvää huomenta|Muistuta minua soittamaan äidille kello 5
        |Millainen sää on Pariisissa?|Selitä rekursio|Entä lapsille?|Kumpi on halvempi?|Voitko auttaa minua?
        |Unohda se|Mitä kysyin aiemmin?|Missä se on?""",
    "pl": """A w soboty?|dziękuję|Ile to kosztuje?|Kto to napisał?|Czy jest otwarte w niedziele?
        |Powiedz mi więcej|Dlaczego?|Dzień dobry|Przypomnij mi o telefonie do mamy o 17
        |Jaka jest pogoda w Paryżu?|Wyjaśnij rekurencję|A dla dzieci?|Który jest tańszy?|Możesz mi pomóc?
        |Nieważne|O co pytałem wcześniej?|Gdzie to jest?""",
    "cs": """A v sobotu?|děkuji|Kolik to stojí?|Kdo to napsal?|Je otevřeno v neděli?|Řekni mi víc|Proč?
        |Dobrý den|Připomeň mi v 5, ať zavolám mámě|Jaké je počasí v Paříži?|Vysvětli rekurzi|A pro děti?
        |Který je levnější?|Můžeš mi pomoct?|Zapomeň na to|Na co jsem se ptal předtím?|Kde to je?""",
    "ro": """Și sâmbăta?|mulțumesc|Cât costă?|Cine a scris asta?|E deschis duminica?|Spune-mi mai mult|De ce?
        |Bună ziua|Amintește-mi să o sun pe mama la 5|Cum e vremea la Paris?|Explică recursivitatea
        |Și pentru copii?|Care e mai ieftin?|Poți să mă ajuți?|Las-o baltă|Ce am întrebat înainte?|Unde este?""",
    "hu": """És szombaton?|köszönöm|Mennyibe kerül?|Ki írta?|Nyitva van vasárnap?|Mesélj még|Miért?|Jó reggelt
        |Emlékeztess, hogy hívjam anyát 5-kor|Milyen az idő Párizsban?|Magyarázd el a rekurziót|És gyerekeknek?
        |Melyik az olcsóbb?|Tudsz segíteni?|Hagyjuk|Mit kérdeztem korábban?|Hol van?""",
    "ru": """А в субботу?|спасибо|Сколько это стоит?|Кто это написал?|Открыто ли по воскресеньям?
        |Расскажи подробнее|Почему?|Доброе утро|Напомни позвонить маме в 5|Какая погода в Париже?
        |Объясни рекурсию|А для детей?|Что дешевле?|Можешь помочь?|Забудь|О чём я спрашивал раньше?|Где это?
        |Как поставить Ubuntu на VirtualBox?""",
    "uk": """А в суботу?|дякую|Скільки це коштує?|Хто це написав?|Чи відчинено в неділю?|Розкажи докладніше
        |Чому?|Доброго ранку|Нагадай подзвонити мамі о 5|Яка погода в Парижі?|Поясни рекурсію|А для дітей?
        |Що дешевше?|Можеш допомогти?|Забудь про це|Про що я питав раніше?|Де це?""",
    "bg": """А в събота?|благодаря|Колко струва?|Кой го е написал?|Отворено ли е в неделя?|Разкажи ми повече
        |Защо?|Добро утро|Напомни ми да се обадя на мама в 5|Какво е времето в Париж?|Обясни рекурсията
        |А за деца?|Кое е по-евтино?|Можеш ли да ми помогнеш?|Какво попитах преди?|Къде е това?""",
    "el": """Και το Σάββατο;|ευχαριστώ|Πόσο κοστίζει;|Ποιος το έγραψε;|Είναι ανοιχτά την Κυριακή;
        |Πες μου περισσότερα|Γιατί;|Καλημέρα|Θύμισέ μου να πάρω τη μαμά στις 5|Τι καιρό κάνει στο Παρίσι;
        |Εξήγησε την αναδρομή|Και για παιδιά;|Ποιο είναι φθηνότερο;|Μπορείς να με βοηθήσεις;|Ξέχνα το
        |Πού είναι;""",
    "tr": """Peki cumartesi?|teşekkürler|Ne kadar?|Bunu kim yazdı?|Pazar günleri açık mı?|Daha fazla anlat
        |Neden?|Günaydın|Saat 5'te annemi aramamı hatırlat|Paris'te hava nasıl?|Özyinelemeyi açıkla
        |Ya çocuklar için?|Hangisi daha ucuz?|Bana yardım eder misin?|Boş ver|Daha önce ne sordum?|Nerede?""",
    "ar": """وماذا عن السبت؟|شكرا|كم سعره؟|من كتبه؟|هل هو مفتوح يوم الأحد؟|أخبرني المزيد|لماذا؟|صباح الخير
        |ذكرني بالاتصال بأمي الساعة 5|كيف الطقس في باريس؟|اشرح العودية|وللأطفال؟|أيهما أرخص؟|هل يمكنك مساعدتي؟
        |انس الأمر|ماذا سألت من قبل؟|أين هو؟""",
    "fa": """شنبه‌ها چطور؟|ممنون از شما|قیمتش چقدر است؟|چه کسی این را نوشت؟|یکشنبه‌ها باز است؟|بیشتر بگو|چرا؟
        |هوا در پاریس چطور است؟|برای بچه‌ها چی؟|کدام ارزان‌تر است؟|می‌توانی کمکم کنی؟|قبلا چه پرسیدم؟|کجاست؟
        |ساعت ۵ یادم بینداز که به مادرم زنگ بزنم|لطفا توضیح بده|صبح بخیر، حالت چطوره؟""",
    "he": """ובשבת?|תודה|כמה זה עולה?|מי כתב את זה?|פתוח ביום ראשון?|ספר לי עוד|למה?|בוקר טוב
        |תזכיר לי להתקשר לאמא ב-5|מה מזג האוויר בפריז?|הסבר רקורסיה|ולילדים?|מה יותר זול?|אתה יכול לעזור לי?
        |לא משנה|מה שאלתי קודם?|איפה זה?""",
    "hi": """और शनिवार को?|धन्यवाद|यह कितने का है?|यह किसने लिखा?|क्या रविवार को खुला है?|और बताओ|क्यों?
        |सुप्रभात|5 बजे माँ को फ़ोन करने की याद दिलाना|पेरिस में मौसम कैसा है?|रिकर्शन समझाओ|और बच्चों के लिए?
        |कौन सा सस्ता है?|क्या आप मेरी मदद कर सकते हैं?|छोड़ो|मैंने पहले क्या पूछा था?|यह कहाँ है?""",
    "zh": """那周六呢？|谢谢|多少钱？|谁写的？|星期天开门吗？|再说详细点|为什么？|早上好|五点提醒我给妈妈打电话
        |巴黎天气怎么样？|解释递归|小孩呢？|哪个更便宜？|你能帮我吗？|算了|我之前问了什么？|在哪里？|怎麼去？""",
    "ja": """土曜日は？|ありがとう|いくらですか？|誰が書いたの？|日曜日は開いていますか？|もっと教えて|なぜ？
        |おはよう|5時に母に電話するようリマインドして|パリの天気は？|再帰を説明して|子供は？|どちらが安い？
        |手伝ってくれる？|忘れて|さっき何を聞いた？|どこ？|東京駅 天気""",
    "ko": """토요일은요?|고마워|얼마예요?|누가 썼어?|일요일에 열어요?|더 알려줘|왜?|좋은 아침
        |5시에 엄마한테 전화하라고 알려줘|파리 날씨 어때?|재귀를 설명해 줘|아이들은?|어느 게 더 싸?
        |도와줄 수 있어?|됐어|아까 뭐 물어봤지?|어디야?""",
    "vi": """Còn thứ bảy thì sao?|cảm ơn|Giá bao nhiêu?|Ai viết cái này?|Chủ nhật có mở cửa không?|Nói thêm đi
        |Tại sao?|Chào buổi sáng|Nhắc tôi gọi cho mẹ lúc 5 giờ|Thời tiết ở Paris thế nào?|Giải thích đệ quy
        |Còn trẻ em?|Cái nào rẻ hơn?|Bạn giúp tôi được không?|Bỏ đi|Tôi đã hỏi gì trước đó?|Ở đâu?""",
}
LABELLED = [(language, text.strip()) for language, texts in MESSAGES.items() for text in texts.split("|")]


def test_a_short_message_is_known_by_its_language() -> None:
    assert len(LABELLED) >= 400 and len(MESSAGES) >= 25
    wrong = [
        (language, language_of(text), text) for language, text in LABELLED if language_of(text) not in language.split()
    ]
    share = 1 - len(wrong) / len(LABELLED)
    print(f"{share:.1%} of {len(LABELLED)}; wrong: {wrong}")  # noqa: T201
    assert share >= 0.95, wrong


@pytest.mark.parametrize("language", MESSAGES)
def test_no_language_is_known_much_worse_than_the_others(language: str) -> None:
    of_it = [text for label, text in LABELLED if label == language]
    assert sum(language_of(text) in language.split() for text in of_it) >= 0.8 * len(of_it)


def test_no_message_is_clearly_in_another_language_than_its_own() -> None:
    denied = [(language, text) for language, text in LABELLED if not same_language(text, language.split()[0])]
    assert len(denied) <= 0.01 * len(LABELLED), denied


@pytest.mark.parametrize(
    "text",
    ["", "ok", "OK!", "42", "3.14 * 2", "Angela Merkel", "https://example.org/der-die-das", "`der die das`", "[1] [2]",
     "```python\nwhile not done: pass\n```", "main.py", "😀", "...", "Paris", "@notes.md", "anna@example.org",
     "Bonn 2024", "ACME GmbH", "x = f(y)"],
)  # fmt: skip
def test_what_says_nothing_has_no_language(text: str) -> None:
    assert language_of(text) == ""


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Translate into English: 'Der frühe Vogel fängt den Wurm und so weiter'", "en"),
        ("Translate this: der frühe Vogel fängt den Wurm", "en"),
        ('Was bedeutet "the early bird catches the worm"?', "de"),
        ("What does « il pleut des cordes » mean?", "en"),
        ("What does 你好 mean?", "en"),
        ("Was macht diese Schleife? `for word in the_list: print(word)`?", "de"),
        ("Почему Visual Studio Code и GitHub Copilot не работают?", "ru"),
        ("Übersetze: where is the station and what does it cost", "de"),
        ('"Der frühe Vogel fängt den Wurm"', "de"),
        ("> Where is the station?\n> It is over there.\n\nWas heißt das auf Deutsch?", "de"),
        ("The paper says so [1], and so does the other one [2].", "en"),
        ("そのAPIはHTTPで動きますか", "ja"),
    ],
)
def test_quotations_code_and_names_do_not_decide(text: str, language: str) -> None:
    assert language_of(text) == language


def test_only_the_languages_that_are_possible_are_given() -> None:
    assert language_of("Hvordan går det med dig?", among=["da", "en"]) == "da"
    assert language_of("Wie geht es dir?", among=["en", "fr"]) == ""
    assert language_of("Как дела?", among=["en", "fr"]) == ""


def test_a_text_in_another_language_is_told_and_a_doubtful_one_is_not() -> None:
    assert not same_language("Das ist eine Antwort auf die Frage.", "en")
    assert not same_language("Эта книга была написана давно.", "en")
    assert not same_language("这是对问题的回答。", "ja")
    assert same_language("Paris", "zh") and same_language("42", "de") and same_language("Merci!", "en")
    assert same_language("Det er en god idé", "nb") and same_language("这是一本书", "zh-Hans")


@pytest.mark.parametrize(
    ("message", "wanted"),
    [
        ("In French: what is a star?", "fr"),
        ("Was ist ein Stern? Auf Englisch bitte", "en"),
        ("en español por favor", "es"),
        ("translate to Greek: hello", "el"),
        ("traduis en anglais : bonjour tout le monde", "en"),
        ("auf Englisch bitte", "en"),
        ("用英语回答", "en"),
        ("把这句话翻译成英文", "en"),
        ("請用法語寫一首詩", "fr"),
        ("英語で答えて", "en"),
        ("ドイツ語に翻訳して", "de"),
        ("영어로 답해줘", "en"),
        ("Kannst du das auf Spanisch schreiben?", "es"),
        ("Käännä englanniksi: hyvää huomenta", "en"),
        ("Vastaa saksaksi", "de"),
        ("Odpověz anglicky", "en"),
        ("Přelož to do němčiny", "de"),
        ("Prelož to do nemčiny", "de"),
        ("Odpowiedz po angielsku", "en"),
        ("Przetłumacz to na niemiecki", "de"),
        ("Válaszolj angolul", "en"),
        ("Fordítsd németre", "de"),
        ("Răspunde în engleză", "en"),
        ("Ответь на английском", "en"),
        ("Переведи на немецкий: доброе утро", "de"),
        ("Ответь по-испански", "es"),
        ("Відповідай англійською", "en"),
        ("Απάντησε στα αγγλικά", "en"),
        ("İngilizceye çevir", "en"),
        ("Almanca cevap ver", "de"),
        ("أجب بالإنجليزية", "en"),
        ("ترجم إلى الفرنسية", "fr"),
        ("به انگلیسی جواب بده", "en"),
        ("ענה באנגלית", "en"),
        ("अंग्रेज़ी में जवाब दो", "en"),
        ("Trả lời bằng tiếng Anh", "en"),
        ("Svar på tysk", "de"),
        ("Svara på engelska", "en"),
        ("Antwoord in het Engels", "en"),
        ("Rispondi in inglese", "en"),
        ("Responda em inglês", "en"),
        ("Responde en alemán", "de"),
        ("Преведи на английски", "en"),
        ("Jawab dalam bahasa Inggris", "en"),
        ("Translate the text from German into French", "fr"),
        ("Translate the German text into Italian, please", "it"),
        ("Write a short poem about the sea in Portuguese", "pt"),
        ("What is the capital of Peru? Answer in Spanish.", "es"),
        ("And in German?", "de"),
        ("the same in Spanish", "es"),
        ("Explain photosynthesis to me in simple Dutch", "nl"),
    ],
)
def test_the_language_that_is_asked_for_is_wanted(message: str, wanted: str) -> None:
    assert wanted_language(message) == wanted


@pytest.mark.parametrize(
    "message",
    ["Who wrote that book in French?", "How do you say thank you in Japanese?", "Which books are available in German?",
     "Tell me about schools in German cities", "Did Beckett write in French?", "I am interested in French cinema",
     "What is the word for cat in Spanish?", "Who won the French Open?", "Explain how to get to Greek islands",
     "What does 'schnell' mean in German?", "Are there good podcasts in Italian?",
     "Is it hard to learn to speak Chinese?",
     "Welche Bücher gibt es auf Englisch?", "Wie sagt man danke auf Japanisch?", "Wer schrieb das auf Latein?",
     "Comment dit-on chat en espagnol ?", "¿Cómo se dice gato en francés?", "Come si dice gatto in inglese?",
     "Как будет кошка на английском?", "英語で何と言いますか", "用英语怎么说", "英語は難しい？", "영어로 뭐라고 해?",
     "Résume la lettre de l'école",
     "Translate 'answer in German' for me", "Kto napisał to po angielsku?", "Hoe zeg je kat in het Engels?"],
)  # fmt: skip
def test_a_language_that_is_only_spoken_of_is_not_asked_for(message: str) -> None:
    assert named_language(message) == ""


def test_an_answer_is_wanted_in_the_language_of_the_message_else_of_those_before() -> None:
    assert wanted_language("Wie alt ist er?", ["How tall is he?"]) == "de"
    assert wanted_language("ok", ["How tall is he?", "Wie alt ist er?"]) == "de"
    assert wanted_language("2024?", ["Et en 2023 ?"]) == "fr"
    assert wanted_language("ok", ["Translate to Greek: hello"]) == "en"
    assert wanted_language("ok") == ""
    assert wanted_language("Er det åbent?", ["Hvad koster det, og hvem skrev det?"]) == "da"


@pytest.mark.parametrize(
    ("message", "before"),
    [
        ("is my password safe?", "how tall is the hill"),
        ("by train i meant", "how long to Porto"),
        ("price per lesson", "how much is the piano teacher"),
        ("is basalt a volcanic rock?", "how tall is the hill"),
    ],
)
def test_few_words_are_rather_in_the_language_that_was_spoken_before(message: str, before: str) -> None:
    assert wanted_language(message, [before]) == "en"


def test_a_language_asked_for_from_now_on_stays_until_another_is() -> None:
    earlier = ["Antworte ab jetzt immer auf Englisch.", "Wie hoch ist der Brocken?"]
    assert wanted_language("Und der Harz?", earlier) == "en"
    assert wanted_language("Et maintenant en français", [*earlier]) == "fr"
    assert wanted_language("Und der Harz?", ["Antworte auf Englisch."]) == "de"


def test_what_is_asked_counts_and_not_what_it_is_about() -> None:
    page = "The bird is the word, and the word was good. " * 20
    assert wanted_language(f"Fasse das zusammen:\n\n{page}") == "de"
    assert wanted_language(f"{page}\n\nWas steht da?") == "de"
    assert wanted_language(f"Summarise in Spanish:\n\n{page}") == "es"
    assert wanted_language(f"Qu'est-ce que cela veut dire : {page}") == "fr"


@given(st.text(max_size=300))
def test_nothing_that_can_be_written_makes_it_stumble(text: str) -> None:
    assert isinstance(language_of(text), str) and isinstance(wanted_language(text, [text]), str)
    assert same_language(text, language_of(text))


def test_nothing_heavy_is_imported_until_a_message_needs_it() -> None:
    heavy = "('babel', 'py3langid', 'numpy')"
    code = "import sys, utils.languages.detection, chatbot.prompts.phrases; "
    code += f"print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
