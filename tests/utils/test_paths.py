"""Under which names things are kept."""

from utils.paths import safe_file_name


def test_names_of_files_lead_nowhere() -> None:
    names = {
        "../../etc/passwd": "passwd",
        "C:\\x\\notes.md": "notes.md",
        "a*?[b].txt": "a___b_.txt",
        'it\'s "so".txt': "it_s _so_.txt",
        "..": "file",
        "": "file",
        "\x00\n": "__",
        "a" * 500 + ".pdf": "a" * 120 + ".pdf",
        "ж" * 500 + ".pdf": "ж" * 60 + ".pdf",
    }
    assert {name: safe_file_name(name) for name in names} == names
