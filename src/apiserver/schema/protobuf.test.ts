import * as fc from "fast-check";
import { expect, test } from "vitest";
import { readProtobuf } from "./protobuf.ts";

/** A message from its fields: text and bytes by length, numbers as varints, lists of fields as messages. */
type Value = string | number | bigint | Uint8Array | readonly Sent[];
type Sent = readonly [number: number, value: Value];

function message(...fields: readonly Sent[]): Buffer {
  return Buffer.concat(fields.map(([number, value]) => field(number, value)));
}

function field(number: number, value: Value): Buffer {
  if (typeof value === "number" || typeof value === "bigint") {
    return Buffer.concat([varint(BigInt(number) << 3n), varint(BigInt.asUintN(64, BigInt(value)))]);
  }
  const bytes =
    typeof value === "string" || value instanceof Uint8Array
      ? Buffer.from(value)
      : message(...value);
  const tag = varint((BigInt(number) << 3n) | 2n);
  return Buffer.concat([tag, varint(BigInt(bytes.length)), bytes]);
}

function varint(value: bigint): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 0x80n; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
  return Buffer.from([...bytes, Number(rest)]);
}

const body = (apiVersion: string, kind: string, ...object: readonly Sent[]): Buffer =>
  Buffer.concat([
    Buffer.from("k8s\0"),
    message(
      [
        1,
        [
          [1, apiVersion],
          [2, kind],
        ],
      ],
      [2, message(...object)],
    ),
  ]);

/** Name and a time that was never set. */
const meta: Sent = [
  1,
  [
    [1, "a"],
    [8, []],
  ],
];

const cases: Record<string, { given: Buffer; want: object }> = {
  "text, maps and bytes": {
    given: body(
      "v1",
      "ConfigMap",
      meta,
      [
        2,
        [
          [1, "k"],
          [2, "v"],
        ],
      ],
      [
        3,
        [
          [1, "b"],
          [2, "\u0001"],
        ],
      ],
    ),
    want: {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "a" },
      data: { k: "v" },
      binaryData: { b: "AQ==" },
    },
  },
  "numbers, also negative ones, and lists of messages": {
    given: body("apps/v1", "StatefulSet", meta, [
      2,
      [
        [1, -1n],
        [
          3,
          [
            [
              2,
              [
                [
                  2,
                  [
                    [1, "main"],
                    [2, "nginx"],
                  ],
                ],
                [4, 30],
              ],
            ],
          ],
        ],
      ],
    ]),
    want: {
      apiVersion: "apps/v1",
      kind: "StatefulSet",
      metadata: { name: "a" },
      spec: {
        replicas: -1,
        template: {
          spec: {
            containers: [{ name: "main", image: "nginx" }],
            terminationGracePeriodSeconds: 30,
          },
        },
      },
    },
  },
  "numbers or text, quantities and times": {
    given: body(
      "policy/v1",
      "PodDisruptionBudget",
      [
        1,
        [
          [1, "a"],
          [8, [[1, 1_700_000_000]]],
        ],
      ],
      [
        2,
        [
          [
            1,
            [
              [1, 1],
              [3, "50%"],
            ],
          ],
          [
            3,
            [
              [1, 0],
              [2, 2],
            ],
          ],
        ],
      ],
    ),
    want: {
      apiVersion: "policy/v1",
      kind: "PodDisruptionBudget",
      metadata: { name: "a", creationTimestamp: "2023-11-14T22:13:20Z" },
      spec: { minAvailable: "50%", maxUnavailable: 2 },
    },
  },
  "structs that are inlined in JSON": {
    given: body("v1", "Pod", [
      2,
      [
        [
          1,
          [
            [1, "data"],
            [2, [[19, [[1, [[1, "settings"]]]]]]],
          ],
        ],
      ],
    ]),
    want: {
      apiVersion: "v1",
      kind: "Pod",
      spec: { volumes: [{ name: "data", configMap: { name: "settings" } }] },
    },
  },
  "the options of a deletion, which every group has": {
    given: body("apps/v1", "DeleteOptions", [1, 5], [2, [[1, "u"]]], [5, "All"]),
    want: {
      apiVersion: "apps/v1",
      kind: "DeleteOptions",
      gracePeriodSeconds: 5,
      preconditions: { uid: "u" },
      dryRun: ["All"],
    },
  },
  "fields that nobody knows are left out": {
    given: body("v1", "ConfigMap", meta, [99, "x"], [98, 7]),
    want: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } },
  },
};

test.each(Object.entries(cases))("%s", (_what, { given, want }) => {
  expect(readProtobuf(given)).toEqual(want);
});

test("a kind without a protobuf form is not read", () => {
  expect(readProtobuf(body("grove.io/v1alpha1", "PodCliqueSet", meta))).toBeUndefined();
});

const refusals: Record<string, { given: Buffer; want: string }> = {
  "no protobuf at all": { given: Buffer.from("{}"), want: "does not appear to be a protobuf" },
  "an end in the middle": {
    given: body("v1", "ConfigMap", meta).subarray(0, -3),
    want: "unexpected EOF",
  },
  "a length beyond the end": {
    given: Buffer.concat([Buffer.from("k8s\0"), Buffer.from([0x0a, 0xff, 0xff, 0xff, 0x0f])]),
    want: "unexpected EOF",
  },
  "an unknown wire type": {
    given: Buffer.concat([Buffer.from("k8s\0"), Buffer.from([0x0b, 0])]),
    want: "illegal wireType 3",
  },
  "a number without an end": {
    given: Buffer.concat([Buffer.from("k8s\0"), Buffer.alloc(20, 0xff)]),
    want: "integer overflow",
  },
};

test.each(Object.entries(refusals))("%s is refused", (_what, { given, want }) => {
  expect(() => readProtobuf(given)).toThrow(want);
});

test("a schema that nests without end is refused", () => {
  let schema: readonly Sent[] = [[5, "object"]];
  // JSONSchemaProps.not contains a schema.
  for (let depth = 0; depth < 1000; depth++) schema = [[27, schema]];
  const version: readonly Sent[] = [
    [1, "v1"],
    [4, [[1, schema]]],
  ];
  const given = body("apiextensions.k8s.io/v1", "CustomResourceDefinition", [2, [[7, version]]]);
  expect(() => readProtobuf(given)).toThrow("nested deeper");
});

function outcome(sent: Buffer): string {
  try {
    readProtobuf(sent);
    return "read";
  } catch (error) {
    return error instanceof Error ? error.name : "something else";
  }
}

test("whatever is sent is read or refused, and nothing reaches prototypes", () => {
  const prefix = Buffer.concat([
    Buffer.from("k8s\0"),
    message([
      1,
      [
        [1, "v1"],
        [2, "Pod"],
      ],
    ]),
    Buffer.from([0x12]),
  ]);
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 120 }), (bytes) => {
      const sent = Buffer.concat([prefix, varint(BigInt(bytes.length)), bytes]);
      expect(["read", "Error", "RangeError", "SyntaxError"]).toContain(outcome(sent));
      expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
    }),
  );
  const proto = body("v1", "ConfigMap", [
    2,
    [
      [1, "__proto__"],
      [2, "x"],
    ],
  ]);
  const read = readProtobuf(proto) as { data: object };
  expect(Object.getOwnPropertyNames(read.data)).toEqual(["__proto__"]);
});
