/** Memoizes a pure function by a key of its argument. */
export function memoizeByKey<Given, Answer>(
  keyOf: (given: Given) => string,
  answer: (given: Given) => Answer,
): (given: Given) => Answer {
  const answers = new Map<string, Answer>();
  return (given) => {
    const key = keyOf(given);
    const known = answers.get(key);
    if (known !== undefined) return known;
    const found = answer(given);
    answers.set(key, found);
    return found;
  };
}
