"""Tools as 21 well-known MCP servers describe them, and questions with the tools that are right for them."""

TOOLS = """\
github.create_issue|Create a new issue in a GitHub repository
github.list_issues|List issues in a GitHub repository with filtering options
github.create_pull_request|Create a new pull request in a GitHub repository
github.search_repositories|Search for GitHub repositories
github.get_file_contents|Get the contents of a file or directory from a GitHub repository
github.create_branch|Create a new branch in a GitHub repository
github.fork_repository|Fork a GitHub repository to your account or specified organization
github.add_issue_comment|Add a comment to an existing issue
github.merge_pull_request|Merge a pull request
github.list_commits|Get list of commits of a branch in a GitHub repository
files.read_file|Read the complete contents of a file from the file system
files.write_file|Create a new file or completely overwrite an existing file with new content
files.edit_file|Make line-based edits to a text file
files.create_directory|Create a new directory or ensure a directory exists
files.list_directory|Get a detailed listing of all files and directories in a specified path
files.directory_tree|Get a recursive tree view of files and directories as a JSON structure
files.move_file|Move or rename files and directories
files.search_files|Recursively search for files and directories matching a pattern
files.get_file_info|Retrieve detailed metadata about a file or directory, such as size and time of change
slack.slack_list_channels|List public channels in the workspace with pagination
slack.slack_post_message|Post a new message to a Slack channel
slack.slack_reply_to_thread|Reply to a specific message thread in Slack
slack.slack_add_reaction|Add a reaction emoji to a message
slack.slack_get_channel_history|Get recent messages from a channel
slack.slack_get_users|Get a list of all users in the workspace with their basic profile information
postgres.query|Run a read-only SQL query
calendar.list_events|List events from one or more calendars
calendar.create_event|Create a new calendar event
calendar.update_event|Update an existing calendar event
calendar.delete_event|Delete a calendar event
calendar.get_freebusy|Query free/busy information for calendars
gmail.send_email|Sends a new email
gmail.draft_email|Draft a new email
gmail.read_email|Retrieves the content of a specific email
gmail.search_emails|Searches for emails using Gmail search syntax
gmail.modify_email|Modifies email labels (move to different folders)
gmail.delete_email|Permanently deletes an email
maps.maps_geocode|Convert an address into geographic coordinates
maps.maps_search_places|Search for places using Google Places API
maps.maps_directions|Get directions between two points
maps.maps_distance_matrix|Calculate travel distance and time for multiple origins and destinations
maps.maps_elevation|Get elevation data for locations on the earth
puppeteer.puppeteer_navigate|Navigate to a URL
puppeteer.puppeteer_screenshot|Take a screenshot of the current page or a specific element
puppeteer.puppeteer_click|Click an element on the page
puppeteer.puppeteer_fill|Fill out an input field
puppeteer.puppeteer_evaluate|Execute JavaScript in the browser console
memory.create_entities|Create multiple new entities in the knowledge graph
memory.create_relations|Create multiple new relations between entities in the knowledge graph
memory.search_nodes|Search for nodes in the knowledge graph based on a query
time.get_current_time|Get current time in a specific timezone
time.convert_time|Convert time between timezones
git.git_status|Shows the working tree status
git.git_diff_unstaged|Shows changes in the working directory that are not yet staged
git.git_commit|Records changes to the repository
git.git_log|Shows the commit logs
git.git_checkout|Switches branches
sentry.get_sentry_issue|Retrieve and analyze a Sentry issue by ID or URL
sqlite.read_query|Execute a SELECT query on the SQLite database
sqlite.write_query|Execute an INSERT, UPDATE, or DELETE query on the SQLite database
sqlite.create_table|Create a new table in the SQLite database
sqlite.list_tables|List all tables in the SQLite database
sqlite.describe_table|Get the schema information for a specific table
spotify.play_track|Start playback of a track on the user's device
spotify.create_playlist|Create a playlist for the user
spotify.search|Search for tracks, albums, artists or playlists
home.turn_on|Turn on a light or switch
home.set_temperature|Set the target temperature of a thermostat
home.get_state|Get the state of a device
notion.create_page|Create a page in a Notion workspace
notion.query_database|Query a Notion database with filters and sorts
notion.append_blocks|Append blocks to a page
jira.search_issues|Search Jira issues using JQL
jira.create_issue|Create a Jira issue
jira.transition_issue|Move a Jira issue to another status
weather.forecast|Get the weather forecast for a location
weather.alerts|Get weather alerts for a US state
stocks.quote|Get the latest price of a stock
translate.translate_text|Translate a text into another language
arxiv.search_papers|Search for papers on arXiv
arxiv.download_paper|Download a paper and create a resource for it
"""
"""`server.tool|description`, a line each."""
QUESTIONS = """\
Is it going to rain in Oslo tomorrow?|weather.forecast
What's on my schedule on Thursday?|calendar.list_events
Put a dentist appointment at 3pm on Monday into my calendar|calendar.create_event
Did Anna write me about the invoice?|gmail.search_emails
Tell the team in #general that the release is out|slack.slack_post_message
How do I drive from Bonn to Cologne?|maps.maps_directions
Open a bug report: the login button does nothing|github.create_issue,jira.create_issue
What changed in the last commits of the main branch?|github.list_commits,git.git_log
Which files are in my notes folder?|files.list_directory,files.directory_tree
Rename report.txt to report-old.txt|files.move_file
How many customers signed up last month according to the database?|postgres.query,sqlite.read_query
What time is it in Tokyo?|time.get_current_time
Play something by Miles Davis|spotify.play_track,spotify.search
Make the living room warmer|home.set_temperature
Switch the kitchen lamp on|home.turn_on
How much is Apple worth today on the stock market?|stocks.quote
How do you say good morning in Portuguese?|translate.translate_text
Find recent papers on retrieval augmented generation|arxiv.search_papers
Take a picture of how example.org looks|puppeteer.puppeteer_screenshot
Show me what I have not staged yet|git.git_diff_unstaged
How high is Mont Blanc above the sea?|maps.maps_elevation
Which columns does the table orders have?|sqlite.describe_table
What did people say in the support channel today?|slack.slack_get_channel_history
Where is the file with my tax return?|files.search_files
Am I free on Friday afternoon?|calendar.get_freebusy,calendar.list_events
Write down today's meeting notes in Notion|notion.create_page,notion.append_blocks
Close ticket OPS-12|jira.transition_issue
Send a mail to Bob that I will be late|gmail.send_email
Merge the change of Alice|github.merge_pull_request
Look up restaurants near the station|maps.maps_search_places
"""
"""`question|server.tool`, a line each; several tools that are right are set apart by commas."""
