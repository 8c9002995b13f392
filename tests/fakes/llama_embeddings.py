"""llama.cpp's own server as one that embeds: a process that prints its address and ends with its standard input."""

import os
import sys

import xllamacpp


def serve_vectors(model: str, key: str) -> None:
    """Embed by the mean of what a model makes of each token, 512 of them at most, until nobody is there any more."""
    params = xllamacpp.CommonParams()
    params.model.path = model
    params.embedding = True
    params.pooling_type = xllamacpp.llama_pooling_type.LLAMA_POOLING_TYPE_MEAN
    # A text has to be read at once, and no two texts in one slot.
    params.n_ctx = params.n_batch = params.n_ubatch = 512
    params.n_parallel = 1
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    params.api_keys = [key]
    params.ui = False
    params.verbosity = 0
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    server = xllamacpp.Server(params)
    sys.stdout.write(f"{server.listening_address}\n")
    sys.stdout.flush()
    sys.stdin.read()
    # What is left of its threads is of no use to anybody.
    os._exit(0)


if __name__ == "__main__":
    serve_vectors(*sys.argv[1:])
