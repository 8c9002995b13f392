"""What a user says of having something remembered: asks for it, tells something lasting of themselves, or only thanks.

Words of many languages side by side. What they do not know is no harm: the user is then asked to agree.
"""

import re

_REMEMBERS = re.compile(
    r"\b(?:keep|bear) (?:in mind that|(?:it|this|that) in mind)\b|"
    r"\b(?:remember|forget|note|memor|merk|behalt|notier|vergiss|denk|retien|souvien|rappel|"
    r"oubli|mémor|recu[eé]rd|acu[eé]rd|cuenta|anot|guard|olvid|ricord|tieni|annot|salva|dimentic|lembr|"
    r"esque[cç]|onthou|"
    r"noteer|vergeet|husk|glem|kom ihåg|minns|glöm|muist|unohda|pamięt|zapamięt|zapomn|pamatuj|zapamatuj|jegyezd|"
    r"emlékez|felejt|ține|reține|uita|hatırla|aklın|unut|запомн|помни|забуд|учти|имей|пам.?ята|θυμ|ξεχ|nhớ|ingat)|"
    r"تذكر|ذكر|احفظ|זכור|תזכור|תזכרי|याद|মনে|记|記|覚え|メモ|기억|จำ",
    re.IGNORECASE,
)
"""The beginnings of words that ask to remember."""
_ASKS_PLAINLY = re.compile(
    r"\W*(?:(?:ok(?:ay)?|please|pls|hey|and|also|bitte|und|et|y|e|en|can you|could you|will you|kannst du|könntest du|"
    r"peux-tu|puedes|puoi|podes|kun je|kan je)[, ]+){0,3}"
    r"(?:remember|note(?: down)?|keep in mind|merke? dir|notiere?(?: dir)?|behalte|denke? dran|retiens|note(?: bien)?|"
    r"souviens-toi|rappelle-toi|recuerda|anota|apunta|ten en cuenta|ricord(?:a|ati)|annota(?:ti)?|tieni a mente|"
    r"lembra(?:-te)?|memoriza|onthoud?|noteer|zapamiętaj|zapisz|zapamatuj si|pamatuj si|kom ihåg|husk|muista)"
    r"(?:,? (?:also|too|please|for me|even|maar|mal|auch|bitte|bien|aussi|también|por favor|per favore|alsjeblieft|"
    r"proszę|prosím)){0,2},? (?:that (?=(?:i|i['’]m|my|we|our|he|she|they|his|her|their|the|an?|it|there|on|in|at|every"
    r"|(?-i:[A-Z])\w*)\b)|(?:att?) (?=(?:jag|min|mitt|mina|vi|vår|jeg|mit|mine|vores|han|hon|hun|det|den|de)\b)"
    r"|(?:dass|daß|que|che|dat|że|že|että) )(?=\S+ \S)",
    re.IGNORECASE,
)
"""What a message begins with that plainly asks to remember what follows, in eleven languages."""
_ASKS_FOR_MORE = re.compile(
    r"\b(?:and|then|und|dann|et|puis|y|e|en)[, ]+(?:please |then |bitte )?"
    r"(?:suggest|recommend|write|tell|give|find|show|make|plan|summari[sz]e|translate|explain|help|list|remind|forget|schlag|schreib|empfiehl|gib|zeig|mach|such|erklär|erinner"
    r"|vergiss|propose|écris|donne|recommande|explique|trouve|rappelle|oublie|sugiere|recomienda|escribe|dime|dame|busca"
    r"|explica|recuérda|olvida|suggerisci|consiglia|scrivi|dimmi|cerca|spiega|dimentica|sugere|recomenda|escreve|diz|stel"
    r"|schrijf|geef|zoek|vertel|vergeet)",
    re.IGNORECASE,
)
"""What wishes for something else beside it."""
_HAS_KEPT = re.compile(r"\b(?:mind|save|store|know|learn)", re.IGNORECASE)
"""Those that ask for it unless they stand in a question: "you should know that I drive a van"."""
_LASTING = re.compile(
    # What one is, has, likes or is called; not what one is doing or wants now ("I am looking for").
    r"\bi(?:['’]m| am| was)(?! (?:\w+ing|sorry|wrong|mistaken|sure|glad|happy|afraid|curious|done|back|fine|ok|okay|"
    r"here|so|just|not sure)\b)|"
    r"\bi(?:['’]ve got|['’]d rather)? ?\b(?:live|work|like|love|prefer|hate|dislike|enjoy|have|own|speak|"
    r"eat|drink|drive|study|"
    r"teach|play|use|never|always|usually|can['’]t eat|don['’]t (?:eat|drink|like))\b|\b(?:call me|"
    r"my name|we (?:are|have|live))\b|"
    r"\b(?:my|our) (?:[\w'’-]+ ){1,4}?(?:is|are|was|has|have|lives?|likes?)\b|"
    r"\bich (?:bin|heiße|wohne|lebe|arbeite|mag|liebe|habe|esse|trinke|spreche)\b|\bnenn\w* mich\b|"
    r"\b(?:mein|unser)\w{0,2} (?:[\w-]+ ){1,3}?(?:ist|sind|hat|heißt|wohnt|mag)\b|"
    r"\bje (?:suis|vis|travaille|préfère|parle|mange)\b|\bj['’](?:ai|aime|habite|adore)\b|\bje m['’]appelle\b|"
    r"\b(?:mon|ma|mes|notre) (?:[\w-]+ ){1,3}?(?:est|sont|a|s['’]appelle)\b|"
    r"\b(?:soy|tengo|vivo|trabajo|prefiero|hablo|me llamo|me gusta\w?)\b|"
    r"\bmis? (?:\w+ ){1,3}?(?:es|son|tiene|se llama)\b|"
    r"\b(?:sono|abito|lavoro|preferisco|parlo|mi chiamo|mi piac\w+|ho \d+ anni)\b|"
    r"\b(?:il mio|la mia|i miei) (?:\w+ ){1,3}?(?:è|sono|ha|si chiama)\b|"
    r"\b(?:sou|tenho|moro|trabalho|prefiro|falo|me chamo|chamo-me|gosto de)\b|"
    r"\b(?:meu|minha) (?:\w+ ){1,3}?(?:é|são|tem|se chama)\b|"
    r"\bik (?:ben|heet|woon|werk|heb|hou|eet|drink|spreek)\b|\bmijn (?:\w+ ){1,3}?(?:is|zijn|heet|heeft)\b|"
    r"\b(?:jag|jeg) (?:är|er|heter|hedder|bor|arbetar|arbejder|har|gillar|liker)\b|\b(?:olen|asun|nimeni on)\b|"
    r"\b(?:jestem|mieszkam|pracuję|lubię|nazywam się|mam na imię)\b|\b(?:jsem|bydlím|pracuji|jmenuji se|mám rád)\b|"
    r"\b(?:vagyok|élek|lakom|a nevem)\b|\b(?:sunt|locuiesc|lucrez|mă numesc|îmi place)\b|"
    r"\b(?:yaşıyorum|çalışıyorum|seviyorum|benim adım)\b|\bменя зовут\b|\bя (?:живу|работаю|люблю|не ем|"
    r"веган|вегетариан)|"
    r"\bмене звати\b|\bя (?:мешкаю|працюю)\b|\b(?:είμαι|μένω|με λένε)\b|\b(?:saya|aku) (?:adalah|tinggal|"
    r"suka|bekerja)\b|"
    r"\btôi (?:là|sống|tên|thích)\b|我(?:是|叫|住|喜欢|有)|(?:私|僕|俺)(?:は|の名前)|(?:나는|저는|"
    r"제 이름)|(?:ผม|ฉัน)(?:ชื่อ|เป็น|อยู่|ชอบ)|"
    r"मेरा नाम|मैं .{1,60} (?:हूँ|हूं|रहता|रहती)|اسمي|أنا |קוראים לי|אני (?:גר|גרה|אוהב|אוהבת) ",
    re.IGNORECASE,
)
_REMINDERS = re.compile(
    r"\b(?:reminders?|erinnerung(?:en)?|rappels?|recordatorios?|promemoria|lembretes?|herinnering(?:en)?)\b",
    re.IGNORECASE,
)
_THE_ONE = re.compile(r"\bones?\b|\bcel(?:ui|le|les)\b|\bceux\b|\bquell[oaei]\b|\baquel\w{0,3}\b", re.IGNORECASE)
"""What stands for a reminder: "the one with the plumber"."""
_POINTER = re.compile(
    r"\b(?:the|that|this|my|last|it|one|es[ea]|est[ea]|el|la|mi|cet?|cette|le|mon|dies\w{0,2}|die|der|das|den|mein\w{0,2}|quello?"
    r"|quest\w|il|mio|o|meu|esse|dat|deze|de|mijn)\b",
    re.IGNORECASE,
)
_ASKS_FOR_REMINDERS = re.compile(
    r"\W*(?:(?:and|und|et|y|e|en)\b,? )?(?:"
    r"(?:which|what) (?:other )?reminders (?:are there|do i have|have i|have you|did (?:i|you)|i have|you have)\b"
    r"|(?:are there|do i have|have i(?: got)?) (?:any )?reminders\b"
    r"|(?:list|show(?: me)?) (?:all )?(?:my|the) reminders\b"
    r"|what (?:are|were) my reminders\b"
    r"|welche erinnerungen (?:habe ich|hast du|gibt es|sind)\b|(?:habe ich|gibt es) (?:noch )?erinnerungen\b"
    r"|quels rappels (?:as-tu|ai-je|j['’]ai|tu as|y a-t-il|sont)\b|(?:ai-je|y a-t-il) (?:des|encore des) rappels\b"
    r"|(?:qué|cuáles|que) recordatorios (?:tengo|tienes|hay|has)\b|(?:tengo|hay) recordatorios\?"
    r"|(?:quali|che) promemoria (?:ho|hai|ci sono)\b|(?:ho|ci sono) (?:dei )?promemoria\?"
    r"|(?:quais|que) lembretes (?:tenho|tens|há)\b|(?:tenho|há) lembretes\?"
    r"|welke herinneringen (?:heb ik|heb je|zijn er)\b)",
    re.IGNORECASE,
)
"""What a message begins with that asks which reminders there are, in seven languages; memories have the same name in
some, and a vaccination's booster in another."""
_SEVERAL_REMINDERS = re.compile(
    r"\b(?:reminders|erinnerungen|rappels|recordatorios|lembretes|herinneringen|all|alle|tous|todos|tutti)\b",
    re.IGNORECASE,
)
_TAKES_BACK = re.compile(
    r"\W*(?:(?:oh|oops|ah|ach|och|hm+|no|wait|nein|halt|non|nee|não)[,!. ]+){0,2}"
    r"(?:(?:no|wait|nein|halt|non|nee|não|anzi)(?=\W)|(?:i['’]?m )?sorry\b|correction\b|actually\b|oops\b|my mistake\b"
    r"|(?:a )?typo\b|i (?:meant|mistyped|misspoke)\b|that (?:was|is|['’]s) wrong\b"
    r"|i(?: was|['’]m| am) (?:wrong|mistaken)\b"
    r"|(?:entschuldigung|korrektur|verzeihung|vertippt)\b|ich meinte\b|ich habe mich (?:vertippt|geirrt|vertan)\b"
    r"|pardon\b|désolée?\b|erreur\b|je (?:voulais dire|me suis trompée?)\b|en fait\b|perd[oó]n\b|quería decir\b"
    r"|me (?:he equivocado|equivoqué)\b|en realidad\b|scusa(?:mi)?\b|volevo dire\b|mi sono sbagliat[oa]\b"
    r"|desculpa\b|queria dizer\b|enganei-me\b|na verdade\b|ik bedoelde\b|foutje\b)",
    re.IGNORECASE,
)
"""What a message begins with that takes back what its author said before, in seven languages."""
MAX_WORDS_TAKING_BACK = 16
_SENTENCE_OF_USER = re.compile(r"[^.!?…。！？؟\n]+[.!?…。！？؟]*")
_ASKING = re.compile(r"[?？؟]")
_COURTESY = re.compile(
    r"\b(?:thank\w*|thx|tnx|ty|ta|cheers|hello|hi|hiya|hey|bye|goodbye|welcome|good (?:morning|evening|night|"
    r"day|afternoon)|"
    r"appreciate\w*|danke\w*|dank|hallo|servus|moin|guten? (?:tag|morgen|abend|nacht)|tschüss?|merci|"
    r"bonjour|bonsoir|salut|"
    r"au revoir|gracias|hola|adiós|buen[oa]s (?:d[ií]as|tardes|noches)|grazie|ciao|buongiorno|buonasera|"
    r"arrivederci|obrigad[oa]|"
    r"olá|oi|tchau|bom dia|boa (?:tarde|noite)|bedankt|hoi|goede\w+|doei|tack|hej|tak|takk|hei|kiitos|moi|terve|"
    r"dzięk\w*|cześć|děkuj\w*|díky|ahoj|köszön\w*|szia|mulțum\w*|bună|teşekkür\w*|sağ ?ol|merhaba|selam|"
    r"спасибо|привет|"
    r"здравствуй\w*|пока|дякую|привіт|ευχαριστ\w*|γεια|terima kasih|halo|cảm ơn|xin chào|شكرا\w*|مرحبا\w*|"
    r"تודה|תודה|שלום|"
    r"धन्यवाद|शुक्रिया|नमस्ते|ধন্যবাদ)(?!\w)|谢谢|謝謝|多谢|感谢|你好|您好|再见|ありがとう|こんにちは|"
    r"おはよう|こんばんは|감사\w*|고마\w*|"
    r"안녕\w*|ขอบคุณ|สวัสดี",
    re.IGNORECASE,
)
_NO_COURTESY = re.compile(
    r"(?:^|[,.;!]\s{0,3}|\b(?:thanks|thx|ta|ty|cheers|hi|hiya|hey|hello|ok|okay|and|then) )(?:is|was) "
    r"(?:it|that|this|there|all|everyone)\b|\bi (?:really |just )?love\b|\bmy (?:mate|love|friend) is\b|\bthanksgiving"
    r"|\b(?:needed|wanted) (?:help|the|that|an?)\b|\bnow the\b|^\W*yes please\b",
    re.IGNORECASE,
)
"""What asks or tells something with no other words than thanks have."""
_BESIDE_COURTESY = re.compile(
    r"\b(?:you|your|u|so|very|much|a|an|lot|many|again|for|the|that|this|it|is|was|all|my|friend|magpie|"
    r"help\w*|answer\w*|great|ederim|know|yes|no|"
    r"nice|good|well|done|perfect|super|wonderful|awesome|cool|brilliant|lovely|fantastic|excellent|fab|amazing|ok|okay|kay"
    r"|alright|right|thats|needed|wanted|really|just|what i|now|then|got|mate|love|everyone|there|s|please|user"
    r"|says?|said|dir|"
    r"ihnen|vielen|sehr|schön|"
    r"bitte|beaucoup|bien|muchas|muy|por|todo|mille|molte|tanto|muito|je|wel|så|mycket|bardzo|moc|большое|"
    r"вам|тебе|i|and|to)\b|"
    r"您|你|了|ございます|ございました",
    re.IGNORECASE,
)
"""What stands beside thanks and adds nothing to them; a small model makes "The user says thank you" of them."""


def users_sentences(message: str) -> list[str]:
    """The sentences of a message, each with the signs that end it."""
    return _SENTENCE_OF_USER.findall(message)


def asks_for_reminders(message: str) -> bool:
    """Whether a message asks which reminders there are: "quels rappels as-tu notés pour moi ?"."""
    return _ASKS_FOR_REMINDERS.match(message) is not None


def names_reminder(text: str) -> bool:
    """Whether a text says which reminder is meant, or that several are: "ese recordatorio" does not."""
    if _SEVERAL_REMINDERS.search(text):
        return True
    return any(map(str.isalnum, _POINTER.sub(" ", _REMINDERS.sub(" ", text))))


def without_reminder(text: str) -> str:
    """The words of a text without those for a reminder itself: "my aunt", of "the reminder with my aunt"."""
    named = " ".join(_THE_ONE.sub(" ", _REMINDERS.sub(" ", text)).split())
    return named if any(map(str.isalnum, _POINTER.sub(" ", named))) else text


def asks_to_remember(message: str) -> bool:
    """Whether a message has a word that asks to remember."""
    told = "".join(one for one in users_sentences(message) if not _ASKING.search(one))
    return bool(_REMEMBERS.search(message) or _HAS_KEPT.search(told))


def plainly_asks_to_remember(message: str) -> bool:
    """Whether a message asks to remember what follows, and for nothing else: "onthoud dat ik thuiswerk"."""
    alone = len([one for one in users_sentences(message) if one.strip()]) == 1
    more = _ASKING.search(message) or _ASKS_FOR_MORE.search(message)
    return alone and not more and _ASKS_PLAINLY.match(message) is not None


def correction_in(message: str) -> str:
    """What a short message puts in the place of what its author wrote before: "it's 221", of "sorry, it's 221".

    Empty where it takes nothing back.
    """
    short = len(message.split()) <= MAX_WORDS_TAKING_BACK and not _ASKING.search(message)
    head = _TAKES_BACK.match(message) if short else None
    return message[head.end() :].strip(" ,:;.!–-") if head else ""


def lasting_statements(message: str) -> str:
    """The sentences of a message that plainly say something lasting of who wrote it, one a line; no questions."""
    return "\n".join(one for one in users_sentences(message) if _LASTING.search(one) and not _ASKING.search(one))


def is_courtesy(text: str) -> bool:
    """Whether a text is thanks or a greeting and nothing else."""
    if not _COURTESY.search(text) or _ASKING.search(text) or _NO_COURTESY.search(text):
        return False
    return not re.search(r"\w", _BESIDE_COURTESY.sub(" ", _COURTESY.sub(" ", text)))
