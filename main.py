"""Start Magpie from a checkout: `python main.py`."""

from chatbot.cli import entry

if __name__ == "__main__":
    entry()
