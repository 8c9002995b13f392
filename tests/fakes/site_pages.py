"""The articles of the loopback web site: invented places, each with facts that stand on one page only."""

# path: (title, paragraphs)
ARTICLES: dict[str, tuple[str, tuple[str, ...]]] = {
    "/lighthouse-museum.html": (
        "Gull Point Lighthouse Museum",
        (
            "The Gull Point Lighthouse was built in 1868 on the northern cliffs of Marlow Bay, after three schooners "
            "had been lost there in a single winter. Since 1994 the tower has been a museum run by volunteers.",
            "Visitors climb 142 steps to the lantern room, where the original glass lens still turns on a bath of "
            "mercury. The lens was ground in Paris and weighs almost two tonnes.",
            "Admission to the lighthouse museum costs 7 crowns for adults and 3 crowns for children. The museum is "
            "closed on Mondays. Dogs are welcome in the garden but not in the tower.",
            "The last keeper, Edda Moravec, lived in the cottage beside the tower until 1987. Her logbooks are shown "
            "on the second floor, together with her collection of ship models.",
        ),
    ),
    "/library-hours.html": (
        "Thornbury Town Library: opening hours and services",
        (
            "The Thornbury town library is open on Tuesday from 10 in the morning until 7 in the evening, on "
            "Wednesday and Friday from noon until 6, and on Saturday from 9 until 1. It is closed on all other days.",
            "A library card is free for everyone who lives in the district. Books may be borrowed for four weeks and "
            "renewed twice by telephone.",
            "The reading room on the upper floor keeps the district's newspapers back to 1851. Please ask the "
            "librarian, Mr Okafor, for the key to the map cabinet.",
        ),
    ),
    "/ferry-timetable.html": (
        "Skerry Island ferry timetable",
        (
            "The ferry to Skerry Island leaves Port Anselm every ninety minutes. The first boat of the day sails at "
            "6:45 in the morning and the last boat returns from the island at 21:10.",
            "The crossing takes 35 minutes in calm weather. In a storm the ferry does not run; the harbour office "
            "decides at five in the morning and hangs out a red flag.",
            "A return ticket costs 12 crowns. A bicycle travels for 4 crowns, and up to eleven cars find room on the "
            "lower deck of the ferry Aurelia.",
        ),
    ),
    "/observatory.html": (
        "Mount Corvin Observatory",
        (
            "Mount Corvin Observatory stands at 2,310 metres above the clouds of the Ander valley. Its main telescope, "
            "called Halcyon, has a mirror of 2.4 metres.",
            "The observatory opens its dome to the public on the second Friday of every month. Places are limited to "
            "thirty, and warm clothes are advised even in July.",
            "In 2009 the astronomer Liesl Abernathy discovered the comet that bears her name with the Halcyon "
            "telescope. The photographic plates hang in the entrance hall.",
        ),
    ),
    "/cheese.html": (
        "How Brindlewick blue cheese is made",
        (
            "Brindlewick blue is a soft blue cheese made of goat's milk in the villages around Brindlewick. About "
            "forty tonnes are made every year by nine dairies.",
            "The wheels of Brindlewick cheese ripen for fourteen weeks in sandstone caves below the old abbey, where "
            "the air stays at nine degrees. They are turned by hand twice a week.",
            "The cheese is eaten with pears and dark bread. A wheel weighs 1.8 kilograms and wears a leaf of the wild "
            "cherry under its wrapping.",
        ),
    ),
    "/bridge.html": (
        "The Ostermark Bridge",
        (
            "The Ostermark Bridge crosses the river Venn below the town of Ostermark. It is 412 metres long and was "
            "opened to traffic in May 1931.",
            "The bridge was designed by the engineer Ingrid Halvorsen, who was twenty-nine when she won the "
            "competition. She used steel arches in place of the suspension cables that the town had expected.",
            "Its lamps were replaced in 2016. Every autumn the bridge is closed for one Sunday, when the town holds "
            "its lantern run across it.",
        ),
    ),
    "/botanical-garden.html": (
        "The botanical garden of Saint Orla",
        (
            "The botanical garden of Saint Orla was laid out in 1904 by the apothecary Caspar Wynn. Its palm house is "
            "the oldest iron greenhouse of the region.",
            "The giant water lily of the garden blooms in August, on two nights only. The petals open white and turn "
            "pink before they sink.",
            "More than 3,200 kinds of plants grow here. The garden's seed exchange sends packets to sixty gardens all "
            "over the world.",
        ),
    ),
    "/steam-railway.html": (
        "The Vale of Enner steam railway",
        (
            "The Vale of Enner railway runs for eleven kilometres from Enner Bridge to the slate quarries. It is "
            "worked by steam locomotives on Sundays from April to October.",
            "The pride of the line is the locomotive Marigold, built in 1923 and restored by apprentices over nine "
            "winters. She burns 300 kilograms of coal on each trip.",
            "Tickets are sold by the station master, in uniform. Children may sound the whistle at Quarry Halt.",
        ),
    ),
    "/marathon.html": (
        "Lindholm Marathon: history and records",
        (
            "The Lindholm marathon is run on the first Sunday of September along the shore of Lake Tessin. About six "
            "thousand runners take part.",
            "The course record of the Lindholm marathon is 2 hours 11 minutes 48 seconds, set by Tomas Berglund in "
            "2018. The women's record was set by Amara Diallo in 2022.",
            "There is a hill at kilometre 31, which the runners call the Baker, because a bakery at its top hands out "
            "warm rolls.",
        ),
    ),
    "/honey.html": (
        "Heather honey of the Carrick moor",
        (
            "Beekeepers carry some nine hundred hives to the Carrick moor in the last week of July, when the heather "
            "begins to flower. The honey is dark amber and sets like jelly.",
            "Heather honey cannot be spun out of the combs. It is pressed with wooden presses, some of them a hundred "
            "years old.",
            "A jar of Carrick honey carries a blue seal with the number of its hive.",
        ),
    ),
    "/flood.html": (
        "The Hartsmouth flood of 1953",
        (
            "In the night of the 31st of January 1953 the sea broke through the dyke at Hartsmouth and flooded the "
            "lower town. The water stood 2.6 metres high in the market hall.",
            "The baker Jonas Petterly rowed from house to house in a borrowed boat and brought 64 people to the "
            "church, where they waited for two days.",
            "A new dyke of 7 metres was finished in 1961. A brass line on the wall of the market hall shows how high "
            "the water was.",
        ),
    ),
    "/puppets.html": (
        "The puppet theatre of Quillon",
        (
            "The puppet theatre of Quillon plays in a former salt store on the quay. Its ninety puppets are carved of "
            "lime wood by the family Zabransky.",
            "The best loved play is The Clockmaker's Goose, which has been given more than two thousand times since "
            "1949.",
            "The theatre has seats for eighty, and the performance begins at four in the afternoon on Saturdays.",
        ),
    ),
}

PDF_PAGES = (
    ("Hartsmouth harbour: a guide for visiting boats",),
    (
        "The harbour master of Hartsmouth listens on VHF channel 12 from 7 in the",
        "morning until 8 in the evening. A berth costs 18 crowns a night, water and",
        "electricity included. The depth at the visitors' pier is 3.4 metres at low tide.",
    ),
)

PLAIN_TEXT = (
    "Notes on the weather station of Cape Ravel\n\n"
    "The weather station of Cape Ravel measured its strongest gust, 187 kilometres an hour, in December 1999.\n"
)
MARKDOWN = (
    "# The tide mill of Port Anselm\n\n"
    "The tide mill was built in 1782 and grinds **twice a day**, whenever the tide turns.\n\n"
    "## Visiting\n\nThe miller shows the wheel on Thursdays at three.\n"
)
