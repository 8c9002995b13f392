"""An answer that claims an act is known in many languages, and ordinary text is left alone."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatbot.conversation.promises import Act, claimed_act

CLAIMS = {
    "en": """remind: Sure, I'll remind you in 20 minutes.|remind: I've set a reminder for 5 pm.
        |remind: Done! Your reminder has been set.|remind: I will gladly remind you tomorrow
        |remind: Reminder set for 9:00.|remind: I have added it to your calendar.|remember: I'll remember that.
        |remember: I've noted that you like tea.|remember: Got it. I'll keep that in mind.
        |remember: I have made a note of it.|remember: Noted!
        |remember: I will remember your name for next time.|forget: I've forgotten that.
        |forget: I have removed it from my memory.|send: I've sent the mail.
        |send: I will send him an email right away.|send: Your message has been sent.
        |send: I'm sending you the link now.|save: I have saved that.
        |save: I've saved the file to your desktop.|save: I'll save this recipe for you.
        |open: I've opened the page for you.|open: I turned it on. I've turned on the lights.
        |book: I've booked a table for two.|book: Your flight has been booked.
        |book: I have ordered you a pizza.|call: I'll call the restaurant now.
        |call: I'll call you back at five.|delete: I've deleted the file.
        |delete: I will delete this: you like tea.|delete: I have cancelled your appointment.
        |watch: I'll let you know when it changes.
        |watch: I'll keep an eye on the price.|watch: I will notify you as soon as it is out.""",
    "de": """remind: Ich werde dich daran erinnern.|remind: Klar, ich erinnere dich um fünf.
        |remind: Gerne erinnere ich dich morgen.|remind: Ich habe eine Erinnerung für 17 Uhr erstellt.
        |remember: Ich merke mir das.|remember: Ich habe mir das gemerkt.|remember: Notiert!
        
        |remember: Ich habe mir notiert, dass du Tee magst.|forget: Ich habe das vergessen.
        |send: Ich habe die E-Mail abgeschickt.|send: Ich schicke dir den Link.
        |save: Ich habe die Datei gespeichert.|book: Ich habe einen Tisch für zwei reserviert.
        |call: Ich rufe den Arzt gleich an.|delete: Ich habe die Datei gelöscht.
        |watch: Ich melde mich, wenn es so weit ist.""",
    "fr": """remind: Je vous le rappellerai.|remind: Bien sûr, je te rappellerai demain.
        |remind: J'ai créé un rappel pour 17 h.|remember: Je m'en souviendrai.|remember: C'est noté !
        |remember: J'ai noté que vous aimez le thé.|send: J'ai envoyé le message.
        |send: Je vous enverrai le lien.|save: J'ai enregistré le fichier.
        |book: J'ai réservé une table pour deux.|call: Je vais appeler le restaurant.
        |delete: J'ai supprimé le fichier.|watch: Je vous préviendrai dès que ce sera prêt.""",
    "es": """remind: Te lo recordaré.|remind: Claro, te recordaré la cita mañana.
        |remind: He creado un recordatorio para las 5.|remember: Lo recordaré.|remember: He tomado nota.
        |send: He enviado el correo.|send: Te enviaré el enlace.|save: He guardado el archivo.
        |book: He reservado una mesa para dos.|call: Llamaré al restaurante ahora.
        |delete: He borrado el archivo.|watch: Te avisaré cuando salga.""",
    "it": """remind: Te lo ricorderò.|remind: Certo, ti ricorderò la riunione.
        |remind: Ho impostato un promemoria per le 17.|remember: Lo terrò a mente.|send: Ho inviato l'e-mail.
        |send: Ti manderò il link.|save: Ho salvato il file.|book: Ho prenotato un tavolo per due.
        |call: Chiamerò il ristorante subito.|delete: Ho cancellato il file.|watch: Ti avviserò appena esce.""",
    "pt": """remind: Vou lembrar você às 5.|remind: Criei um lembrete para amanhã.
        |remember: Vou me lembrar disso.|send: Enviei o e-mail.|send: Vou enviar o link.
        |save: Salvei o arquivo.|book: Reservei uma mesa para dois.|call: Vou ligar para o restaurante.
        |delete: Apaguei o arquivo.|watch: Vou avisar você quando sair.""",
    "nl": """remind: Ik zal je eraan herinneren.|remind: Ik heb een herinnering ingesteld voor 5 uur.
        |remember: Ik onthoud dat.|send: Ik heb de e-mail verstuurd.|save: Ik heb het bestand opgeslagen.
        |book: Ik heb een tafel gereserveerd.|call: Ik bel je morgen.|delete: Ik heb het bestand verwijderd.
        |watch: Ik laat het je weten.""",
    "sv": """remind: Jag ska påminna dig.|remind: Jag påminner dig klockan fem.
        |remind: Jag har ställt in en påminnelse.|remember: Jag kommer att komma ihåg det.
        |send: Jag har skickat mejlet.|save: Jag har sparat filen.|book: Jag har bokat ett bord.
        |delete: Jag har raderat filen.|watch: Jag återkommer till dig.""",
    "da": """remind: Jeg minder dig om det klokken fem.|remind: Jeg har oprettet en påmindelse.
        |send: Jeg har sendt mailen.|save: Jeg har gemt filen.|book: Jeg har booket et bord.
        |delete: Jeg har slettet filen.""",
    "no": """remind: Jeg skal minne deg på det.|send: Jeg har sendt e-posten.|save: Jeg har lagret filen.
        |book: Jeg har bestilt et bord.|watch: Jeg gir deg beskjed.""",
    "fi": """remind: Muistutan sinua kello viisi.|remind: Asetin muistutuksen.|send: Lähetin viestin hänelle.
        |save: Tallensin tiedoston.|book: Varasin pöydän kahdelle.|remember: Muistan sen jatkossa.""",
    "pl": """remind: Przypomnę ci o 17.|remind: Ustawiłem przypomnienie.|remember: Zapamiętam to.
        |send: Wysłałem wiadomość.|save: Zapisałem plik.|book: Zarezerwowałem stolik.|watch: Dam ci znać.
        |call: Zadzwonię do restauracji.""",
    "cs": """remind: Připomenu vám to v pět.|remind: Nastavil jsem připomínku.|remember: Zapamatuji si to.
        |send: Poslal jsem e-mail.|save: Uložil jsem soubor.|watch: Dám vám vědět.""",
    "ro": """remind: Îți voi aminti la ora 5.|remember: Voi ține minte.|send: Am trimis mesajul.
        |save: Am salvat fișierul.|book: Am rezervat o masă.""",
    "hu": """remind: Emlékeztetni foglak ötkor.|remind: Beállítottam egy emlékeztetőt.
        |remember: Ezt megjegyeztem.|send: Elküldtem az üzenetet.|save: Elmentettem a fájlt.""",
    "ru": """remind: Я напомню вам через 20 минут.|remind: Хорошо, напомню завтра.
        |remind: Я поставил напоминание на 17:00.|remember: Я запомню это.
        |remember: Я запомнил, что вы любите чай.|send: Я отправил письмо.|send: Я отправлю ему сообщение.
        |save: Я сохранил файл.|book: Я забронировал столик.|call: Я позвоню в ресторан.|delete: Я удалил файл.
        |watch: Я дам вам знать.""",
    "uk": """remind: Я нагадаю вам про це.|remind: Я встановив нагадування.|remember: Я запам'ятаю це.
        |send: Я надіслав лист.|save: Я зберіг файл.|watch: Я повідомлю вас.""",
    "tr": """remind: Sana hatırlatacağım.|remind: Hatırlatıcı kurdum.|remember: Bunu aklımda tutacağım.
        |send: Mesajı gönderdim.|save: Dosyayı kaydettim.|watch: Sana haber vereceğim.""",
    "el": """remind: Θα σου το θυμίσω.|remind: Έβαλα μια υπενθύμιση.|remember: Θα το θυμάμαι.
        |send: Έστειλα το μήνυμα.|save: Αποθήκευσα το αρχείο.|watch: Θα σε ειδοποιήσω.""",
    "ar": """remind: سأذكرك بذلك غدًا.|remind: لقد ضبطت تذكيرًا.|remember: سأتذكر ذلك.|send: لقد أرسلت الرسالة.
        |book: لقد حجزت لك طاولة.|watch: سأخبرك عندما يتغير.""",
    "he": """remind: אני אזכיר לך מחר.|remind: הגדרתי תזכורת.|remember: אזכור את זה.|send: שלחתי את ההודעה.
        |save: שמרתי את הקובץ.""",
    "hi": """remind: मैं आपको 5 बजे याद दिला दूँगा।|remind: मैं आपको याद दिलाऊँगा।
        |send: मैंने ईमेल भेज दिया है।|save: मैंने फ़ाइल सहेज दिया है।|book: मैंने टेबल बुक कर दी है।""",
    "zh": """remind: 我会提醒你。|remind: 好的，我会在五点提醒您。|remind: 我已经设置了提醒。
        |remember: 我会记住的。|send: 我已经发送了邮件。|save: 我已经保存了文件。|book: 我已经为您预订了座位。
        |delete: 我已删除该文件。|watch: 我会通知您。""",
    "ja": """remind: 5時にリマインドします。|remind: リマインダーを設定しました。|remember: 覚えておきます。
        |send: メールを送信しました。|save: ファイルを保存しました。|book: 席を予約しました。
        |delete: ファイルを削除しました。""",
    "ko": """remind: 5시에 알려 드릴게요.|remind: 알림을 설정했습니다.|remember: 기억하겠습니다.
        |send: 메일을 보냈습니다.|save: 파일을 저장했습니다.|book: 테이블을 예약했습니다.""",
    "vi": """remind: Tôi sẽ nhắc bạn lúc 5 giờ.|remind: Tôi đã đặt lời nhắc.|remember: Tôi sẽ nhớ điều này.
        |send: Tôi đã gửi email.|save: Tôi đã lưu tệp.|watch: Tôi sẽ thông báo cho bạn.""",
}
ORDINARY = {
    "en": """I'll explain it step by step.|I can help you with that.|Let me show you how.
        |You can save the file with Ctrl+S.|Reminders can be set with /remind.|I can't remind you.
        |I cannot send e-mails.|I won't remember that.|I will not save this.|If you like, I'll remind you.
        |Would you like me to remind you?|Shall I set a reminder?|She said I'll send it tomorrow.
        |You could write: "I will send you the documents tomorrow."|To send mail, call `I'll send the mail()`.
        |I have read the page.|I've found three results.|I'll keep this short.|I'll open with a definition.
        |I'll call this value x.|I'll save you some time: the answer is no.|I have ordered the list by date.
        |I removed the comma.|I've deleted the second sentence.|I have booked.com open in mind.
        |The company sent the message in 1912.|The email was sent by Napoleon's clerk.
        |Remember that water boils at 100 °C.|Don't forget to save your work.
        |The reminder is set in the settings.|He called the doctor and left.|I'll note that the results differ.
        |I'll send a signal to the process in this example code.|Send me the file and I read it.
        |The function saves the file and sends it.|I have created a table for you.|I've written a poem for you.
        |I'll translate it for you.|I will summarise the file.|I looked that up for you.
        |I searched the web and found this.|The doctor will call you back.|They will remind you a day before.
        |Google will notify you when it is ready.|I will remind you that not all birds fly.
        |I've described how to delete a file.|I'll never forget that day.|I hope I'll remember that.
        |I don't have a calendar, so no reminder is set.|Your computer saves the file by itself.
        |I've called them "nodes" above.|I'll list the steps to book a table.
        |I would send the mail in the morning.|The alarm was set by the crew.|When asked, I'll remember that.
        |Imagine I've sent the letter.""",
    "de": """Ich erkläre es dir.|Ich kann dir helfen.|Ich kann dich nicht erinnern.
        |Ich werde dich nicht daran erinnern.|Soll ich dich erinnern?|Wenn du willst, erinnere ich dich.
        |Erinnerungen kannst du mit /remind setzen.|Du kannst die Datei mit Strg+S speichern.
        |Ich habe die Seite gelesen.|Ich habe drei Ergebnisse gefunden.
        |Er sagte, ich werde dich daran erinnern.|Du könntest schreiben: „Ich schicke Ihnen die Unterlagen.“
        |Der Arzt ruft Sie an.|Ich habe das Komma gelöscht.|Ich habe leider nichts gespeichert.
        |Die Firma hat die Nachricht gesendet.|Ich habe die Liste nach Datum sortiert.
        |Man merkt sich das leicht.|Ich schreibe dir einen Entwurf.|Ich kann keine E-Mails senden.
        |Ich habe keine Erinnerung erstellt.""",
    "fr": """Je vais vous expliquer.|Je peux vous aider.|Je ne peux pas vous le rappeler.
        |Je ne vous le rappellerai pas.|Voulez-vous que je vous le rappelle ?
        |Si vous voulez, je vous le rappellerai.|J'ai trouvé trois résultats.
        |Vous pouvez enregistrer le fichier avec Ctrl+S.|Écrivez : « Je vous enverrai les documents demain. »
        |Les rappels se créent avec /remind.|J'ai lu la page.|Il a envoyé le message.
        |Je n'ai pas envoyé le message.|Je vous rappelle que l'eau bout à 100 °C.|Le médecin vous appellera.
        |Je vais traduire le texte.""",
    "es": """Te lo explico.|Puedo ayudarte.|No puedo recordártelo.|No te lo recordaré.
        |¿Quieres que te lo recuerde?|Si quieres, te lo recordaré.|He encontrado tres resultados.
        |Puedes guardar el archivo con Ctrl+S.|Escribe: «Te enviaré los documentos mañana.»
        |Los recordatorios se crean con /remind.|He leído la página.|Ella envió el correo.
        |No he enviado el correo.|El médico te llamará.|Voy a traducir el texto.|Voy a explicar el archivo.""",
    "it": """Te lo spiego.|Posso aiutarti.|Non posso ricordartelo.|Non te lo ricorderò.|Vuoi che te lo ricordi?
        |Se vuoi, te lo ricorderò.|Ho trovato tre risultati.|Puoi salvare il file con Ctrl+S.
        |Scrivi: «Ti manderò i documenti domani.»|I promemoria si creano con /remind.|Ho letto la pagina.
        |Lei ha inviato il messaggio.|Non ho inviato l'e-mail.|Il medico ti chiamerà domani, credo di no.""",
    "pt": """Vou explicar.|Posso ajudar.|Não posso lembrar você.|Não vou lembrar você.|Quer que eu lembre você?
        |Se quiser, vou lembrar você.|Encontrei três resultados.|Você pode salvar o arquivo com Ctrl+S.
        |Escreva: “Vou enviar os documentos amanhã.”|Os lembretes são criados com /remind.|Li a página.
        |Ela enviou o e-mail.|Não enviei o e-mail.|Vou traduzir o texto.""",
    "nl": """Ik leg het uit.|Ik kan je helpen.|Ik kan je er niet aan herinneren.|Ik zal je niet herinneren.
        |Zal ik je eraan herinneren?|Als je wilt, zal ik je eraan herinneren.|Ik heb drie resultaten gevonden.
        |Je kunt het bestand opslaan met Ctrl+S.|Herinneringen maak je met /remind.|Ik heb de pagina gelezen.
        |Ik heb de e-mail niet verstuurd.|De dokter belt je.""",
    "sv": """Jag förklarar det.|Jag kan hjälpa dig.|Jag kan inte påminna dig.|Ska jag påminna dig?
        |Om du vill påminner jag dig. Om du vill, ska jag påminna dig.|Jag hittade tre resultat.
        |Du kan spara filen med Ctrl+S.|Jag har läst sidan.|Jag har inte skickat mejlet.|Läkaren ringer dig.""",
    "da": """Jeg forklarer det.|Jeg kan hjælpe dig.|Jeg kan ikke minde dig om det.|Skal jeg minde dig om det?
        |Hvis du vil, minder jeg dig om det.|Jeg fandt tre resultater.|Du kan gemme filen med Ctrl+S.
        |Jeg har ikke sendt mailen.""",
    "pl": """Wyjaśnię to.|Mogę pomóc.|Nie przypomnę ci.|Czy mam ci przypomnieć?|Jeśli chcesz, przypomnę ci.
        |Znalazłem trzy wyniki.|Możesz zapisać plik skrótem Ctrl+S.|Nie wysłałem wiadomości.
        |Lekarz do ciebie zadzwoni.|Napisz: „Wyślę ci dokumenty jutro.”""",
    "cs": """Vysvětlím to.|Mohu vám pomoci.|Nepřipomenu vám to.|Mám vám to připomenout?
        |Pokud chcete, připomenu vám to.|Našel jsem tři výsledky.|Soubor uložíte pomocí Ctrl+S.
        |Neposlal jsem e-mail.""",
    "hu": """Elmagyarázom.|Segíthetek.|Nem tudlak emlékeztetni.|Emlékeztesselek?
        |Ha szeretnéd, emlékeztetni foglak.|Három találatot találtam.|A fájlt a Ctrl+S-sel mentheted el.
        |Nem küldtem el az üzenetet.""",
    "ru": """Я объясню.|Я могу помочь.|Я не напомню.|Я не могу напомнить.|Напомнить вам?
        |Если хотите, я напомню.|Я нашёл три результата.|Файл можно сохранить через Ctrl+S.
        |Напишите: «Я отправлю вам документы завтра».|Я прочитал страницу.|Я не отправил письмо.
        |Она отправила письмо.|Врач позвонит вам.|Напоминания создаются через /remind.""",
    "uk": """Я поясню.|Я можу допомогти.|Я не нагадаю.|Нагадати вам?|Якщо хочете, я нагадаю.
        |Я знайшов три результати.|Файл можна зберегти через Ctrl+S.|Я не надіслав лист.""",
    "tr": """Açıklayayım.|Yardım edebilirim.|Sana hatırlatamam.|Hatırlatayım mı?|Üç sonuç buldum.
        |Dosyayı Ctrl+S ile kaydedebilirsin.|Mesajı göndermedim.|Doktor seni arayacak.""",
    "el": """Θα το εξηγήσω.|Μπορώ να βοηθήσω.|Δεν θα σου το θυμίσω.|Να σου το θυμίσω;
        |Αν θέλεις, θα σου το θυμίσω.|Βρήκα τρία αποτελέσματα.|Δεν έστειλα το μήνυμα.
        |Μπορείς να αποθηκεύσεις το αρχείο με Ctrl+S.""",
    "ar": """سأشرح ذلك.|يمكنني المساعدة.|لن أذكرك.|هل تريد أن أذكرك؟|إذا أردت، سأذكرك بذلك.|وجدت ثلاث نتائج.
        |يمكنك حفظ الملف.|لم أرسل الرسالة.""",
    "zh": """我来解释一下。|我可以帮助你。|我不会提醒你。|要我提醒你吗？|如果你愿意，我会提醒你。
        |我找到了三个结果。|你可以用Ctrl+S保存文件。|我没有发送邮件。|她说我会提醒你。|医生会给你打电话。
        |我可以提醒您。""",
    "ja": """説明します。|お手伝いできます。|リマインドできません。|リマインドしましょうか？
        |3件見つかりました。|Ctrl+Sでファイルを保存できます。|メールは送信していません。
        |自動的にファイルを保存します。|翻訳します。""",
    "ko": """설명해 드리겠습니다.|도와드릴 수 있습니다.|알림을 설정할 수 없습니다.|알려 드릴까요?
        |결과를 세 개 찾았습니다.|Ctrl+S로 파일을 저장할 수 있습니다.|메일을 보내지 않았습니다.
        |원하시면 5시에 알려 드릴게요.""",
}


def table(texts: str) -> list[str]:
    return [text for text in (re.sub(r"\s+", " ", text).strip() for text in texts.split("|")) if text]


POSITIVE = [(language, *text.split(": ", 1)) for language, texts in CLAIMS.items() for text in table(texts)]
NEGATIVE = [(language, text) for language, texts in ORDINARY.items() for text in table(texts)]


def test_the_tables_are_long_enough_to_say_something() -> None:
    assert len(POSITIVE) >= 120 and len(CLAIMS) >= 12
    assert len(NEGATIVE) >= 200 and len(ORDINARY) >= 12


@pytest.mark.parametrize(("language", "act", "text"), POSITIVE)
def test_a_claim_is_known(language: str, act: str, text: str) -> None:
    assert claimed_act(text) is Act(act)


@pytest.mark.parametrize(("language", "text"), NEGATIVE)
def test_ordinary_text_claims_nothing(language: str, text: str) -> None:
    assert claimed_act(text) is None


@pytest.mark.parametrize(
    "text",
    [
        "Dear Ms Smith,\n\nI will send you the documents tomorrow. I have booked a table.\n\nBest regards\nAnna",
        "Here is a draft:\n\nSubject: Our meeting\n\nHi Bob,\nI'll call you back at five.\nBest, Anna",
        "Sehr geehrte Frau Maier,\n\nich habe die Unterlagen gespeichert.\n\nMit freundlichen Grüßen",
        "Chère Madame,\n\nJe vous enverrai le dossier demain.\n\nCordialement",
        "Estimado señor:\n\nLe enviaré los documentos mañana.\n\nAtentamente",
        "Уважаемый Иван Петрович!\n\nЯ отправлю вам документы завтра.\n\nС уважением",
        "> I'll remind you tomorrow.",
        "```\nI've sent the mail.\n```",
        "    I'll remind you tomorrow.",
        "I will remember this trip\nThe waves against the ship\nI've sent the letter home\nAcross the silver foam",
        "| I'll remind you | Ich werde dich erinnern |",
        "The phrase 'I have sent the mail' is in the present perfect.",
    ],
)
def test_what_is_quoted_or_written_for_someone_else_claims_nothing(text: str) -> None:
    assert claimed_act(text) is None


def test_a_claim_around_what_was_written_for_someone_is_known() -> None:
    letter = "Dear Bob,\n\nI will call you back at five.\n\nBest regards\nAnna\n\nI have sent the email for you."
    assert claimed_act(letter) is Act.SEND
    assert claimed_act("The shop opens at nine.\n\n**I'll remind you tomorrow.**") is Act.REMIND
    assert claimed_act("Hi Anna,\n\nI've set a reminder for five.") is Act.REMIND
    assert claimed_act("I'll remind you tomorrow. Anything else?") is Act.REMIND


@given(st.text(max_size=400))
def test_nothing_that_can_be_written_makes_it_stumble(text: str) -> None:
    claimed_act(text)


def test_a_long_answer_without_an_end_is_read_in_no_time() -> None:
    for piece in ("I'll ", "ich werde ", '"', "'", "j'ai ", "我会", "Dear a", "> \n", "я вам "):
        claimed_act(piece * 4000)
