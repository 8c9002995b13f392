"""Makes retrieval collections in the form of BEIR from what a machine has: installed packages, manuals, cloned data.

`python -m benchmarks.collections OUT [NAME=PATH...]` writes a folder for each of the names. Without a path come `code`
(docstring and body of functions of the standard library) and `manuals` (what a manual page says it is of, and the
rest of it); with the path of a folder or a file come

    howto         examples of the AWS command line (`awscli/examples`): title and the rest
    multilingual  google-deepmind/xquad: questions and paragraphs in eight languages, in one collection
    crossing      the same, each question in another language than its paragraph
    cisi, cacm    the test collections as they are handed on: CISI.ALL, .QRY, .REL; cacm.all, query.text, qrels.text
    dialogue      IBM/mt-rag-benchmark, mtragun-human/generation_tasks/reference.jsonl: what was said last
    talks         the same, with all that was asked before as one long question
    next          long texts (folder of .md or .txt): a paragraph is the question, those beside it are the answer
    codes         a collection in the form of BEIR: words with a digit or a sign in them that one document has
"""

import ast
import gzip
import json
import random
import re
import sys
import sysconfig
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

DOCUMENTS = 1200
QUESTIONS = 200
LONGEST = 1500
"""Characters of a document at most: vectors are made at 50 chunks a second."""
TONGUES = ("ar", "de", "el", "es", "hi", "ru", "tr", "zh")


@dataclass
class Made:
    """Texts by id, and for each question what answers it."""

    documents: dict[str, str] = field(default_factory=dict)
    questions: dict[str, tuple[str, list[str]]] = field(default_factory=dict)

    def add(self, key: str, question: str, document: str) -> None:
        """A document, and the question that it answers."""
        self.documents[key] = document
        self.questions[key] = (question, [key])


def main() -> None:
    """Write the collections that the command line names."""
    out = Path(sys.argv[1])
    for argument in sys.argv[2:] or ["code", "manuals"]:
        name, _, path = argument.partition("=")
        made = drawn(MAKERS[name](Path(path)), random.Random(1))
        write(out / name, made)
        print(f"{name:14}{len(made.documents):6} documents {len(made.questions):6} questions", flush=True)


def drawn(made: Made, rng: random.Random) -> Made:
    """So many of the questions by chance, with their answers, and as many of the other documents as there is room."""
    keys = sorted(key for key, (text, _) in made.questions.items() if text.strip())
    asked = {key: made.questions[key] for key in sorted(rng.sample(keys, min(QUESTIONS, len(keys))))}
    wanted = dict.fromkeys(source for _, sources in asked.values() for source in sources)
    others = sorted(made.documents.keys() - wanted.keys())
    room = max(0, DOCUMENTS - len(wanted))
    kept = sorted([*wanted, *rng.sample(others, min(room, len(others)))])
    return Made({key: made.documents[key][:LONGEST] for key in kept}, asked)


def read_judgements(folder: Path) -> dict[str, dict[str, int]]:
    """By question the documents that answer it, with their gain."""
    judged: dict[str, dict[str, int]] = {}
    for line in (folder / "qrels" / "test.tsv").read_text(encoding="utf-8").splitlines()[1:]:
        query, source, gain = line.split("\t")
        if int(gain) > 0:
            judged.setdefault(query, {})[source] = int(gain)
    return judged


def write(folder: Path, made: Made) -> None:
    """A corpus, questions and judgements."""
    (folder / "qrels").mkdir(parents=True, exist_ok=True)
    write_lines(folder / "corpus.jsonl", ({"_id": k, "title": "", "text": t} for k, t in made.documents.items()))
    write_lines(folder / "queries.jsonl", ({"_id": k, "text": t} for k, (t, _) in made.questions.items()))
    judged = [f"{key}\t{source}\t1" for key, (_, sources) in made.questions.items() for source in sources]
    (folder / "qrels" / "test.tsv").write_text("\n".join(["query-id\tcorpus-id\tscore", *judged]) + "\n", "utf-8")


def write_lines(path: Path, records: Iterable[dict[str, str]]) -> None:
    """A record a line."""
    path.write_text("".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records), "utf-8")


def functions(_: Path) -> Made:
    """The first paragraph of a docstring, and the function without it."""
    made = Made()
    root = Path(sysconfig.get_paths()["stdlib"])
    skipped = {"test", "tests", "idlelib", "site-packages", "lib2to3"}
    for path in sorted(path for path in root.rglob("*.py") if not skipped & set(path.parts)):
        source = path.read_text("utf-8", "replace")
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.FunctionDef) and (said := ast.get_docstring(node)) and len(node.body) > 2:
                question = " ".join(said.split("\n\n")[0].split())
                node.body = node.body[1:]
                key = f"{path.relative_to(root)}:{node.lineno}"
                if 30 <= len(question) <= 300:
                    made.add(key, question, ast.unparse(node))
    return made


def manuals(folder: Path) -> Made:
    """What a manual page says it is of, and the page without that line."""
    made = Made()
    pages = sorted((folder if folder.name else Path("/usr/share/man/man1")).glob("*.gz"))
    for path in random.Random(1).sample(pages, min(4 * DOCUMENTS, len(pages))):
        text = plain(gzip.decompress(path.read_bytes()).decode("utf-8", "replace"))
        named, _, rest = text.partition("\n# ")
        about = named.partition(" - ")[2].strip()
        if not path.is_symlink() and 20 <= len(about) <= 200 and len(rest) > 400:
            made.add(path.name, about, rest)
    return made


def plain(page: str) -> str:
    """A manual page's text from NAME on, a heading on a line after a sharp."""
    lines = [line for line in page.split("\n") if not re.match(r"[.'](\\\"|TH|de|ie|el|if|ds|tr|ad|nh|nr|\.)", line)]
    text = "\n".join(re.sub(r'^\.S[Hh] "?([^"]*)"?', r"# \1", line) for line in lines)
    text = re.sub(r"^\.[A-Za-z]{1,3} ?", "", text, flags=re.MULTILINE)
    text = (
        re.sub(r"\\f\(?[A-Z]{1,2}|\\f\[.*?\]|\\[,/&|]|\\s[-+]?\d", "", text).replace("\\-", "-").replace("\\(en", "-")
    )
    return re.split(r"^# *NAME *$", text, maxsplit=1, flags=re.MULTILINE)[-1]


def examples(folder: Path) -> Made:
    """The first title of a page of examples, and the page without its titles."""
    made = Made()
    for path in sorted(folder.rglob("*.rst")):
        text = path.read_text("utf-8", "replace")
        if title := re.match(r"\s*\*\*(?:Example 1: )?([^*]{20,200})\*\*", text):
            made.add(f"{path.parent.name}/{path.stem}", title[1], re.sub(r"^\*\*.*\*\*$", "", text, flags=re.MULTILINE))
    return made


def paragraphs(path: Path) -> Iterator[tuple[str, str, list[tuple[str, str]]]]:
    """Key and text of each paragraph of an XQuAD file, with keys and texts of what is asked of it."""
    for a, article in enumerate(json.loads(path.read_text("utf-8"))["data"]):
        for p, paragraph in enumerate(article["paragraphs"]):
            asked = [(q["id"], q["question"]) for q in paragraph["qas"]]
            yield f"{a}-{p}", paragraph["context"], asked


def multilingual(folder: Path, crossing: bool = False) -> Made:
    """Paragraphs in each of the languages, each question in one of them."""
    made = Made()
    for place, code in enumerate(TONGUES):
        for key, text, asked in paragraphs(folder / f"xquad.{code}.json"):
            made.documents[f"{code}-{key}"] = text
            tongue = TONGUES[place - 1] if crossing else code
            for name, question in asked:
                made.questions[f"{tongue}-{name}"] = (question, [f"{code}-{key}"])
    return made


def fields(path: Path) -> dict[str, dict[str, str]]:
    """The records of a file in SMART's form by number, each field by its letter."""
    records = re.split(r"^\.I\s+", path.read_text("utf-8", "replace"), flags=re.MULTILINE)[1:]
    found = {}
    for record in records:
        number, _, rest = record.partition("\n")
        parts = re.split(r"^\.([A-Z])\s*\n", rest, flags=re.MULTILINE)
        found[str(int(number))] = dict(zip(parts[1::2], parts[2::2], strict=False))
    return found


def smart(corpus: str, queries: str, judgements: str) -> Callable[[Path], Made]:
    """A collection in SMART's form."""

    def make(folder: Path) -> Made:
        texts = {k: f"{r.get('T', '')}\n{r.get('W', '')}".strip() for k, r in fields(folder / corpus).items()}
        judged: dict[str, list[str]] = {}
        for line in (folder / judgements).read_text("utf-8").splitlines():
            query, source = line.split()[:2]
            judged.setdefault(str(int(query)), []).append(str(int(source)))
        asked = fields(folder / queries)
        return Made(texts, {k: (" ".join(asked[k]["W"].split()), v) for k, v in judged.items()})

    return make


def dialogue(path: Path, whole: bool = False) -> Made:
    """The turn of a conversation that was answered from passages, alone or after all the questions before it."""
    made = Made()
    for line in path.read_text("utf-8").splitlines():
        record = json.loads(line)
        said = [turn["text"] for turn in record["input"] if turn["speaker"] == "user"]
        found = {one["document_id"]: one["text"] for one in record["contexts"]}
        made.documents |= found
        if found:
            made.questions[record["task_id"]] = (" ".join(said if whole else said[-1:]), list(found))
    return made


def neighbours(folder: Path) -> Made:
    """Every second paragraph of long texts is a document, those between are questions for the two beside them."""
    made = Made()
    for path in sorted(path for path in folder.iterdir() if path.suffix in (".md", ".txt")):
        blocks = [" ".join(block.split()) for block in re.split(r"\n\s*", path.read_text("utf-8"))]
        long = [block for block in blocks if 300 <= len(block) <= LONGEST]
        for i, block in enumerate(long):
            if i % 2 == 0:
                made.documents[f"{path.stem}-{i}"] = block
            elif i + 1 < len(long):
                made.questions[f"{path.stem}-{i}"] = (block, [f"{path.stem}-{i - 1}", f"{path.stem}-{i + 1}"])
    return made


def codes(folder: Path) -> Made:
    """Words that no natural language has, each in one document."""
    made = Made()
    owners: dict[str, list[str]] = {}
    for line in (folder / "corpus.jsonl").read_text("utf-8").splitlines():
        record = json.loads(line)
        made.documents[record["_id"]] = record["text"]
        for word in Counter(re.findall(r"(?<![\w-])[\w-]{5,40}(?![\w-])", record["text"])):
            owners.setdefault(word.casefold(), []).append(record["_id"])
    for word, sources in owners.items():
        if len(sources) == 1 and re.search(r"\w\d|_\w|\w-\w", word) and re.search(r"[a-z]", word):
            made.questions[word] = (word, sources)
    return made


def crossing(folder: Path) -> Made:
    """Paragraphs, and questions in other languages."""
    return multilingual(folder, crossing=True)


def talks(path: Path) -> Made:
    """Conversations as long questions."""
    return dialogue(path, whole=True)


MAKERS: dict[str, Callable[[Path], Made]] = {
    "code": functions,
    "manuals": manuals,
    "howto": examples,
    "multilingual": multilingual,
    "crossing": crossing,
    "cisi": smart("CISI.ALL", "CISI.QRY", "CISI.REL"),
    "cacm": smart("cacm.all", "query.text", "qrels.text"),
    "dialogue": dialogue,
    "talks": talks,
    "next": neighbours,
    "codes": codes,
}


if __name__ == "__main__":
    main()
