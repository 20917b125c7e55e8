/** Screens of a terminal as one SVG that plays them: text stays text, and nothing is loaded from anywhere. */

export interface Screen {
  readonly atMs: number;
  /** What was written to the terminal, with its control sequences. */
  readonly text: string;
}

interface Size {
  readonly columns: number;
  readonly rows: number;
}

const cell = { width: 8, height: 17 };
const margin = 14;
/** A rollout of a minute is watched in a few seconds. */
const speed = 3;
const mostScreens = 60;

const colours: Readonly<Record<string, string>> = {
  "1": "#ffffff",
  "2": "#7d8590",
  "31": "#ff7b72",
  "32": "#56d364",
  "33": "#e3b341",
  "35": "#d2a8ff",
  "36": "#79c0ff",
};
const ink = "#c9d1d9";

export function animated(all: readonly Screen[], { columns, rows }: Size): string {
  const drawings = all.filter(({ text }) => text.includes("\n"));
  const step = Math.max(1, Math.ceil(drawings.length / mostScreens));
  const kept = drawings.filter((_, at) => at % step === 0 || at === drawings.length - 1);
  const totalMs = ((kept.at(-1)?.atMs ?? 0) + 3_000) / speed;
  const width = columns * cell.width + 2 * margin;
  const height = rows * cell.height + 2 * margin;
  const frames = kept.map(({ text }, at) => `<g class="f" id="f${at}">${screenText(text)}</g>`);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" ` +
      `aria-label="lockstep watch during a rollout">`,
    `<style>text{font:13px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;fill:${ink};white-space:pre}`,
    // A viewer that plays nothing shows the rollout half way.
    `.f{visibility:hidden}#f${Math.floor(kept.length / 2)}{visibility:visible}`,
    `${kept.map((_, at) => timing(kept, at, totalMs)).join("")}</style>`,
    `<rect width="${width}" height="${height}" rx="8" fill="#0d1117"/>`,
    ...frames,
    "</svg>",
    "",
  ].join("\n");
}

/** One screen is seen from its own moment to that of the next; the last one stays until it starts again. */
function timing(screens: readonly Screen[], at: number, totalMs: number): string {
  const percent = (ms: number): string => ((100 * ms) / speed / totalMs).toFixed(2);
  const from = percent(screens[at]?.atMs ?? 0);
  const next = screens[at + 1]?.atMs;
  const to = next === undefined ? "100" : percent(next);
  const frames =
    `@keyframes k${at}{0%,${from}%{visibility:hidden}${from}%,${to}%{visibility:visible}` +
    `${to}%,100%{visibility:${next === undefined ? "visible" : "hidden"}}}`;
  return `#f${at}{animation:k${at} ${Math.round(totalMs)}ms step-end infinite}${frames}`;
}

const escape = String.fromCodePoint(27);

function screenText(text: string): string {
  return text
    .split("\n")
    .map((line, row) => {
      const spans = spansOf(line);
      if (spans === "") return "";
      const y = margin + (row + 0.8) * cell.height;
      return `<text x="${margin}" y="${y.toFixed(1)}" xml:space="preserve">${spans}</text>`;
    })
    .join("");
}

/** Every piece starts at its own column, so that another font cannot shift what follows it. */
function spansOf(line: string): string {
  let column = 0;
  let colour: string | undefined;
  return line
    .replaceAll("\r", "")
    .split(escape)
    .map((part, at) => {
      const [, codes = "", end = "", rest = part] =
        at === 0 ? [] : (/^\[([?0-9;]*)([A-Za-z])(.*)$/s.exec(part) ?? []);
      if (end === "m") colour = colours[codes];
      const shown = at === 0 ? part : rest;
      if (shown === "") return "";
      const x = margin + column * cell.width;
      column += shown.length;
      if (shown.trim() === "") return "";
      return `<tspan x="${x}"${colour === undefined ? "" : ` fill="${colour}"`}>${escaped(shown)}</tspan>`;
    })
    .join("");
}

const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
