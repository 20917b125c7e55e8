/** What the server adds to the smallest object of every kind. */
import { expect, test } from "vitest";
import type { Sample } from "../samples.ts";
import { otherSamples, workloadSamples } from "../samples.ts";
import type { Cluster } from "../scene.ts";
import { stable } from "../stable.ts";
import { otherDefaults } from "./other-defaults.ts";
import { workloadDefaults } from "./workload-defaults.ts";

const samples: Readonly<Record<string, Sample>> = { ...workloadSamples, ...otherSamples };
const wants = { ...workloadDefaults, ...otherDefaults };

export function defaults(cluster: () => Cluster): void {
  test.each(Object.entries(samples))("%s", async (name, { resource, object }) => {
    const { create, fill, unfill } = await cluster().scene();
    const created = await create(resource, fill(object));
    expect(unfill(stable(created))).toEqual(wants[name]);
  });
}
