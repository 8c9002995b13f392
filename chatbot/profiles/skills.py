"""Skills in the form of the Agent Skills standard: a name, what it is for, and a text to follow when it is chosen.

What else lies in a skill's folder is neither read nor run.
"""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from chatbot.profiles.files import read_words, require_inside
from utils.errors import ConfigError
from utils.text import one_line

SKILLS_FOLDER, SKILL_FILE = "skills", "SKILL.md"
MAX_SKILLS = 50
"""Skills of a profile: the name and description of each is in every prompt."""
MAX_DESCRIPTION_CHARS = 1024
_SKILL_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_SKILL_PARTS = re.compile(r"---[^\S\n]*\n(.{0,20000}?)\n---[^\S\n]*(?:\n|$)(.*)", re.DOTALL)


@dataclass(frozen=True)
class Skill:
    """Instructions for a kind of task."""

    name: str
    description: str
    """What it does and when it is for, in one line."""
    text: str


def list_skill_files(folder: Path) -> list[Path]:
    """The file of each skill in a profile's folder, in the order of their names. Blocks."""
    try:
        return sorted((folder / SKILLS_FOLDER).glob(f"*/{SKILL_FILE}"))
    except OSError:
        return []


def read_skills(folder: Path) -> tuple[tuple[Skill, ...], tuple[str, ...]]:
    """The skills in a profile's folder, and a sentence on each that cannot be used. Blocks."""
    skills, problems, files = [], [], list_skill_files(folder)
    if len(files) > MAX_SKILLS:
        problems.append(f"Of the skills in {folder / SKILLS_FOLDER} the first {MAX_SKILLS} are told; put others away.")
    for file in files[:MAX_SKILLS]:
        try:
            require_inside(file, folder)
            skills.append(parse_skill(file, read_words(file)))
        except ConfigError as error:
            problems.append(f"The skill {one_line(file.parent.name, 64)} is left out: {error}")
    return tuple(skills), tuple(problems)


def parse_skill(file: Path, text: str) -> Skill:
    """The skill that a file's text says; raises `ConfigError`."""
    parts = _SKILL_PARTS.match(text)
    if parts is None:
        raise ConfigError(f"{file} does not begin with its name and description between two lines of ---.")
    try:
        told: Any = yaml.safe_load(parts[1])
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        reason = one_line(str(getattr(error, "problem", "") or error), 200)
        raise ConfigError(f"The beginning of {file} is not valid YAML: {reason}.") from error
    told = told if isinstance(told, dict) else {}
    name, description = told.get("name"), told.get("description")
    if not isinstance(name, str) or len(name) > 64 or not _SKILL_NAME.fullmatch(name) or name != file.parent.name:
        wanted = "of up to 64 small letters, digits and single hyphens"
        raise ConfigError(f"The name in {file} must be that of its folder, {wanted}.")
    if not isinstance(description, str) or not 0 < len(description.strip()) <= MAX_DESCRIPTION_CHARS:
        raise ConfigError(f"{file} must have a description of up to {MAX_DESCRIPTION_CHARS} characters.")
    if not parts[2].strip():
        raise ConfigError(f"{file} says nothing below its name and description.")
    return Skill(name, one_line(description, MAX_DESCRIPTION_CHARS), parts[2].strip())
