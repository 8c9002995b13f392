"""The browser of kept conversations: a screen of its own in the terminal, with its keys."""

from prompt_toolkit.application import Application
from prompt_toolkit.application.current import get_app_session
from prompt_toolkit.buffer import Buffer
from prompt_toolkit.document import Document
from prompt_toolkit.filters import Condition, has_focus
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.key_binding import (
    ConditionalKeyBindings,
    KeyBindings,
    KeyBindingsBase,
    KeyPressEvent,
    merge_key_bindings,
)
from prompt_toolkit.keys import Keys
from prompt_toolkit.layout import (
    BufferControl,
    DynamicContainer,
    FormattedTextControl,
    HSplit,
    Layout,
    VSplit,
    Window,
)
from prompt_toolkit.styles import Style
from prompt_toolkit.utils import get_cwidth

from chatbot.config import Config
from chatbot.engine.chat import Chat
from chatbot.frontends.terminal.browsing.session_list import Look, fitted, list_lines, pattern_of
from chatbot.frontends.terminal.browsing.state import Browsing

WIDE = 100
"""Columns from which on list and preview stand side by side."""
_LABEL = "Find: "
# Lines beside list and preview: the words, a rule, the hint.
_AROUND = 3
# Lines of a message at most.
_LONGEST = 4
# Seconds after which Esc is the key itself and not the beginning of another one's sequence.
_ESCAPE = 0.05
_FILTER_HINT = "Enter resume · Tab list (e export, d delete) · Esc return"
_LIST_HINT = "Enter resume · e export · d delete · / filter · Esc return"
_READ_HINT = " · PgUp PgDn read"
_STYLE = Style.from_dict({"quiet": "dim", "selected": "bold", "label": "bold ansicyan", "told": "ansiyellow"})


async def browse(chats: Chat, settings: Config, words: str = "") -> str:
    """Let the user look through the kept conversations: the id of the one to go on with, empty for none."""
    return await Browser(chats, settings, words).run()


class Browser:
    """The screen: words that are looked for, the list, the selected conversation, and a line of keys."""

    def __init__(self, chats: Chat, settings: Config, words: str) -> None:
        self._top = 0
        self._output = get_app_session().output
        self._filter = Buffer(document=Document(words), multiline=False, on_text_changed=lambda _: self._typed())
        self._list = Window(
            FormattedTextControl(self._list_text, focusable=True, show_cursor=False), always_hide_cursor=True
        )
        self._application: Application[str] = Application(
            layout=Layout(self._frame(), focused_element=self._filter),
            key_bindings=self._keys(),
            style=_STYLE,
            output=self._output,
            full_screen=True,
            erase_when_done=True,
        )
        self._application.ttimeoutlen = _ESCAPE
        self._application.key_processor.before_key_press += lambda _: self._listen()
        self._state = Browsing(chats, settings, self)

    async def run(self) -> str:
        """Show it until the user has chosen or returns."""
        self._state.look_for(self._filter.text, 0)
        try:
            return await self._application.run_async()
        finally:
            await self._state.close()

    @property
    def room(self) -> tuple[int, int]:
        """Cells and lines for the selected conversation; an edge of one cell keeps it apart from what is beside it."""
        width, height = self._sizes()[1]
        return width - 1, height

    def refresh(self) -> None:
        """Draw anew."""
        self._application.invalidate()

    def fail(self, error: BaseException) -> None:
        """Leave with what is a bug."""
        if not self._application.is_done:
            self._application.exit(exception=error)

    def _typed(self) -> None:
        self._state.look_for(self._filter.text)

    def _listen(self) -> None:
        """What was told was read when the next key is pressed."""
        self._state.told = ""

    # What is seen

    def _frame(self) -> HSplit:
        label = Window(FormattedTextControl([("class:label", _LABEL)]), width=len(_LABEL), height=1)
        asked = VSplit([label, Window(BufferControl(self._filter), height=1)])
        preview = Window(FormattedTextControl(self._preview_text))
        list_width, list_height = (lambda: self._sizes()[0][0]), (lambda: self._sizes()[0][1])
        wide = VSplit([HSplit([self._list], width=list_width), Window(width=1, char="│", style="class:quiet"), preview])
        narrow = HSplit([HSplit([self._list], height=list_height), _rule(), preview])
        body = DynamicContainer(lambda: wide if self._columns >= WIDE else narrow)
        bottom = Window(FormattedTextControl(self._bottom_text), height=lambda: self._bottom_height, wrap_lines=True)
        return HSplit([asked, _rule(), body, bottom])

    @property
    def _said(self) -> str:
        return self._state.question or self._state.told

    @property
    def _bottom_height(self) -> int:
        """Lines that what is asked or told needs."""
        return min(_LONGEST, max(1, -(-get_cwidth(self._said) // self._columns)))

    @property
    def _columns(self) -> int:
        return self._output.get_size().columns

    def _sizes(self) -> tuple[tuple[int, int], tuple[int, int]]:
        """Cells and lines of list and preview."""
        size = self._output.get_size()
        return sizes(size.columns, size.rows - self._bottom_height + 1)

    def _list_text(self) -> StyleAndTextTuples:
        width, height = self._sizes()[0]
        state = self._state
        if not state.rows:
            return [("class:quiet", fitted(self._nothing(), width))]
        look = Look(width, height, pattern_of(state.words), current=state.chats.session)
        self._top = max(0, state.selected - look.fits + 1, min(self._top, state.selected))
        return _joined(list_lines(state.rows, state.selected, self._top, look))

    def _nothing(self) -> str:
        if self._state.loading:
            return "  …"
        return "  No conversation has these words." if self._state.words.strip() else "  No conversation is kept yet."

    def _preview_text(self) -> StyleAndTextTuples:
        shown = self._state.conversation
        if self._state.row is None:
            return []
        if shown is None or shown.info.id != self._state.row.id:
            return [("class:quiet", " …")]
        return _joined([[("", " "), *line] for line in shown.lines(*self.room)])

    def _bottom_text(self) -> StyleAndTextTuples:
        width = self._columns
        if said := self._said:
            return [("class:told", said)]
        hint = _LIST_HINT if self._application.layout.has_focus(self._list) else _FILTER_HINT
        return [("class:quiet", fitted(hint + _READ_HINT if len(hint + _READ_HINT) <= width else hint, width))]

    # Keys

    def _keys(self) -> KeyBindingsBase:
        asking = Condition(lambda: self._state.asked is not None)
        return merge_key_bindings(
            [
                ConditionalKeyBindings(self._moving(), ~asking),
                ConditionalKeyBindings(self._acting(), ~asking & has_focus(self._list)),
                ConditionalKeyBindings(self._answering(), asking),
            ]
        )

    def _moving(self) -> KeyBindings:
        """Keys that do the same wherever the focus is."""
        keys = KeyBindings()
        for key in (Keys.Escape, Keys.ControlC, Keys.ControlD, Keys.ControlSquareClose, Keys.SIGINT):
            keys.add(key, eager=True)(lambda event: event.app.exit(result=""))
        keys.add(Keys.Down)(lambda _: self._move(1))
        keys.add(Keys.Up)(lambda _: self._move(-1))
        keys.add(Keys.PageDown)(lambda _: self._scroll(1))
        keys.add(Keys.PageUp)(lambda _: self._scroll(-1))

        @keys.add(Keys.Tab)
        @keys.add(Keys.BackTab)
        def change_focus(event: KeyPressEvent) -> None:
            in_list = event.app.layout.has_focus(self._list)
            event.app.layout.focus(self._filter if in_list else self._list)

        @keys.add(Keys.Enter)
        def resume(event: KeyPressEvent) -> None:
            if self._state.row is not None:
                current = self._state.row.id == self._state.chats.session
                event.app.exit(result="" if current else self._state.row.id)

        return keys

    def _acting(self) -> KeyBindings:
        """Keys that do something only in the list; any other character is looked for."""
        keys = KeyBindings()
        keys.add("e")(lambda _: self._state.export())
        keys.add("d")(lambda _: self._state.ask_to_delete())
        keys.add("/")(lambda event: event.app.layout.focus(self._filter))
        keys.add(Keys.Home)(lambda _: self._state.move(-len(self._state.rows)))
        keys.add(Keys.End)(lambda _: self._state.move(len(self._state.rows)))

        @keys.add(Keys.Backspace)
        def shorten(event: KeyPressEvent) -> None:
            event.app.layout.focus(self._filter)
            self._filter.delete_before_cursor()

        @keys.add(Keys.Any)
        @keys.add(Keys.BracketedPaste)
        def type_on(event: KeyPressEvent) -> None:
            if event.data.isprintable():
                event.app.layout.focus(self._filter)
                self._filter.insert_text(event.data)

        return keys

    def _answering(self) -> KeyBindings:
        """Yes is y; whatever else is pressed is no."""
        keys = KeyBindings()
        for key in ("y", "Y"):
            keys.add(key, eager=True)(lambda _: self._state.answer(yes=True))
        for key in (Keys.Any, Keys.Escape, Keys.ControlC, Keys.SIGINT):
            keys.add(key, eager=True)(lambda _: self._state.answer(yes=False))
        return keys

    def _move(self, by: int) -> None:
        self._application.layout.focus(self._list)
        self._state.move(by)

    def _scroll(self, pages: int) -> None:
        if self._state.conversation is not None:
            self._state.conversation.scroll(pages, *self.room)


def sizes(columns: int, rows: int) -> tuple[tuple[int, int], tuple[int, int]]:
    """Cells and lines of list and preview on a screen: beside each other where there is room, else one above the other.

    An item of the list has two lines when words are looked for.
    """
    lines = max(2, rows - _AROUND)
    if columns >= WIDE:
        width = columns * 9 // 20
        return (width, lines), (columns - width - 1, lines)
    height = max(1, (lines - 1) * 2 // 5)
    return (columns, height), (columns, max(1, lines - 1 - height))


def _rule() -> Window:
    return Window(height=1, char="─", style="class:quiet")


def _joined(lines: list[StyleAndTextTuples]) -> StyleAndTextTuples:
    return [part for line in lines for part in [*line, ("", "\n")]][:-1]
