"""Words that a question is put with and that say nothing of what it is about, by language."""

from collections.abc import Sequence

_STOP_WORD_LISTS = {
    "ar": (
        "أن أو أي أين إلى إن التي الذي الذين ب بعد بين تلك ثم حتى حيث ذلك على عن عند ف في قبل قد كان كانت كل كم كما "
        "كيف ل لا لكن لم لماذا لن ما ماذا متى مع من هذا هذه هل هم هو هي و يكون"
    ),
    "cs": (
        "a aby ale ani ano az až bez bude budou by byl byla bylo byly být co což do i ja jak jaká jaké jaký je jeho "
        "jejich jen ještě jsem jsou já k kam kde kdo kdy když která které který kteří ma mezi má na nad ne nebo není "
        "o od po pod podle pro proto proč při s se si své ta tak také tato ten tento to tu té u už v ve více však z "
        "za ze či že"
    ),
    "da": (
        "af alle at blev bliver da de dem den denne der deres det dette dig din du efter eller en end er et for fra "
        "han har havde hende hendes her hos hun hvad hvem hvilke hvilken hvilket hvis hvor hvordan hvorfor hvornår i "
        "ikke ind jeg kan kunne man med meget men mig min mit mod ned noget nogle nu når og også om op os over på sig "
        "sin skal som så til ud under var ved vi vil ville være været"
    ),
    "de": (
        "aber als am an auch auf aus bei beim bin bis bist da damit dann das dass dein deine dem den der deren des "
        "dessen dich die dies diese diesem diesen dieser dieses dir doch dort du durch ein eine einem einen einer "
        "eines er es etwas euch euer für gegen gibt hab habe haben hat hatte hatten hier hin ich ihm ihn ihnen ihr "
        "ihre ihrem ihren ihrer im in ins ist ja jede jedem jeden jeder jedes jene kann kein keine keinem keinen "
        "können könnte man mein meine mich mir mit muss nach nicht noch nun nur ob oder ohne sehr sein seine seinem "
        "seinen seiner seit selbst sich sie sind so soll sollte sondern um und uns unser unter viel viele vom von vor "
        "wann war waren warum was weil welche welchem welchen welcher welches wem wen wenn wer werde werden wessen "
        "wie wieso wird wo wodurch wofür woher wohin worden wurde wurden während zu zum zur zwischen über"
    ),
    "el": (
        "ένα ένασ έχει έχουν ή ήταν αλλά αν από αυτά αυτή αυτοί αυτό αυτόσ για γιατί δε δεν είναι είχε ενόσ η θα και "
        "κατά κι μία μασ με μετά μη μην μια μιασ μου να ο οι ποια ποιεσ ποιο ποιοι ποιον ποιοσ ποιων που πού πριν πωσ "
        "πόσα πόσεσ πόσο πόσοι πότε πώσ σασ σε σου στα στη στην στισ στο στον στουσ τα την τησ τι τισ το τον του τουσ "
        "των ωσ όμωσ όπωσ όταν ότι"
    ),
    "en": (
        "a about above after again against all also am an and any are aren as at be because been before being below "
        "between both but by can cannot could couldn d did didn do does doesn doing don down during each few for from "
        "further had hadn has hasn have haven having he her here hers herself him himself his how i if in into is isn "
        "it its itself just ll m may me might more most must my myself no nor not of off on once only or other our "
        "ours ourselves out over own re s same shall she should shouldn so some such t than that the their theirs "
        "them themselves then there these they this those through to too under until up upon ve very was wasn we were "
        "weren what when where whether which while who whom whose why will with within without would wouldn you your "
        "yours yourself yourselves"
    ),
    "es": (
        "a al algo algunas algunos ante antes como con contra cuando cuál cuáles cuándo cuánta cuántas cuánto cuántos "
        "cómo de del desde donde durante dónde e el ella ellas ellos en entre era eran es esa esas ese eso esos esta "
        "estas este esto estos está están fue fueron ha había habían han hasta hay la las le les lo los me mi mis muy "
        "más nada ni no nos nosotros o os otra otras otro otros para pero por porque que quien quienes quién quiénes "
        "qué se sea ser si sido sin sobre son su sus sí también tanto te tiene tienen todo todos tu tus un una unas "
        "uno unos y ya yo él"
    ),
    "fi": (
        "ei eivät että ja jo joka jonka jossa jota jotka kanssa ketkä kuin kuinka kuka kun me mihin miksi mikä mikäli "
        "milloin minkä minun minä missä mistä miten mitkä mitä mukaan mutta myös ne niiden niin noin nyt näiden nämä "
        "ole oli olivat olla on ovat se sekä sen siitä sinä sitä tai te tämä tämän vai vain"
    ),
    "fr": (
        "ai au aux avait avant avec ayant c ce ceci cela celle celui ces cet cette ceux chez combien comme comment d "
        "dans de depuis des donc dont du elle elles en entre es est et eu eux fait il ils j je l la laquelle le "
        "lequel les lesquelles lesquels leur leurs lui m ma mais me mes moi mon même n ne ni nos notre nous on ont ou "
        "où par pas pendant peut plus pour pourquoi qu quand que quel quelle quelles quels qui quoi s sa sans se sera "
        "ses si son sont sous sur t ta te tes toi ton très tu un une vers vos votre vous y à étaient était été être"
    ),
    "hi": (
        "अपनी अपने इन इस उन उस एक और कब कर करता करते करने कहाँ कहां का कि कितना कितनी कितने किया किस किसने किसी किसे "
        "की के कैसे को कौन कौनसा क्या क्यों गई गए गया जब जो तक तो था थी थे द्वारा नहीं ने पर बाद भी में यह या ये लिए "
        "वह वे साथ से ही हुआ हुई हुए है हैं हो होता होती होते"
    ),
    "hu": (
        "a aki amely amelyek ami az azok azt be csak de e egy el ez ezek ezt fel ha hogy hogyan hol hova hány is itt "
        "ki kik le lehet lenne lett meg mely melyik mi mikor milyen mint mit mivel miért most nagyon ne nem ott pedig "
        "s sem szerint te több után vagy van vannak volt voltak én és ő ők"
    ),
    "it": (
        "a ad agli ai al alla alle allo anche c che chi ci come con cosa cui d da dagli dai dal dalla dalle dallo "
        "degli dei del della delle dello di dove e ed era erano essere fra fu furono gli ha hanno i il in io l la le "
        "lei li lo loro lui ma mi mio ne negli nei nel nella nelle nello noi non o per perché più qual quale quali "
        "quando quanta quante quanti quanto quella quelle quelli quello questa queste questi questo qui se si sia "
        "sono stata stati stato su sua sue sugli sui sul sulla sulle suo suoi ti tra tu tutti un una uno vi voi è"
    ),
    "nb": (
        "alle at av ble blir da de deg dem den denne der dere deres det dette disse du en enn er et etter for fra ha "
        "hadde han hans har henne hennes her hun hva hvem hvilke hvilken hvilket hvis hvor hvordan hvorfor i ikke inn "
        "ja jeg kan kunne man med meg men min mot må nå når og også om opp oss over på seg selv sin sitt skal som så "
        "til under ut var ved vi vil ville være vært"
    ),
    "nl": (
        "aan al alles als altijd bij daar dan dat de der deze die dit doch doen door dus een en er ge had heb hebben "
        "heeft hem het hier hij hoe hoeveel hun ik in is ja je kan kon kunnen maar me meer men met mij mijn moet na "
        "naar niet niets nog nu of om omdat onder ons ook op over reeds te tegen tot u uit uw van veel voor waar "
        "waarom wanneer waren was wat we wel welk welke werd werden wezen wie wil worden wordt zal ze zei zelf zich "
        "zij zijn zo zonder zou"
    ),
    "pl": (
        "a aby albo ale bez by być był była było były co czy czyli dla do gdy gdzie go i ich ile im inne jak jaka "
        "jaki jakie jako je jego jej jest jeszcze jeśli już każdy kiedy kto która które którego której który którzy "
        "lub ma mają między może można na nad nie niż o od on ona one oni oraz po pod podczas przed przez przy się "
        "sobie są ta tak także tam te tego tej ten to tu tych tylko tym u w we według więc wszystkie z za ze że"
    ),
    "pt": (
        "a ao aos aquela aquelas aquele aqueles aquilo as até com como da das de dela delas dele deles depois do dos "
        "e ela elas ele eles em entre era eram essa essas esse esses esta estas este estes está estão eu foi foram há "
        "isso isto já lhe lhes mais mas me mesmo meu meus minha muito na nas nem no nos nossa nosso num numa não nós "
        "o onde os ou para pela pelas pelo pelos por porque quais qual quando quanta quantas quanto quantos que quem "
        "quê se sem ser seu seus sua suas são só também te tem tinha tu tua têm um uma você vocês às é"
    ),
    "ro": (
        "a acea aceasta această acest acesta aceste acestea acum ai al ale am ar are as au avea ca care ce ci cine cu "
        "cum când cât câte câți cărei cărui da dacă dar de deci despre din după e ea ei el ele era erau este eu fi "
        "fost i la le lor lui mai mi mult nu o or pe pentru prin sa sale sau se sub sunt să său te un unde unei unor "
        "unui va în între și"
    ),
    "ru": (
        "а без более бы был была были было быть в вам вас ваш весь во вот все всего всех вы где да даже для до его ее "
        "ей ему если есть еще ещё её же за здесь и из или им их к как какая какие каким каких какого какое какой "
        "какую ко когда которая которое которые который кто ли либо между меня мне мы на над надо нас не него нее нет "
        "неё ни них но ну о об однако он она они оно от очень по под почему при про с сколько со так также там те тем "
        "то того тоже той только том ты у уже чего чей чем что чтобы чья эта эти это этого этой этом этот я"
    ),
    "sv": (
        "alla att av blev bli blir de dem den denna deras dess det detta dig din du där då efter ej eller en er ett "
        "från för ha hade han hans har henne hennes hon hos hur i icke in inte ja jag kan kunde man med mellan men "
        "mig min mot mycket ni nu när någon något några och om oss på sedan sig sin själv ska skall skulle som så "
        "till under upp ut vad var varför varit vem vi vid vilka vilken vilket vill är över"
    ),
    "tr": (
        "acaba ama ancak bazı ben bir biri birkaç biz bu bunu bunun da daha de değil diye dolayı en gibi hangi "
        "hangisi hem hep her hiç ile ise için kadar kaç ki kim kime kimin mi mu mü mı nasıl ne neden nedir nerede "
        "nereye niye niçin o olan olarak oldu olduğu olur onlar onu onun sen siz tüm ve veya ya yani çok çünkü şey şu"
    ),
}
_STOP_WORD_LISTS |= dict.fromkeys(("no", "nn"), _STOP_WORD_LISTS["nb"])
STOP_WORDS = {language: frozenset(words.split()) for language, words in _STOP_WORD_LISTS.items()}
"""Articles, prepositions, auxiliary verbs and what questions begin with, as they are written in small letters."""


def silent_words(words: Sequence[str], languages: Sequence[str]) -> frozenset[str]:
    """The stop words of the language that a question of these words is in: that most of whose stop words it has.

    Where documents are in several languages, one such word does not tell: `war` is English and German.
    """
    known = [STOP_WORDS[language] for language in languages if language in STOP_WORDS]
    found = [sum(word in stop for word in words) for stop in known]
    most = max(found, default=0)
    return known[found.index(most)] if most >= min(2, len(known)) and most else frozenset()
