"""One fact of a sentence turned into another: a number, a date, a name, a denial, a direction."""

import random
import re
from collections.abc import Callable, Sequence

Flip = Callable[[random.Random, str, str, Sequence[str], str], str]
"""Sentence, answer, texts that others can be taken from (the passage first), language; empty where nothing fits."""
YEAR = re.compile(r"(?<![\d.,])(1[0-9]{3}|20[0-4]\d)(?![\d.,]\d|\d)")
NUMBER = re.compile(r"(?<![\d.,:/-])\d+(?:[.,]\d+)*(?!\d)")
MONTHS = {
    "en": "January February March April May June July August September October November December",
    "de": "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
    "es": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    "ro": "ianuarie februarie martie aprilie mai iunie iulie august septembrie octombrie noiembrie decembrie",
    "ru": "января февраля марта апреля мая июня июля августа сентября октября ноября декабря",
    "el": "Ιανουαρίου Φεβρουαρίου Μαρτίου Απριλίου Μαΐου Ιουνίου Ιουλίου Αυγούστου Σεπτεμβρίου Οκτωβρίου Νοεμβρίου",
    "tr": "Ocak Şubat Mart Nisan Mayıs Haziran Temmuz Ağustos Eylül Ekim Kasım Aralık",
    "ar": "يناير فبراير مارس أبريل مايو يونيو يوليو أغسطس سبتمبر أكتوبر نوفمبر ديسمبر",
    "th": "มกราคม กุมภาพันธ์ มีนาคม เมษายน พฤษภาคม มิถุนายน กรกฎาคม สิงหาคม กันยายน ตุลาคม พฤศจิกายน ธันวาคม",
    "hi": "जनवरी फरवरी मार्च अप्रैल मई जून जुलाई अगस्त सितंबर अक्टूबर नवंबर दिसंबर",
}
DENIED = {
    "en": (r"\b(is|was|are|were|has|have|had|can|could|will|would|did)\b", r"\1 not"),
    "de": (r"\b(ist|war|sind|waren|wurde|wurden|hat|hatte|kann|wird)\b", r"\1 nicht"),
    "es": (r"\b(es|fue|era|son|fueron|tiene|había|ha|han|está)\b", r"no \1"),
    "ro": (r"\b(este|a|au|era|sunt|erau)\b", r"nu \1"),
    "ru": (r"\b(был|была|было|были|является|являются|стал|стала|имеет)\b", r"не \1"),
    "el": (r"\b(είναι|ήταν|έχει|είχε|μπορεί|υπάρχει)\b", r"δεν \1"),
    "ar": (r"(?<!\w)(كان|كانت|يكون|تم)(?!\w)", r"لم \1"),
    "vi": (r"\b(là|được|có|đã)\b", r"không \1"),
    "zh": (r"(是|有|能|会|在)", r"不\1"),
    "th": (r"(เป็น|มี|ได้)", r"ไม่\1"),
    "hi": (r"(?<!\w)(है|हैं|था|थे|थी)(?!\w)", r"नहीं \1"),
    "tr": (r"(\w+(?:dır|dir|dur|dür))\b", r"\1 değil"),
}
DENIALS = {
    "en": r"\b(?:not|never) |n't\b", "de": r"\b(?:nicht|nie|niemals) ", "es": r"\b(?:no|nunca) ", "ro": r"\bnu ",
    "ru": r"\bне ", "el": r"\bδεν ", "ar": r"(?<!\w)(?:لم|لا|ليس) ", "vi": r"\b(?:không|chưa) ", "zh": r"不|没",
    "th": r"ไม่", "hi": r"(?<!\w)नहीं ",
}  # fmt: skip
TURNED = {
    "en": "before/after more/less increased/decreased increase/decrease north/south northern/southern east/west "
    "eastern/western won/lost above/below first/last higher/lower high/low largest/smallest "
    "larger/smaller began/ended "
    "early/late older/younger old/new most/fewest greater/fewer inside/outside male/female "
    "maximum/minimum opened/closed "
    "rose/fell positive/negative public/private strong/weak best/worst success/failure major/minor "
    "long/short rich/poor "
    "gained/lost allowed/forbidden legal/illegal upper/lower always/never ancient/modern earlier/later buy/sell "
    "ahead/behind left/right faster/slower hot/cold same/different majority/minority internal/external",
    "de": "vor/nach mehr/weniger größte/kleinste ersten/letzten nördlich/südlich östlich/westlich höher/niedriger "
    "großen/kleinen alten/neuen erste/letzte gewann/verlor hohe/niedrige später/früher",
    "es": "antes/después más/menos mayor/menor norte/sur este/oeste primera/última primer/último "
    "gran/pequeño alto/bajo "
    "aumentó/disminuyó ganó/perdió",
    "ro": "înainte/după mult/puțin mare/mic nord/sud est/vest primul/ultimul prima/ultima creștere/scădere",
    "ru": "до/после более/менее больше/меньше первый/последний север/юг восток/запад "
    "большой/маленький первая/последняя "
    "высокий/низкий увеличение/уменьшение",
    "el": "πριν/μετά περισσότερο/λιγότερο μεγαλύτερη/μικρότερη βόρεια/νότια ανατολικά/δυτικά "
    "πρώτη/τελευταία πρώτο/τελευταίο",
    "tr": "önce/sonra büyük/küçük kuzey/güney doğu/batı ilk/son yüksek/düşük eski/yeni",
    "ar": "قبل/بعد شمال/جنوب شرق/غرب أكبر/أصغر أعلى/أدنى",
    "vi": "trước/sau lớn/nhỏ bắc/nam đông/tây đầu/cuối cao/thấp tăng/giảm",
    "zh": "以前/以后 之前/之后 增加/减少 最大/最小 第一/最后 更高/更低 北部/南部 东部/西部",
    "th": "ก่อน/หลัง เพิ่ม/ลด เหนือ/ใต้ ตะวันออก/ตะวันตก สูง/ต่ำ ใหญ่/เล็ก",
    "hi": "पहले/बाद उत्तर/दक्षिण पूर्व/पश्चिम अधिक/कम बड़ा/छोटा उच्च/निम्न",
}


def flip_number(draw: random.Random, sentence: str, answer: str, texts: Sequence[str], language: str) -> str:
    """A number that is no year: another one of the passage, or one that is a little off."""
    found = [m for m in NUMBER.finditer(sentence) if not YEAR.fullmatch(m[0])]
    inside = [m for m in found if m[0] in answer] or found
    if not inside:
        return ""
    match = draw.choice(inside)
    others = [n for n in NUMBER.findall(texts[0]) if n != match[0] and not YEAR.fullmatch(n)]
    new = draw.choice(others) if others and draw.random() < 0.4 else _near(draw, match[0])
    return sentence[: match.start()] + new + sentence[match.end() :]


def _near(draw: random.Random, number: str) -> str:
    places = [i for i, c in enumerate(number) if c.isdecimal()]
    place = draw.choice(places)
    other = draw.choice([d for d in "123456789" if int(d) != int(number[place])])
    return number[:place] + other + number[place + 1 :]


def flip_date(draw: random.Random, sentence: str, answer: str, texts: Sequence[str], language: str) -> str:
    """A year or a month: another one of the passage, or one nearby."""
    names = MONTHS.get(language, "").split()
    months = [
        m for name in names for m in re.finditer(rf"(?<!\w){name}(?!\w)", sentence) if name not in ("May", "März")
    ]
    years = [m for m in YEAR.finditer(sentence)]
    if months and (not years or draw.random() < 0.5):
        match = draw.choice(months)
        new = draw.choice([name for name in names if name != match[0]])
    elif years:
        match = draw.choice([m for m in years if m[0] in answer] or years)
        others = [y for y in YEAR.findall(texts[0]) if y != match[0]]
        off = str(int(match[0]) + draw.choice([-10, -3, -2, -1, 1, 2, 3, 10, 100]))
        new = draw.choice(others) if others and draw.random() < 0.4 else off
    else:
        return ""
    return sentence[: match.start()] + new + sentence[match.end() :]


def flip_name(draw: random.Random, sentence: str, answer: str, texts: Sequence[str], language: str) -> str:
    """The answer, where it is a name, for another answer that is one."""
    if not _is_name(answer, language) or answer not in sentence:
        return ""
    others = [a for a in texts[1:] if _is_name(a, language) and a not in answer and answer not in a]
    return sentence.replace(answer, draw.choice(others), 1) if others else ""


def _is_name(answer: str, language: str) -> bool:
    if any(c.isdecimal() for c in answer):
        return False
    if language in ("zh", "th", "ar", "hi"):
        return 2 <= len(answer) <= 15
    words = answer.split()
    return len(words) <= 4 and words[0][:1].isupper() and words[-1][:1].isupper() and len(answer) > 2


def flip_denial(draw: random.Random, sentence: str, answer: str, texts: Sequence[str], language: str) -> str:
    """Denied where it was not, or not denied where it was."""
    denial = DENIALS.get(language)
    if denial and re.search(denial, sentence):
        return re.sub(denial, "", sentence, count=1)
    pattern, denied = DENIED.get(language, ("(?!)", ""))
    return re.sub(pattern, denied, sentence, count=1) if re.search(pattern, sentence) else ""


def flip_direction(draw: random.Random, sentence: str, answer: str, texts: Sequence[str], language: str) -> str:
    """A word for its opposite."""
    bounds = ("", "") if language in ("zh", "th") else (r"(?<!\w)", r"(?!\w)")
    found: list[tuple[re.Match[str], str]] = []
    for pair in TURNED.get(language, "").split():
        for one, other in (pair.split("/"), pair.split("/")[::-1]):
            found += [(m, other) for m in re.finditer(f"{bounds[0]}{one}{bounds[1]}", sentence)]
    if not found:
        return ""
    match, other = draw.choice(found)
    return sentence[: match.start()] + other + sentence[match.end() :]


FLIPS: dict[str, Flip] = {
    "number": flip_number,
    "date": flip_date,
    "name": flip_name,
    "negation": flip_denial,
    "direction": flip_direction,
}
