"""What is seen in Telegram: Markdown in its HTML, cut into messages, sent at its pace."""
