/** The embedded server in a process of its own, so that a benchmark measures it and not itself. */
import { createApiServer } from "../src/apiserver/api-server.ts";
import { builtinResources } from "../src/apiserver/catalogue/builtin-resources.ts";
import { systemClock } from "../src/runtime/system-clock.ts";

const server = createApiServer({ clock: systemClock(), resources: builtinResources() });
const token = "bench";
const { url, certificate } = await server.listen({ token, tls: true });
process.send?.({ url, token, ca: certificate });
process.on("message", () => process.disconnect());
process.on("disconnect", () => void server.stop());
