# The image that deploy/operator.yaml names: Node.js and one bundle, nothing else.
#   docker build -t lockstep:0.1.0 .
FROM node:22-bookworm-slim AS build
WORKDIR /build
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY tsconfig.json ./
COPY scripts scripts
COPY src src
RUN node --input-type=module -e 'import { bundle } from "./scripts/build.mjs"; await bundle("/app/lockstep.mjs")'

FROM node:22-bookworm-slim
COPY --from=build /app /app
COPY LICENSE /app/
# As in deploy/operator.yaml: nobody in particular, and nothing to write to.
USER 65532:65532
ENTRYPOINT ["node", "/app/lockstep.mjs"]
CMD ["operator"]
