# Magpie as a service; see docs/containers.md. Everything that it keeps lies in the volume /data.
FROM python:3.12-slim AS build

# "chat" brings the weights of the embedded model along, for where no Ollama runs beside it.
ARG EXTRAS=""
# PyTorch's index of builds for the CPU keeps several gigabytes for graphics cards out: --build-arg PIP_EXTRA_INDEX_URL=...
ARG PIP_EXTRA_INDEX_URL=""
ENV PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1

WORKDIR /src
COPY pyproject.toml README.md LICENSE ./
COPY chatbot chatbot
COPY rag rag
COPY tools tools
COPY utils utils
RUN python -m venv /opt/magpie \
    && /opt/magpie/bin/pip install ".${EXTRAS:+[$EXTRAS]}"

FROM python:3.12-slim

RUN useradd --create-home --uid 10001 --user-group magpie \
    && install -d -o magpie -g magpie -m 0700 /data
COPY --from=build /opt/magpie /opt/magpie

ENV PATH=/opt/magpie/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    MAGPIE_DATA_DIR=/data \
    MAGPIE_SERVE__HOST=0.0.0.0 \
    MAGPIE_SERVE__PORT=8787
USER 10001:10001
WORKDIR /home/magpie
VOLUME /data
EXPOSE 8787

HEALTHCHECK --interval=30s --timeout=5s --start-period=30s \
    CMD ["python", "-c", "import urllib.request as r; r.urlopen('http://127.0.0.1:8787/api/health', timeout=4)"]

STOPSIGNAL SIGTERM
ENTRYPOINT ["magpie"]
CMD ["serve"]
