"""What the conformance suite starts as its client: hands over to one that runs already, to which it takes a moment."""

import json
import os
import socket
import sys

_, place, url = sys.argv
with socket.socket(socket.AF_UNIX) as there:
    there.connect(place)
    scenario, context = (os.environ.get(f"MCP_CONFORMANCE_{name}", "") for name in ("SCENARIO", "CONTEXT"))
    there.sendall(json.dumps([url, scenario, context]).encode() + b"\n")
    sys.exit(there.recv(1) != b"0")
