/** Aligns text by tabs the way Go's tabwriter does, which is how kubectl lays out its descriptions. */
import { terminalText } from "./terminal-text.ts";

const padding = 2;

/**
 * A cell is what ends in a tab. Cells of one column line up for as long as lines follow each other that
 * have this column; the next block gets a width of its own.
 */
export function alignTabs(lines: readonly string[]): string[] {
  const rows = lines.map((line) => terminalText(line).split("\t"));
  const widths = rows.map((): number[] => []);
  const deepest = rows.reduce((most, row) => Math.max(most, row.length - 1), 0);
  for (let column = 0; column < deepest; column++) measureColumn(rows, column, widths);
  return rows.map((row, index) =>
    row
      .map((cell, column) =>
        column === row.length - 1 ? cell : cell.padEnd(widths[index]?.[column] ?? 0),
      )
      .join(""),
  );
}

function measureColumn(
  rows: readonly (readonly string[])[],
  column: number,
  widths: readonly number[][],
): void {
  let start = 0;
  while (start < rows.length) {
    let end = start;
    let widest = 0;
    while (end < rows.length && (rows[end]?.length ?? 0) - 1 > column) {
      widest = Math.max(widest, rows[end]?.[column]?.length ?? 0);
      end++;
    }
    const width = widest === 0 ? 0 : widest + padding;
    for (let index = start; index < end; index++) widths[index]?.splice(column, 1, width);
    start = end + 1;
  }
}
