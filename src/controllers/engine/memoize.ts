/** Answers of pure functions, computed again only when something that they depend on is another object. */

/** The last answer for every object, with the inputs that it was computed from. */
type Memo<K extends object, R> = (about: K, inputs: readonly unknown[], compute: () => R) => R;

export function memo<K extends object, R>(): Memo<K, R> {
  const answers = new WeakMap<K, { readonly inputs: readonly unknown[]; readonly answer: R }>();
  return (about, inputs, compute) => {
    const known = answers.get(about);
    if (known !== undefined && isSameList(known.inputs, inputs)) return known.answer;
    const answer = compute();
    answers.set(about, { inputs, answer });
    return answer;
  };
}

/**
 * The pure function, with its last answer kept for every object it was asked about. Objects from caches never change:
 * the same object means the same content. `inputs` must be all that the answer depends on besides `about`.
 */
export function memoizeByIdentity<K extends object, I extends readonly unknown[], R>(
  compute: (about: K, ...inputs: I) => R,
): (about: K, ...inputs: I) => R {
  const answers = memo<K, R>();
  return (about, ...inputs) => answers(about, inputs, () => compute(about, ...inputs));
}

/** The same for what depends on nothing else: asked of every pod at every reconcile, it must cost next to nothing. */
export function memoizeOnce<K extends object, R>(compute: (about: K) => R): (about: K) => R {
  const answers = new WeakMap<K, { readonly answer: R }>();
  return (about) => {
    const known = answers.get(about);
    if (known !== undefined) return known.answer;
    const answer = compute(about);
    answers.set(about, { answer });
    return answer;
  };
}

/** Whether both hold the very same things in the same order. */
export function isSameList(a: readonly unknown[], b: readonly unknown[]): boolean {
  if (a.length !== b.length) return false;
  for (let index = 0; index < a.length; index += 1) if (a[index] !== b[index]) return false;
  return true;
}
