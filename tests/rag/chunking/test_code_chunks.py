"""Source code is cut at its definitions: what fits into a chunk is whole, and knows what it is in."""

import ast

import pytest

from rag.chunk_size import ChunkShape
from rag.chunking import split_text
from tests.fakes.places import ROOT

PYTHON = '''import os


class Heron:
    """A bird."""

    @property
    def minutes(
        self,
    ) -> int:
        return 9

    # Above it.
    async def wait(self):
        for _ in range(9):
            print("waiting")


@cache
def fly(): return 1
'''
JAVASCRIPT = """/** Waits. */
export class Heron extends Bird {
  constructor(name) {
    super(name);
  }

  wait(minutes) {
    if (minutes > 9) {
      return this.fly(minutes);
    }
  }
}

const fly = async (speed) => {
  await go(speed);
};
"""
RUST = """#[derive(Debug)]
pub struct Heron {
    name: String,
}

impl<T> Display for Heron<T> {
    /// Writes.
    pub(crate) fn write(&self) -> u8 {
        self.name.len()
    }
}
"""
GO = """package birds

// Wait waits.
func (h *Heron) Wait(minutes int) error {
	return errors.New("no fish")
}

func main() {
	fmt.Println("x")
}
"""
JAVA = """public class Heron extends Bird {
    private int x = count(1);

    @Override
    public List<String> names(int a,
                              int b) {
        return new ArrayList<>();
    }
}
"""
C = """static int wait(int minutes)
{
    printf("x");
    return fly(minutes);
}

int main(void) {
    return wait(9);
}
"""


@pytest.mark.parametrize(
    ("media_type", "code", "size", "headings"),
    [
        ("text/x-python", PYTHON, 120, [(), ("class Heron", "def minutes"), ("class Heron", "def wait"), ("def fly",)]),
        ("text/javascript", JAVASCRIPT, 100, [("class Heron",), ("class Heron", "wait"), ("fly",)]),
        ("text/x-rust", RUST, 100, [(), ("impl Display", "fn write")]),
        ("text/x-go", GO, 100, [(), ("func Wait",), ("func main",)]),
        ("text/x-java", JAVA, 140, [("class Heron",), ("class Heron", "names")]),
        ("text/x-c", C, 80, [("wait",), ("main",)]),
    ],
)
def test_a_chunk_of_code_knows_what_it_is_in(media_type, code, size, headings):
    chunks = split_text(code, media_type, ChunkShape(size=size, overlap=0))
    assert [chunk.heading for chunk in chunks] == headings


def test_what_stands_above_a_definition_stays_with_it():
    chunks = split_text(PYTHON, "text/x-python", ChunkShape(size=120, overlap=0))
    beginnings = [chunk.text.split("\n")[0] for chunk in chunks]
    assert beginnings == ["import os", "@property", "# Above it.", "@cache"]


def test_functions_that_fit_into_a_chunk_are_whole():
    shape = ChunkShape()
    whole, parted = 0, []
    for path in sorted((ROOT / "rag").rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        chunks = split_text(text, "text/x-python", shape)
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                code = ast.get_source_segment(text, node) or ""
                if len(code) <= shape.size - 100:
                    whole += any(code in chunk.text for chunk in chunks)
                    parted += [] if any(code in chunk.text for chunk in chunks) else [f"{path.name}:{node.name}"]
    assert whole > 500 and parted == []


def test_code_that_is_made_to_be_much_is_cut_all_the_same():
    deep = "".join(f"{' ' * level}def f{level}():\n" for level in range(1000))
    wide = "class A { " * 50_000
    for text in (deep, wide, "def f(" * 50_000, "f(" * 100_000 + "{\n", "@\n" * 100_000):
        for media_type in ("text/x-python", "text/x-java", "text/javascript"):
            assert split_text(text, media_type)
