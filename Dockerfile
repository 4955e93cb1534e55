# The service in a container: `docker build -t kind .`. See docs/deployment.md.
# With DATABASE_URL and JWT_SECRET the container keeps nothing; without them /data holds the embedded PostgreSQL and the
# secret. Its root file system may be read-only: it writes to /data and /tmp only.

FROM node:22-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY console/package.json console/
COPY console/stand-ins console/stand-ins
COPY packages/client/package.json packages/client/
COPY packages/embedded-postgres/package.json packages/embedded-postgres/
COPY scripts/package.json scripts/
RUN npm ci --no-audit --no-fund
COPY . .
# The service needs the files of the build and the console, and none of their packages.
RUN npm run build && npm prune --omit=dev --workspaces=false --no-audit --no-fund

FROM node:22-slim
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 DATA_DIR=/data FUNCTIONS_DIR=/app/functions
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY --from=build /app/console/dist ./console/dist
COPY --from=build /app/packages/client ./packages/client
COPY --from=build /app/templates ./templates
COPY --from=build /app/functions ./functions
# `kind` is the command line, as in `docker compose exec api-1 kind project list`.
RUN ln -s /app/dist/cli/main.js /usr/local/bin/kind && mkdir --mode=700 /data && chown node:node /data
USER node
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=5s --start-period=120s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/health/ready`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "dist/main.js"]
