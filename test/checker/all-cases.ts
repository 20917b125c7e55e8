/** All cases to verify, or the chosen part of them. */
import type { Case } from "./case.ts";
import { coordinationCases, quickCoordination, wholeCoordination } from "./coordination-model.ts";
import { placementCases, quickPlacement, wholePlacement } from "./placement-model.ts";
import { quickTrials, rolloutCases, wholeTrials } from "./rollout-cases.ts";

export interface Choice {
  readonly units: number | undefined;
  readonly policy: string | undefined;
  readonly isQuick: boolean;
}

export function allCases({ units, policy, isQuick }: Choice): Case[] {
  const cases = [
    ...coordinationCases(isQuick ? quickCoordination : wholeCoordination),
    ...placementCases(isQuick ? quickPlacement : wholePlacement),
    ...rolloutCases(isQuick ? quickTrials : wholeTrials),
  ];
  return cases.filter(
    (each) =>
      (units === undefined || each.units === units) &&
      (policy === undefined || each.policy === policy),
  );
}
