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
from chatbot.frontends.terminal.browsing.session_list import Look, fit_text, list_lines, pattern_of
from chatbot.frontends.terminal.browsing.state import Browsing

SIDE_BY_SIDE_COLUMNS = 100
"""Columns from which on list and preview stand side by side."""
_FILTER_LABEL = "Find: "
# Lines beside list and preview: the words, a rule, the hint.
_LINES_AROUND = 3
# Lines of a message at most.
_MAX_MESSAGE_LINES = 4
# Seconds after which Esc is the key itself and not the beginning of another one's sequence.
_ESCAPE_SECONDS = 0.05
_FILTER_HINT = "Enter resume · Tab list (e export, d delete) · Esc return"
_LIST_HINT = "Enter resume · e export · d delete · / filter · Esc return"
_READ_HINT = " · PgUp PgDn read"
_BROWSER_STYLE = Style.from_dict({"quiet": "dim", "selected": "bold", "label": "bold ansicyan", "told": "ansiyellow"})


async def browse_history(chats: Chat, settings: Config, words: str = "") -> str:
    """Let the user look through the kept conversations: the id of the one to go on with, empty for none."""
    return await Browser(chats, settings, words).run()


class Browser:
    """The screen: words that are looked for, the list, the selected conversation, and a line of keys."""

    def __init__(self, chats: Chat, settings: Config, words: str) -> None:
        self._top = 0
        self._output = get_app_session().output
        self._filter = Buffer(document=Document(words), multiline=False, on_text_changed=lambda _: self._apply_filter())
        self._list = Window(
            FormattedTextControl(self._list_text, focusable=True, show_cursor=False), always_hide_cursor=True
        )
        self._application: Application[str] = Application(
            layout=Layout(self._build_layout(), focused_element=self._filter),
            key_bindings=self._key_bindings(),
            style=_BROWSER_STYLE,
            output=self._output,
            full_screen=True,
            erase_when_done=True,
        )
        self._application.ttimeoutlen = _ESCAPE_SECONDS
        self._application.key_processor.before_key_press += lambda _: self._forget_told()
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
        width, height = self._pane_sizes()[1]
        return width - 1, height

    def refresh(self) -> None:
        """Draw anew."""
        self._application.invalidate()

    def fail(self, error: BaseException) -> None:
        """Leave with what is a bug."""
        if not self._application.is_done:
            self._application.exit(exception=error)

    def _apply_filter(self) -> None:
        self._state.look_for(self._filter.text)

    def _forget_told(self) -> None:
        """What was told was read when the next key is pressed."""
        self._state.told = ""

    # What is seen

    def _build_layout(self) -> HSplit:
        label = Window(FormattedTextControl([("class:label", _FILTER_LABEL)]), width=len(_FILTER_LABEL), height=1)
        asked = VSplit([label, Window(BufferControl(self._filter), height=1)])
        preview = Window(FormattedTextControl(self._preview_text))
        list_width, list_height = (lambda: self._pane_sizes()[0][0]), (lambda: self._pane_sizes()[0][1])
        wide = VSplit([HSplit([self._list], width=list_width), Window(width=1, char="│", style="class:quiet"), preview])
        narrow = HSplit([HSplit([self._list], height=list_height), _rule_window(), preview])
        body = DynamicContainer(lambda: wide if self._screen_columns >= SIDE_BY_SIDE_COLUMNS else narrow)
        bottom = Window(FormattedTextControl(self._bottom_text), height=lambda: self._bottom_height, wrap_lines=True)
        return HSplit([asked, _rule_window(), body, bottom])

    @property
    def _message_text(self) -> str:
        return self._state.question or self._state.told

    @property
    def _bottom_height(self) -> int:
        """Lines that what is asked or told needs."""
        return min(_MAX_MESSAGE_LINES, max(1, -(-get_cwidth(self._message_text) // self._screen_columns)))

    @property
    def _screen_columns(self) -> int:
        return self._output.get_size().columns

    def _pane_sizes(self) -> tuple[tuple[int, int], tuple[int, int]]:
        """Cells and lines of list and preview."""
        size = self._output.get_size()
        return pane_sizes(size.columns, size.rows - self._bottom_height + 1)

    def _list_text(self) -> StyleAndTextTuples:
        width, height = self._pane_sizes()[0]
        state = self._state
        if not state.rows:
            return [("class:quiet", fit_text(self._empty_text(), width))]
        look = Look(width, height, pattern_of(state.words), current=state.chats.session)
        self._top = max(0, state.selected - look.rows_that_fit + 1, min(self._top, state.selected))
        return _join_lines(list_lines(state.rows, state.selected, self._top, look))

    def _empty_text(self) -> str:
        if self._state.loading:
            return "  …"
        return "  No conversation has these words." if self._state.words.strip() else "  No conversation is kept yet."

    def _preview_text(self) -> StyleAndTextTuples:
        shown = self._state.conversation
        if self._state.row is None:
            return []
        if shown is None or shown.info.id != self._state.row.id:
            return [("class:quiet", " …")]
        return _join_lines([[("", " "), *line] for line in shown.visible_lines(*self.room)])

    def _bottom_text(self) -> StyleAndTextTuples:
        width = self._screen_columns
        if said := self._message_text:
            return [("class:told", said)]
        hint = _LIST_HINT if self._application.layout.has_focus(self._list) else _FILTER_HINT
        return [("class:quiet", fit_text(hint + _READ_HINT if len(hint + _READ_HINT) <= width else hint, width))]

    # Keys

    def _key_bindings(self) -> KeyBindingsBase:
        asking = Condition(lambda: self._state.asked is not None)
        return merge_key_bindings(
            [
                ConditionalKeyBindings(self._moving_keys(), ~asking),
                ConditionalKeyBindings(self._acting_keys(), ~asking & has_focus(self._list)),
                ConditionalKeyBindings(self._answering_keys(), asking),
            ]
        )

    def _moving_keys(self) -> KeyBindings:
        """Keys that do the same wherever the focus is."""
        keys = KeyBindings()
        for key in (Keys.Escape, Keys.ControlC, Keys.ControlD, Keys.ControlSquareClose, Keys.SIGINT):
            keys.add(key, eager=True)(lambda event: event.app.exit(result=""))
        keys.add(Keys.Down)(lambda _: self._move_selection(1))
        keys.add(Keys.Up)(lambda _: self._move_selection(-1))
        keys.add(Keys.PageDown)(lambda _: self._scroll_preview(1))
        keys.add(Keys.PageUp)(lambda _: self._scroll_preview(-1))

        @keys.add(Keys.Tab)
        @keys.add(Keys.BackTab)
        def change_focus(event: KeyPressEvent) -> None:
            in_list = event.app.layout.has_focus(self._list)
            event.app.layout.focus(self._filter if in_list else self._list)

        @keys.add(Keys.Enter)
        def resume_selected(event: KeyPressEvent) -> None:
            if self._state.row is not None:
                current = self._state.row.id == self._state.chats.session
                event.app.exit(result="" if current else self._state.row.id)

        return keys

    def _acting_keys(self) -> KeyBindings:
        """Keys that do something only in the list; any other character is looked for."""
        keys = KeyBindings()
        keys.add("e")(lambda _: self._state.export_selected())
        keys.add("d")(lambda _: self._state.ask_to_delete())
        keys.add("/")(lambda event: event.app.layout.focus(self._filter))
        keys.add(Keys.Home)(lambda _: self._state.move_selection(-len(self._state.rows)))
        keys.add(Keys.End)(lambda _: self._state.move_selection(len(self._state.rows)))

        @keys.add(Keys.Backspace)
        def shorten_filter(event: KeyPressEvent) -> None:
            event.app.layout.focus(self._filter)
            self._filter.delete_before_cursor()

        @keys.add(Keys.Any)
        @keys.add(Keys.BracketedPaste)
        def type_on(event: KeyPressEvent) -> None:
            if event.data.isprintable():
                event.app.layout.focus(self._filter)
                self._filter.insert_text(event.data)

        return keys

    def _answering_keys(self) -> KeyBindings:
        """Yes is y; whatever else is pressed is no."""
        keys = KeyBindings()
        for key in ("y", "Y"):
            keys.add(key, eager=True)(lambda _: self._state.answer_question(yes=True))
        for key in (Keys.Any, Keys.Escape, Keys.ControlC, Keys.SIGINT):
            keys.add(key, eager=True)(lambda _: self._state.answer_question(yes=False))
        return keys

    def _move_selection(self, by: int) -> None:
        self._application.layout.focus(self._list)
        self._state.move_selection(by)

    def _scroll_preview(self, pages: int) -> None:
        if self._state.conversation is not None:
            self._state.conversation.scroll(pages, *self.room)


def pane_sizes(columns: int, rows: int) -> tuple[tuple[int, int], tuple[int, int]]:
    """Cells and lines of list and preview on a screen: beside each other where there is room, else one above the other.

    An item of the list has two lines when words are looked for.
    """
    lines = max(2, rows - _LINES_AROUND)
    if columns >= SIDE_BY_SIDE_COLUMNS:
        width = columns * 9 // 20
        return (width, lines), (columns - width - 1, lines)
    height = max(1, (lines - 1) * 2 // 5)
    return (columns, height), (columns, max(1, lines - 1 - height))


def _rule_window() -> Window:
    return Window(height=1, char="─", style="class:quiet")


def _join_lines(lines: list[StyleAndTextTuples]) -> StyleAndTextTuples:
    return [part for line in lines for part in [*line, ("", "\n")]][:-1]
