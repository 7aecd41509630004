# All that the commands of the README need, from requirements.lock: `docker build --tag benchmark .`, then
# `docker run --volume "$PWD/results:/benchmark/results" benchmark` for the demo, or with another command behind it.
#
# PyPI's torch brings gigabytes of GPU libraries, which no method here uses. An index with torch's builds for the CPU keeps
# them out: `--build-arg PIP_EXTRA_INDEX_URL=ADDRESS`.
FROM python:3.11-slim

# gcc and g++ compile liblinear; snakemake does not start without git.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --yes --no-install-recommends g++ gcc git libc6-dev make \
    && rm -rf /var/lib/apt/lists/*

WORKDIR /benchmark
ARG PIP_EXTRA_INDEX_URL
ARG PIP_NO_CACHE_DIR=1
# Before the rest: a layer that stays until the lock changes.
COPY requirements.lock Makefile ./
RUN make .venv/ready
ENV PATH="/benchmark/.venv/bin:$PATH"
COPY . .

CMD ["snakemake", "--cores", "all", "--configfile", "config/demo.yaml"]
