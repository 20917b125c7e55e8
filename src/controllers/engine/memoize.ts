/** Answers that are computed again only when what they were computed from is another object. */

/**
 * The pure function, with its last answer kept for every object it was asked about. Objects from caches never change:
 * the same object means the same content. `inputs` must be all that the answer depends on besides `about`.
 */
export function memoizeByIdentity<K extends object, I extends readonly unknown[], R>(
  compute: (about: K, ...inputs: I) => R,
): (about: K, ...inputs: I) => R {
  const answers = new WeakMap<K, { readonly inputs: I; readonly answer: R }>();
  return (about, ...inputs) => {
    const known = answers.get(about);
    if (known !== undefined && isSameList(known.inputs, inputs)) return known.answer;
    const answer = compute(about, ...inputs);
    answers.set(about, { inputs, answer });
    return answer;
  };
}

/** Whether both hold the very same things in the same order. */
export const isSameList = (a: readonly unknown[], b: readonly unknown[]): boolean =>
  a.length === b.length && a.every((each, index) => each === b[index]);
