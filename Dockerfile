# The image of Muster, for a PostgreSQL of its own (DATABASE_URL): docs/deploying.md. It runs as a user without rights, also with --read-only.
FROM node:24.21.0-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev
COPY build.js openapi.json ARCHITECTURE.md CHANGELOG.md CONTRIBUTING.md README.md SECURITY.md ./
COPY src src/
COPY packages packages/
COPY schema schema/
COPY docs docs/
RUN node build.js

# What the bundle loads as files: GraphiQL, and the names of the demo. The embedded PostgreSQL is optional, and left out.
FROM node:24.21.0-bookworm-slim AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev --omit=optional

FROM node:24.21.0-bookworm-slim
WORKDIR /app
COPY --from=packages /app/node_modules node_modules/
COPY --from=build /app/dist dist/
COPY package.json ./
COPY migrations migrations/
ENV HOST=0.0.0.0 PORT=4000 METRICS_HOST=0.0.0.0
EXPOSE 4000
# By number, so that Kubernetes can tell that it is not root.
USER 1000:1000
HEALTHCHECK --interval=10s --timeout=3s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/health/ready`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# Node itself is the first process and gets the signals: it drains, and ends its workers.
ENTRYPOINT ["node", "dist/main.js"]
CMD ["serve"]
