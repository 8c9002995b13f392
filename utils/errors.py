"""The failures that a user or a model is told about.

MagpieError                 one sentence and what to do about it; every front end shows it once
+-- ConfigError             a setting that is misspelt, wrong or unreadable
+-- ModelError              the language model could not do its part
|   +-- ModelUnavailable    no server, no weights, no answer
|   +-- ModelNotFound       the server is there, the model is not
|   +-- ToolsUnsupported    the server refuses tools for this model
|   +-- PromptTooLong       the prompt does not fit the window; carries the exact counts
|   |   +-- PromptCut       the server read only a part of the prompt and answered from that
|   +-- ReplyBroken         the reply ended before it was complete
+-- DocumentError           a file or page that cannot be read
+-- FileUnreadable          a file that Magpie reads for itself, such as its settings, cannot be read
|   +-- FileMissing         it is not there
+-- NetworkError            nothing usable came from the other end
|   +-- AddressRefused      an address that must not be opened
|   +-- Offline             an address off this machine, while nothing may leave it
|   +-- Unreachable         no name, no route or no server there
+-- LibraryError            the library on disk cannot be used
|   +-- EmbedderUnavailable no vectors can be made
+-- SessionError            the kept conversations cannot be read or written
+-- ProfileError            facts and reminders on disk cannot be used
+-- QuestionTooLong         what the user wrote does not fit the window
+-- Fault                   what nobody foresaw; its traceback is in the log
ToolError                   told to the model as the result of its call, never to the user directly
+-- Unsent                  nothing of the call has gone out, and it can go another way
"""

from pathlib import Path

LONGEST_SHOWN = 300
"""Characters of a path in a sentence."""


class MagpieError(Exception):
    """A failure that the user can understand.

    `problem` is one sentence without a final period's worth of jargon; `remedy` says what the user can do,
    and is empty when there is nothing to do.
    """

    def __init__(self, problem: str, remedy: str = "") -> None:
        super().__init__(f"{problem} {remedy}".strip())
        self.problem = problem
        self.remedy = remedy


class ConfigError(MagpieError):
    """A setting is misspelt, has a wrong value, or its file cannot be read."""


class ModelError(MagpieError):
    """The language model could not do its part."""


class ModelUnavailable(ModelError):
    """There is no server, there are no weights, or nothing answers."""


class ModelNotFound(ModelError):
    """The server answers but does not have the model."""


class ToolsUnsupported(ModelError):
    """The server refuses tools for this model."""


class PromptTooLong(ModelError):
    """The prompt does not fit the context window; counts are in tokens, 0 where the server did not tell."""

    def __init__(self, prompt_tokens: int, window: int) -> None:
        super().__init__(
            f"The prompt has {prompt_tokens} tokens and the context window {window}."
            if prompt_tokens
            else "The prompt does not fit the context window.",
            "Shorten the question, /clear the chat, or raise context_window.",
        )
        self.prompt_tokens = prompt_tokens
        self.window = window


class PromptCut(PromptTooLong):
    """The server left out a part of the prompt without a word: whatever it answered is not from what was sent.

    `read` are the tokens that it read, `sent` about those that it was sent; `window` is what it seems to have.
    """

    def __init__(self, read: int, sent: int, window: int) -> None:
        super().__init__(0, window)
        MagpieError.__init__(
            self,
            f"The server read only {read:,} of some {sent:,} tokens and cut off the rest.",
            "Give the model a larger window on the server, or shorten what you ask about.",
        )
        self.read = read
        self.sent = sent


class ReplyBroken(ModelError):
    """The reply ended before the model said that it was complete."""


class DocumentError(MagpieError):
    """A file or page cannot be read."""


class FileUnreadable(MagpieError):
    """A file that Magpie reads for itself cannot be read; `why` is what the sentence says of its path."""

    def __init__(self, path: Path, why: str) -> None:
        shown = str(path) if len(str(path)) < LONGEST_SHOWN else f"{str(path)[:LONGEST_SHOWN]}…"
        super().__init__(f"{shown} {why}.", "Check the name and the file.")
        self.path = path
        self.why = why


class FileMissing(FileUnreadable):
    """There is no file of that name."""


class NetworkError(MagpieError):
    """Nothing usable came from the other end: too slow, too large, broken or an error status."""


class AddressRefused(NetworkError):
    """An address that must not be opened: a private network, or not plainly a web address."""


class Offline(NetworkError):
    """It would leave this machine, and the user said that nothing may."""


class Unreachable(NetworkError):
    """The name does not resolve, or nothing answers there."""


class LibraryError(MagpieError):
    """The library on disk cannot be used."""


class EmbedderUnavailable(LibraryError):
    """No vectors can be made, so nothing can be ranked by meaning."""


class SessionError(MagpieError):
    """The kept conversations cannot be read or written."""


class ProfileError(MagpieError):
    """Facts and reminders on disk cannot be used."""


class QuestionTooLong(MagpieError):
    """What the user wrote does not fit the context window."""


class Fault(MagpieError):
    """Something failed in a way that nobody foresaw; its traceback is in the log."""


class ToolError(Exception):
    """Told to the model as the result of its call: what went wrong, and what to do differently.

    Advice that makes sense to the model alone is a paragraph of its own: the user reads the problem.
    """

    def __init__(self, problem: str, advice: str = "") -> None:
        super().__init__(f"{problem}\n\n{advice}" if advice else problem)
        self.problem = problem


class Unsent(ToolError):
    """Nothing of a call has gone out, and there is another way that it can go."""
