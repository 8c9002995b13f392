"""Without RapidOCR the program tesseract reads the text in pictures, within the limits of whoever reads files."""

import asyncio
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from PIL import Image

from rag.readers import PAGE_BREAK, ReaderPool, ReadingLimits, find_picture, read_documents
from rag.readers.pictures import tesseract
from rag.readers.pictures.ocr import has_rapidocr
from rag.readers.pictures.tesseract import chosen_languages, find_tesseract, lines_in, read_by_tesseract
from tests.fakes.pictures import encoded, written
from utils.errors import DocumentError
from utils.paths import CODE_FOLDER

needs_tesseract = pytest.mark.skipif(not find_tesseract(), reason="tesseract is not installed")
without_rapidocr = pytest.mark.skipif(has_rapidocr(), reason="RapidOCR is installed, and comes first")

TABLE = """\
level	page_num	block_num	par_num	line_num	word_num	left	top	width	height	conf	text
1	1	0	0	0	0	0	0	900	160	-1	
4	1	1	1	1	0	41	48	383	35	-1	
5	1	1	1	1	1	41	48	62	27	96.991745	The
5	1	1	1	1	2	113	48	74	35	96.762009	ferry
4	1	1	1	2	0	44	87	395	28	-1	
5	1	1	1	2	1	44	89	49	25	93.291214	Die
5	1	1	1	2	2	106	87	89	27	55.752304	Fähre
4	1	1	1	3	0	44	87	395	28	-1	
5	1	1	1	3	1	44	89	49	25	31.5	~~
5	1	1	1	3	2	44	89	49	25	62.5	|
5	1	2	1	1	1	44	89	49	25	95.0	 
5	1	2	1	2	1	44	89	49	25	95.0	船は
5	1	2	1	2	2	44	89	49	25	95.0	九時に
5	1	2	1	2	3	44	89	49	25	95.0	OK
"""
"""As tesseract 5.3 writes it, the last lines written after its manner."""


def program(folder: Path, script: str) -> Path:
    """A program named tesseract in a folder, which is where programs are looked for first."""
    made = folder / "tesseract"
    made.write_text(f"#!/bin/sh\n{script}\n")
    made.chmod(stat.S_IRWXU)
    return made


async def read(folder: Path, image: Image.Image, form: str = "PNG", limits: ReadingLimits | None = None) -> str:
    """The text of a file, read by a process that was started now."""
    (folder / f"page.{form.lower()}").write_bytes(encoded(image, form))
    pool = ReaderPool(limits)
    return "".join([document.text async for document in read_documents(folder / f"page.{form.lower()}", pool)])


async def wait_for_end(process: int) -> None:
    """Wait until a process is gone, or waits for somebody to ask how it ended."""
    told = Path(f"/proc/{process}/stat")
    async with asyncio.timeout(30):
        while told.exists() and told.read_text().rpartition(")")[2].split()[0] != "Z":
            await asyncio.sleep(0.05)


def test_the_lines_of_its_table_are_taken_without_those_that_it_is_not_sure_of() -> None:
    assert lines_in(TABLE) == ["The ferry", "Die Fähre", "船は九時に OK"]
    assert lines_in("") == lines_in("no table\nat all\t5") == []


@pytest.mark.parametrize(
    ("installed", "environment", "chosen"),
    [
        ("eng", {"LANG": "de_DE.UTF-8"}, "eng"),
        ("deu eng fra ita", {}, "deu eng fra ita"),
        ("deu eng fra ita spa", {"LANG": "de_DE.UTF-8"}, "deu eng"),
        ("chi_sim chi_tra deu eng fra", {"LANG": "en_GB.UTF-8", "LC_ALL": "zh_CN.UTF-8"}, "chi_sim chi_tra eng"),
        ("deu eng fra ita spa", {"LANG": "en_GB"}, "eng"),
        ("deu eng fra ita spa", {"LANG": "C.UTF-8"}, "eng"),
        ("deu fra ita por spa", {"LANG": "C"}, "deu fra ita por"),
        ("deu deu_latf fra ita por spa", {"LANG": "de", "LC_ALL": ""}, "deu deu_latf"),
    ],
)
def test_it_reads_in_the_languages_that_it_has_and_of_many_in_the_users(
    installed: str, environment: dict[str, str], chosen: str
) -> None:
    assert list(chosen_languages(installed.split(), environment)) == chosen.split()


@needs_tesseract
def test_what_is_written_is_read_line_by_line() -> None:
    lines = ["Invoice 4711 of 12 March", "Total due 318.40 EUR"]
    assert read_by_tesseract(written(*lines), find_tesseract()) == lines
    small = written(*lines, size=26).resize((320, 85), Image.Resampling.LANCZOS)
    assert read_by_tesseract(small, find_tesseract()) == lines


@needs_tesseract
@pytest.mark.parametrize("image", [Image.new("RGB", (300, 200), "red"), Image.effect_noise((600, 400), 90)])
def test_what_is_no_writing_is_no_text(image: Image.Image) -> None:
    assert read_by_tesseract(image.convert("RGB"), find_tesseract()) == []


@needs_tesseract
@without_rapidocr
async def test_a_picture_and_a_scan_are_read_by_it_where_it_is_the_only_one(tmp_path: Path) -> None:
    assert await read(tmp_path, written("The ferry of Halden")) == "The ferry of Halden"
    (tmp_path / "scan.pdf").write_bytes(
        encoded(written("The ferry of Halden"), "PDF", save_all=True, append_images=[written("leaves at 7:45")])
    )
    texts = [document.text async for document in read_documents(tmp_path / "scan.pdf", ReaderPool())]
    assert texts == [f"The ferry of Halden{PAGE_BREAK}leaves at 7:45"]


@without_rapidocr
@pytest.mark.parametrize(
    ("form", "said"),
    [("PNG", "page.png is a PNG image. "), ("PDF", "page.pdf is a PDF without text, perhaps a scan. ")],
)
async def test_without_either_reader_both_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str, said: str
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(DocumentError) as refused:
        await read(tmp_path, written("The ferry"), form)
    assert str(refused.value) == (
        f"{said}What reads text in pictures is not installed: "
        "pip install 'magpie-assistant[ocr]', or install the program tesseract."
    )


@without_rapidocr
@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("echo 'Error opening data file.' >&2; exit 1", "The program tesseract broke down: Error opening data file."),
        ("exit 3", "The program tesseract broke down: exit code 3."),
        (
            "echo 'List of available languages in \"/\" (1):'; echo osd",
            "The program tesseract has no language to read in. Install one of its packages, as tesseract-ocr-eng.",
        ),
    ],
)
async def test_what_is_wrong_with_the_program_is_one_sentence_and_models_are_shown_the_picture(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, script: str, said: str
) -> None:
    program(tmp_path, script)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    with pytest.raises(DocumentError) as refused:
        await read(tmp_path, written("The ferry"))
    assert str(refused.value) == said
    picture = await find_picture(tmp_path / "page.png", ReaderPool())
    assert picture is not None and picture.text == "" and picture.width == 900
    assert picture.unread == said
    assert [getattr(record, "data", {}).get("cause") for record in caplog.records] == [said]


LIMITED = """
import resource, signal, sys
from PIL import Image
from rag.readers.pictures.tesseract import read_by_tesseract
resource.setrlimit(resource.RLIMIT_CPU, (300, 300))
signal.setitimer(signal.ITIMER_PROF, 600)
print(read_by_tesseract(Image.new("RGB", (20, 20)), sys.argv[1]))
"""


def test_a_lower_limit_of_the_users_own_shell_stays_and_the_program_is_started(tmp_path: Path) -> None:
    rows = TABLE.splitlines()
    line = "\\n".join([rows[0], *rows[3:5]]).replace("\t", "\\t")
    limit = "test $(ulimit -Ht) = 300 || exit 1"
    listed = program(tmp_path, f"{limit}; test $1 = --list-langs && printf 'List\\neng\\n' || printf '{line}\\n'")
    ran = [sys.executable, "-c", LIMITED, str(listed)]
    done = subprocess.run(ran, cwd=CODE_FOLDER, capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("['The ferry']\n", "")


def test_a_program_that_cannot_be_bound_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse() -> None:
        raise PermissionError

    monkeypatch.setattr(tesseract, "die_with_parent", refuse)
    with pytest.raises(DocumentError, match="tesseract cannot be started: the system takes no limit for it"):
        read_by_tesseract(Image.new("RGB", (20, 20)), str(program(tmp_path, "exit 0")))


@without_rapidocr
@pytest.mark.parametrize("form", ["PNG", "PDF"])
async def test_a_program_that_never_ends_is_given_up_and_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    program(tmp_path, f"echo $$ > {tmp_path}/id; while :; do :; done")
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    # Three seconds on the wall for each of the processor, in which Python must start on a machine that has other work.
    with pytest.raises(DocumentError, match=r"was given up after 5 s of reading\."):
        await read(tmp_path, written("The ferry"), form, ReadingLimits(5, 0, 0, per_picture=0, per_scan=0))
    await wait_for_end(int((tmp_path / "id").read_text()))
