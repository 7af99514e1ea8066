# syntax=docker/dockerfile:1
# Two stages: the first has compilers and makes the packages that would be published, the second
# installs those packages the way a user does.

FROM rust:1.95-bookworm AS rust

FROM node:20-bookworm AS build
COPY --from=rust /usr/local/cargo /usr/local/cargo
COPY --from=rust /usr/local/rustup /usr/local/rustup
ENV CARGO_HOME=/usr/local/cargo RUSTUP_HOME=/usr/local/rustup PATH=/usr/local/cargo/bin:$PATH
RUN apt-get update \
 && apt-get install -y --no-install-recommends cmake nasm \
 && rm -rf /var/lib/apt/lists/*
WORKDIR /src
COPY . .
RUN ISCCD_SETUP_APT=off node scripts/pack.mjs /packages

FROM node:20-bookworm-slim
RUN apt-get update \
 && apt-get install -y --no-install-recommends ffmpeg perl \
 && rm -rf /var/lib/apt/lists/*
WORKDIR /opt/isccd
RUN --mount=type=bind,from=build,source=/packages,target=/packages \
    npm install --no-audit --no-fund /packages/*.tgz && npm cache clean --force
RUN mkdir /data && chown node:node /data
USER node
ENV CODEWEB_HOST=0.0.0.0 CODEWEB_MEDIA_PATH=/data/media CODEWEB_ENVIRONMENT=production
VOLUME /data
EXPOSE 8000
ENTRYPOINT ["/opt/isccd/node_modules/.bin/isccd"]
CMD ["serve"]
