"""The clipboard: the desktop's where there is one, else the terminal's own."""

import base64

from chatbot.conversation.events import Notice
from chatbot.frontends.terminal.drawing.screen import Screen
from utils.text import clean


def copy_text(text: str, screen: Screen) -> Notice:
    """Put a text into the clipboard and say what was done."""
    import pyperclip

    # Pasted into a shell, a control character would be obeyed.
    text = clean(text)
    size = f"{len(text):,} characters"
    try:
        pyperclip.copy(text)
    except pyperclip.PyperclipException:
        if not screen.animated:
            return Notice("There is no clipboard here.", "error")
        # OSC 52: the terminal takes it, also over ssh; there is no reply, so it cannot be known whether it did.
        screen.send_control(f"\x1b]52;c;{base64.b64encode(text.encode()).decode()}\x07")
        return Notice(f"Sent the last answer ({size}) to the terminal's clipboard.")
    return Notice(f"Copied the last answer ({size}).")
