"""What every front end says of an answer's numbers that are wrong."""

from chatbot.conversation.events import Answered


def wrong_numbers(event: Answered) -> list[str]:
    """A sentence on numbers that no source has, and one on those whose source does not say what they stand behind."""
    told = []
    if event.unknown:
        shown = ", ".join(map(str, event.unknown))
        one = len(event.unknown) == 1
        told.append(
            f"The answer cites a source {shown} that does not exist."
            if one
            else f"The answer cites sources {shown} that do not exist."
        )
    if event.unsupported:
        shown = ", ".join(map(str, event.unsupported))
        one = len(event.unsupported) == 1
        told.append(
            f"1 number was struck: source {shown} does not say what it stood behind."
            if one
            else f"{len(event.unsupported)} numbers were struck: sources {shown} do not say what they stood behind."
        )
    return told
