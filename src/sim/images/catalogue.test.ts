import { expect, test } from "vitest";
import type { Pod } from "../../api/pod.ts";
import {
  annotationProblems,
  behaviourOf,
  defaultCatalogue,
  matchesGlob,
  parseCatalogue,
} from "./catalogue.ts";

function podWith(image: string, annotations: Record<string, string> = {}): Pod {
  return { metadata: { name: "p", annotations }, spec: { containers: [{ name: "app", image }] } };
}

const shipped: Record<string, { image: string; want: object }> = {
  "an ordinary image is ready soon": { image: "app:v1", want: { readySeconds: 1 } },
  "a broken tag fails to pull": {
    image: "registry/app:v2-broken",
    want: { pullError: expect.stringContaining("manifest unknown") as string },
  },
  "a bad tag fails to pull": {
    image: "app:bad",
    want: { pullError: expect.stringContaining("manifest unknown") as string },
  },
  "a repository called badger pulls well": { image: "badger/app:v1", want: { readySeconds: 1 } },
  "a crash image exits with an error": {
    image: "app:crash",
    want: { exitAfterSeconds: 2, exitCode: 1 },
  },
  "a slow image starts slowly": { image: "slow/app:v1", want: { startSeconds: 30 } },
  "a never-ready image never is": { image: "app:never-ready", want: { readySeconds: "never" } },
};

test.each(Object.entries(shipped))("in the shipped catalogue %s", (_name, { image, want }) => {
  expect(behaviourOf(defaultCatalogue(), podWith(image), "app")).toMatchObject(want);
});

test("a repository named like a bad tag does not make its images broken", () => {
  const behaviour = behaviourOf(defaultCatalogue(), podWith("badger/app:v1"), "app");
  expect(behaviour.pullError).toBeUndefined();
});

test("a file's entries override the shipped ones field by field", () => {
  const catalogue = parseCatalogue(
    "images:\n- match: '*:crash'\n  exitAfterSeconds: 60\n- match: 'mine/*'\n  readySeconds: 7\n",
    "images.yaml",
  );
  expect(behaviourOf(catalogue, podWith("mine/app:crash"), "app")).toMatchObject({
    exitAfterSeconds: 60,
    exitCode: 1,
    readySeconds: 7,
  });
});

const badFiles: Record<string, { text: string; want: string }> = {
  "text that is no YAML": { text: "images: [", want: "images.yaml: not YAML" },
  "no list of images": { text: "image: x", want: "images.yaml: images: must be a list" },
  "an entry without match": {
    text: "images:\n- readySeconds: 1",
    want: "images.yaml: images[0].match: must be a text",
  },
  "an unknown field": {
    text: "images:\n- match: a\n- match: b\n  readySecond: 1",
    want: "images.yaml: images[1].readySecond: unknown field; use one of pullSeconds",
  },
  "a value out of range": {
    text: "images:\n- match: a\n  exitCode: 300",
    want: "images.yaml: images[0].exitCode: must be a whole number from 0 to 255, not 300",
  },
};

test.each(Object.entries(badFiles))("a catalogue with %s is refused", (_name, { text, want }) => {
  expect(() => parseCatalogue(text, "images.yaml")).toThrow(want);
});

test("annotations override the catalogue, those for one container the general ones", () => {
  const pod = podWith("app:crash", {
    "sim.lockstep.dev/exit-after-seconds": "90",
    "sim.lockstep.dev/ready-seconds": "never",
    "sim.lockstep.dev/ready-seconds.app": "2.5",
  });
  expect(behaviourOf(defaultCatalogue(), pod, "app")).toMatchObject({
    exitAfterSeconds: 90,
    readySeconds: 2.5,
  });
});

test("bad annotations are named and have no effect", () => {
  const pod = podWith("app:v1", {
    "sim.lockstep.dev/ready-seconds": "soon",
    "sim.lockstep.dev/mood": "bad",
    "other.dev/x": "y",
  });
  expect(annotationProblems(pod)).toEqual([
    'annotation sim.lockstep.dev/ready-seconds: must be a number of seconds, 0 or more, or "never", not "soon"',
    expect.stringContaining(
      "annotation sim.lockstep.dev/mood is not known; known are pull-seconds",
    ),
  ]);
  expect(behaviourOf(defaultCatalogue(), pod, "app").readySeconds).toBe(1);
});

test("a star matches any text and nothing else is special", () => {
  expect(matchesGlob("a.b*:v(1)", "a.b/c:v(1)")).toBe(true);
  expect(matchesGlob("a.b*", "axb")).toBe(false);
});

test("of images without end only the last ones are remembered", () => {
  const catalogue = defaultCatalogue();
  const of = (image: string) => {
    const { spec } = podWith(image);
    return behaviourOf(catalogue, { metadata: { name: "p" }, spec }, "app");
  };
  const first = of("app:v1");
  expect(of("app:v1")).toBe(first);
  for (let index = 0; index < 2_000; index++) of(`app:build-${index}`);
  expect(of("app:v1")).not.toBe(first);
  expect(of("app:v1")).toEqual(first);
});
