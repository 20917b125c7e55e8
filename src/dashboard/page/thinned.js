/** Server and page forget alike: what happened long ago loses detail, never its beginning and never its end. */

/** Enough for hours of a busy rollout; then pairs of frames in the older half become one. */
export const mostFrames = 1_000;

export function thinned(frames) {
  const half = Math.floor(frames.length / 2);
  const older = frames.slice(0, half);
  const pairs = older.flatMap((frame, at) => {
    const next = older[at + 1];
    if (at % 2 === 1) return [];
    return next === undefined ? [frame] : [joined(frame, next)];
  });
  return [...pairs, ...frames.slice(half)];
}

function joined(first, second) {
  const cells = new Map([...first.changed, ...second.changed].map((cell) => [cell.key, cell]));
  for (const key of second.gone) cells.delete(key);
  const isBack = new Set(second.changed.map(({ key }) => key));
  const gone = new Set([...first.gone.filter((key) => !isBack.has(key)), ...second.gone]);
  return { ...second, changed: [...cells.values()], gone: [...gone] };
}
