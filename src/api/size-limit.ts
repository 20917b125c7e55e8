/** Pods, cliques and claims that one object may ask for: more could not be looked after without harm to all others. */
export const mostParts = 20_000;
