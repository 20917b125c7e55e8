/** Label selectors of queries: what they match and what is refused. */
import { expect, test } from "vitest";
import { parseLabelSelector } from "./label-selector.ts";

const labels = { app: "web", tier: "front", weight: "5" };

const matches: Record<string, boolean> = {
  "": true,
  "app=web": true,
  "app==web": true,
  "app = web , tier": true,
  "app!=web": false,
  "missing!=x": true,
  "tier in (back, front)": true,
  "tier notin (back)": true,
  "missing notin (a)": true,
  "missing in (a)": false,
  "in in (a)": false,
  missing: false,
  "!missing": true,
  "!app": false,
  "weight>4": true,
  "weight<5": false,
  "app>4": false,
  "app=": false,
};

test.each(Object.entries(matches))("%s matches: %s", (text, want) => {
  expect(parseLabelSelector(text)?.matches(labels) ?? true).toBe(want);
});

const refusals: Record<string, string> = {
  "app=web=x": "found '=', expected: ',' or 'end of string'",
  "app=web,": "found '', expected: identifier after ','",
  ",app": "found ',', expected: !, identifier, or 'end of string'",
  "app in web": "unable to parse requirement: found 'web' expected: '('",
  "app in (a": "unable to parse requirement: found '', expected: ',' or ')'",
  "app near x": "unable to parse requirement: found 'near', expected: in, notin, =, ==, !=, >, <",
};

test.each(Object.entries(refusals))("%s is refused", (text, message) => {
  expect(() => parseLabelSelector(text)).toThrow(message);
});
