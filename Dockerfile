# syntax=docker/dockerfile:1
# Two stages: the first compiles and packs the npm packages, the second installs them as a user would. The steps
# are in `ops/image/*.sh`, which a test runs without a container engine.

FROM rust:1.95-trixie AS rust

FROM node:24-trixie AS build
ARG TARGETARCH
COPY --from=rust /usr/local/cargo /usr/local/cargo
COPY --from=rust /usr/local/rustup /usr/local/rustup
ENV CARGO_HOME=/usr/local/cargo RUSTUP_HOME=/usr/local/rustup PATH=/usr/local/cargo/bin:$PATH
RUN apt-get update \
 && apt-get install -y --no-install-recommends cmake nasm \
 && rm -rf /var/lib/apt/lists/*
WORKDIR /src
# The addon is compiled of these files only, so that no other change compiles it again.
COPY package.json package-lock.json Cargo.toml Cargo.lock ./
COPY scripts scripts
COPY crates crates
RUN --mount=type=cache,target=/root/.npm \
    --mount=type=cache,target=/usr/local/cargo/registry \
    --mount=type=cache,target=/src/target,id=target-$TARGETARCH \
    ISCCD_SETUP_APT=off node scripts/setup.mjs --addon
COPY . .
RUN --mount=type=cache,target=/root/.npm ops/image/build.sh /packages

FROM node:24-trixie-slim
RUN apt-get update \
 && apt-get install -y --no-install-recommends ffmpeg perl postgresql-client \
 && rm -rf /var/lib/apt/lists/*
RUN --mount=type=bind,from=build,source=/packages,target=/packages \
    --mount=type=bind,from=build,source=/src/ops/image,target=/image \
    /image/install.sh /packages /opt/isccd
# A fresh volume inherits the owner of the folder it is mounted on.
RUN mkdir /data && chown node:node /data
USER node
# All data is under /data; the root file system can be read-only (`--read-only --tmpfs /tmp`).
ENV NODE_ENV=production \
    ISCCD_DATA_DIR=/data \
    CODEWEB_HOST=0.0.0.0 \
    INDEXSVC_HOST=0.0.0.0 \
    MSTORE_HOST=0.0.0.0 \
    RESOLVER_HOST=0.0.0.0
VOLUME /data
EXPOSE 8000 8010 8020 8030
ENTRYPOINT ["/opt/isccd/node_modules/.bin/isccd"]
# The manifest store needs APP_SECRET_KEY and MSTORE_URL: add `store` once they are set.
CMD ["serve", "codes", "search", "resolver"]
# While services start, checks are more frequent.
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s --start-interval=2s --retries=3 \
  CMD ["/opt/isccd/health"]
