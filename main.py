"""Start Magpie from a checkout: `python main.py`."""

from chatbot.cli import main

if __name__ == "__main__":
    raise SystemExit(main())
