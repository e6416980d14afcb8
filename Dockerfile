# The image of Muster, for a PostgreSQL of its own (DATABASE_URL): docs/deploying.md. It has Node, the libraries that Node loads, and the server as a release has it: no shell, no npm.
FROM node:24.21.0-bookworm-slim AS build
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev
COPY build.js openapi.json ARCHITECTURE.md CHANGELOG.md CONTRIBUTING.md LICENSE README.md SECURITY.md ./
COPY src src/
COPY packages packages/
COPY schema schema/
COPY migrations migrations/
COPY docs docs/
RUN node packages/release/main.ts --stage muster
# Their paths depend on the processor. Node brings its own certificates and time zones.
RUN mkdir libraries && cp --dereference --parents $(ldd "$(command -v node)" | grep -o '/[^ ]*') libraries

FROM scratch
COPY --from=build /usr/local/bin/node /usr/local/bin/
COPY --from=build /build/libraries /
COPY --from=build /build/muster /app/
WORKDIR /app
ENV HOST=0.0.0.0 PORT=4000 METRICS_HOST=0.0.0.0
EXPOSE 4000
# By number, so that Kubernetes can tell that it is not root.
USER 1000:1000
HEALTHCHECK --interval=10s --timeout=3s --start-period=60s --retries=3 \
  CMD ["/usr/local/bin/node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/health/ready`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# Node itself is the first process and gets the signals: it drains, and ends its workers.
ENTRYPOINT ["/usr/local/bin/node", "/app/dist/main.js"]
CMD ["serve"]
