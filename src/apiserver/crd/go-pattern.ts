/** Regular expressions in Go's syntax, as schemas and rules write them. */

const cache = new Map<string, RegExp | undefined>();
const cacheLimit = 2000;

/** Undefined where the expression is not valid. */
export function goPattern(pattern: string): RegExp | undefined {
  if (!cache.has(pattern)) {
    if (cache.size >= cacheLimit) cache.clear();
    cache.set(pattern, compile(pattern));
  }
  return cache.get(pattern);
}

function compile(pattern: string): RegExp | undefined {
  const flags = /^\(\?([ims]+)\)/.exec(pattern);
  const body = pattern
    .slice(flags?.[0].length ?? 0)
    .replaceAll(String.raw`\A`, "^")
    .replaceAll(String.raw`\z`, "$")
    .replaceAll("(?P<", "(?<")
    .replaceAll(/\[\[:(\w+):\]\]/g, (whole, name: string) => `[${posixClasses[name] ?? whole}]`)
    .replaceAll(/\[:(\w+):\]/g, (whole, name: string) => posixClasses[name] ?? whole);
  try {
    return new RegExp(body, `u${flags?.[1] ?? ""}`);
  } catch {
    return compileLoosely(body, flags?.[1] ?? "");
  }
}

/** The unicode mode refuses needless escapes such as `\-`, which Go allows. */
function compileLoosely(body: string, flags: string): RegExp | undefined {
  try {
    return new RegExp(body, flags);
  } catch {
    return undefined;
  }
}

const posixClasses: Readonly<Record<string, string>> = {
  alnum: "0-9A-Za-z",
  alpha: "A-Za-z",
  digit: "0-9",
  lower: "a-z",
  punct: String.raw`!-\/:-@\[-\`{-~`,
  space: String.raw`\t\n\v\f\r `,
  upper: "A-Z",
  word: "0-9A-Za-z_",
  xdigit: "0-9A-Fa-f",
};
