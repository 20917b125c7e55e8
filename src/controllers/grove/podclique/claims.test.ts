import { expect, test } from "vitest";
import { withClaims } from "./claims.ts";

const app = { name: "app", image: "app:v1" };

test("a pod without shared claims is what it was, to the object", () => {
  const podSpec = { containers: [app] };
  expect(withClaims(podSpec, [])).toBe(podSpec);
});

test("every container and init container may use every shared claim", () => {
  const podSpec = { containers: [app], initContainers: [{ name: "load", image: "load:v1" }] };
  expect(withClaims(podSpec, ["chat-all-gpu", "chat-0-nic"])).toEqual({
    resourceClaims: [
      { name: "chat-all-gpu", resourceClaimName: "chat-all-gpu" },
      { name: "chat-0-nic", resourceClaimName: "chat-0-nic" },
    ],
    containers: [
      { ...app, resources: { claims: [{ name: "chat-all-gpu" }, { name: "chat-0-nic" }] } },
    ],
    initContainers: [
      {
        name: "load",
        image: "load:v1",
        resources: { claims: [{ name: "chat-all-gpu" }, { name: "chat-0-nic" }] },
      },
    ],
  });
});

test("claims of the user's own come first, and an entry of the same name stays as written", () => {
  const podSpec = {
    resourceClaims: [
      { name: "own", resourceClaimName: "mine" },
      { name: "chat-all-gpu", resourceClaimName: "other" },
    ],
    containers: [
      { ...app, resources: { limits: { cpu: 1 }, claims: [{ name: "own", request: "big" }] } },
    ],
  };
  expect(withClaims(podSpec, ["chat-all-gpu"])).toEqual({
    resourceClaims: podSpec.resourceClaims,
    containers: [
      {
        ...app,
        resources: {
          limits: { cpu: 1 },
          claims: [{ name: "own", request: "big" }, { name: "chat-all-gpu" }],
        },
      },
    ],
  });
});

test.each([
  ["too long", `chat-all-${"gpu".repeat(20)}`],
  ["dotted", "chat-all-gpu.example.com"],
])("a claim whose name is %s for a pod goes by a short name there, always the same", (_, claim) => {
  const names = [1, 2].map(() => {
    const { resourceClaims } = withClaims({ containers: [app] }, [claim]) as unknown as {
      resourceClaims: { name: string; resourceClaimName: string }[];
    };
    expect(resourceClaims[0]?.resourceClaimName).toBe(claim);
    return resourceClaims[0]?.name;
  });
  expect(names[0]).toMatch(/^claim-[a-z0-9]{10}$/);
  expect(names[1]).toBe(names[0]);
});
