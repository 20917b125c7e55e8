/** The Chromium of this machine, which no download of ours replaces. */
import { existsSync } from "node:fs";

export const browserPath = (): string | undefined =>
  ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find((path) =>
    existsSync(path),
  );
