"""A hostile MCP server with a family: a child in its group, and one that leaves it; none ends when it is asked to."""

import os
import signal
import subprocess
import sys
import time

if len(sys.argv) > 1:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if sys.argv[1] == "daemon" and os.fork():
        sys.exit()
    while True:
        time.sleep(60)
subprocess.Popen([sys.executable, __file__, "child"])
subprocess.Popen([sys.executable, __file__, "daemon"], start_new_session=True)
os.execv(sys.executable, [sys.executable, os.environ["SERVER"]])
