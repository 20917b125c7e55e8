/** Reads numbers from flags, with errors that name the flag. */
import { InvalidArgumentError } from "commander";

export function wholeNumber(minimum: number, maximum: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^[0-9]+$/.test(text) && value >= minimum && value <= maximum) return value;
    throw new InvalidArgumentError(`Want a whole number from ${minimum} to ${maximum}.`);
  };
}

export function positiveNumber(maximum: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (text.trim() !== "" && value > 0 && value <= maximum) return value;
    throw new InvalidArgumentError(`Want a number above 0 and at most ${maximum}.`);
  };
}
