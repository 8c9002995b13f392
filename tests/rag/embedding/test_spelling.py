import pytest

from rag.embedding.onnx_model import OnnxEmbedder, export_folder
from rag.embedding.sentence_model import SentenceEmbedder
from rag.embedding.spelling import MULTILINGUAL_ENTRIES, Spelling

ENGLISH = [
    "All human beings are born free and equal in dignity and rights. They are endowed with reason and conscience.",
    "experimental investigation of the aerodynamics of a wing in a propeller slipstream at different angles of attack",
    "def parse(text: str) -> list[int]:\n    return [int(part) for part in text.split(',') if part.strip()]",
    "2024-01-01 17.5 % -- 1,000,000",
    "",
]
OTHERS = [
    "Die Elster baut ihr Nest aus Zweigen in hohen Bäumen, und im Winter sammeln sich die Vögel an Schlafplätzen.",
    "La pie construit son nid de branches dans les grands arbres, et en hiver les oiseaux se rassemblent le soir.",
    "Todos los seres humanos nacen libres e iguales en dignidad y derechos, dotados como están de razón y conciencia.",
    "Semua orang dilahirkan merdeka dan mempunyai martabat dan hak-hak yang sama.",
    "Все люди рождаются свободными и равными в своем достоинстве и правах.",
    "सभी मनुष्यों को गौरव और अधिकारों के मामले में जन्मजात स्वतन्त्रता और समानता प्राप्त है।",
    "人人生而自由,在尊严和权利上一律平等。他们赋有理性和良心。喜鹊在高大的树上用树枝筑巢。",
    "すべての人間は、生まれながらにして自由であり、かつ、尊厳と権利とについて平等である。",
    "모든 인간은 태어날 때부터 자유로우며 그 존엄과 권리에 있어 동등하다.",
    "มนุษย์ทั้งหลายเกิดมามีอิสระและเสมอภาคกันในเกียรติศักดิ์และสิทธิ",
]


async def test_a_name_that_no_vocabulary_has_makes_english_no_other_language(embedder):
    assert await embedder.reads_language("How do the tanks of the dehumidifiers Aquiva R1 and Aquiva R2 differ?")


async def test_minilm_reads_english_and_code_and_no_other_language(embedder, exports):
    fingerprint = SentenceEmbedder().fingerprint
    for reader in (embedder, OnnxEmbedder(export_folder(exports, fingerprint), fingerprint)):
        assert [await reader.reads_language(text) for text in ENGLISH] == [True] * len(ENGLISH)
        assert [await reader.reads_language(text) for text in OTHERS] == [False] * len(OTHERS)


def test_a_lone_surrogate_is_spelt_like_any_unknown_sign():
    assert not Spelling("\ud800猫", [(0, 1), (1, 2)], [False, False], 30_000).is_fluent


@pytest.mark.parametrize(
    ("text", "pieces", "entries", "fluent"),
    [
        ("Zweige", [(0, 2), (2, 4), (4, 6)], 30_000, False),
        ("Zweige", [(0, 2), (2, 4), (4, 6)], MULTILINGUAL_ENTRIES, True),
        ("Zweige", [(0, 6)], 30_000, True),
        ("树枝", [(0, 1), (1, 2)], 21_000, True),
        ("树枝", [(0, 1), (0, 1), (1, 2), (1, 2)], 50_000, False),
    ],
)
def test_a_vocabulary_knows_words_or_is_made_for_many_languages(text, pieces, entries, fluent):
    assert Spelling(text, pieces, [True] * len(pieces), entries).is_fluent == fluent
