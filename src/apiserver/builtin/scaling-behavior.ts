/** Value rules of how fast an autoscaler may scale up and down. */
import { invalid, notSupported, required, type FieldError } from "../../api/field-error.ts";

export interface ScalingPolicy {
  type: string;
  value: number;
  periodSeconds: number;
}

export interface ScalingRules {
  stabilizationWindowSeconds?: number;
  selectPolicy?: string;
  policies?: ScalingPolicy[];
  tolerance?: string;
}

const maxPeriodSeconds = 1800;
const maxWindowSeconds = 3600;
const selections = ["Disabled", "Max", "Min"];
const policyTypes = ["Percent", "Pods"];

export function validateScalingRules(rules: ScalingRules | undefined, path: string): FieldError[] {
  if (rules === undefined) return [];
  const { stabilizationWindowSeconds: seconds, selectPolicy, policies = [] } = rules;
  const errors: FieldError[] = [];
  const at = `${path}.stabilizationWindowSeconds`;
  if (seconds !== undefined && seconds < 0) {
    errors.push(invalid(at, seconds, "must be greater than or equal to zero"));
  }
  if (seconds !== undefined && seconds > maxWindowSeconds) {
    errors.push(invalid(at, seconds, `must be less than or equal to ${maxWindowSeconds}`));
  }
  if (selectPolicy !== undefined && !selections.includes(selectPolicy)) {
    errors.push(notSupported(`${path}.selectPolicy`, selectPolicy, selections));
  }
  if (policies.length === 0) {
    errors.push(required(`${path}.policies`, "must specify at least one Policy"));
  }
  policies.forEach((policy, index) => {
    errors.push(...validatePolicy(policy, `${path}.policies[${index}]`));
  });
  return errors;
}

function validatePolicy({ type, value, periodSeconds }: ScalingPolicy, path: string): FieldError[] {
  const errors: FieldError[] = [];
  if (!policyTypes.includes(type)) errors.push(notSupported(`${path}.type`, type, policyTypes));
  if (value <= 0) errors.push(invalid(`${path}.value`, value, "must be greater than zero"));
  const at = `${path}.periodSeconds`;
  if (periodSeconds <= 0) errors.push(invalid(at, periodSeconds, "must be greater than zero"));
  if (periodSeconds > maxPeriodSeconds) {
    errors.push(invalid(at, periodSeconds, `must be less than or equal to ${maxPeriodSeconds}`));
  }
  return errors;
}
