/** For promises checked after every event, some hundred thousand times: `expect` is too slow there. */
export function must(isTrue: boolean, promise: string, detail: () => unknown): void {
  if (!isTrue) throw new Error(`${promise}: ${JSON.stringify(detail())}`);
}
