/** Value rules of plain numbers. */
import { invalid, type FieldError } from "../../api/field-error.ts";
import { negativeProblem, positiveProblem } from "../../api/problem-text.ts";

export function validateNonNegative(value: number | undefined, path: string): FieldError[] {
  return value !== undefined && value < 0 ? [invalid(path, value, negativeProblem)] : [];
}

export function validatePositive(value: number, path: string): FieldError[] {
  return value <= 0 ? [invalid(path, value, positiveProblem)] : [];
}
