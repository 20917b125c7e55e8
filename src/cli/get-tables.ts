/** The tables of `lockstep get`: asks the server for them, prints them, and goes on with what changes. */
import { ApiError } from "../api/status.ts";
import type { Status } from "../api/status.ts";
import { collectionPath, objectPath } from "../runtime/rest-client.ts";
import type { Connection, ConnectionFlags } from "./connect.ts";
import type { Io } from "./io.ts";
import type { Selection } from "./object-arguments.ts";
import { kindPrefix } from "./object-arguments.ts";
import type { ServerTable, TableLayout } from "./table.ts";
import { alignColumns, headerOf, rowOf } from "./table.ts";

export interface GetFlags extends ConnectionFlags {
  readonly output?: "wide" | "json" | "yaml" | "name";
  readonly selector?: string;
  readonly fieldSelector?: string;
  readonly watch?: boolean;
  readonly headers: boolean;
  readonly showLabels?: boolean;
  readonly ignoreNotFound?: boolean;
}

const tableAccept = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json";

export function namespaceOf(connection: Connection, flags: GetFlags): string | undefined {
  return flags.allNamespaces === true ? undefined : connection.namespace;
}

type Group = readonly [Selection, ...Selection[]];

/** Neighbouring selections of the same kind form a group. */
function byResource(selections: readonly Selection[]): readonly Group[] {
  const groups: [Selection, ...Selection[]][] = [];
  for (const selection of selections) {
    const last = groups.at(-1);
    if (last?.[0].resource === selection.resource) last.push(selection);
    else groups.push([selection]);
  }
  return groups;
}

export class TablePrinter {
  readonly #connection: Connection;
  readonly #selections: readonly Selection[];
  readonly #flags: GetFlags;
  readonly #io: Io;
  readonly #versions = new Map<Selection, string>();
  readonly #columns = new Map<Selection, NonNullable<ServerTable["columnDefinitions"]>>();

  constructor(connection: Connection, selections: readonly Selection[], flags: GetFlags, io: Io) {
    this.#connection = connection;
    this.#selections = selections;
    this.#flags = flags;
    this.#io = io;
  }

  async print(): Promise<void> {
    let printed = 0;
    for (const group of byResource(this.#selections)) {
      const lines = this.#lines(group[0], await this.#fetchAll(group));
      if (lines.length === 0) continue;
      if (printed > 0) this.#io.print("");
      for (const line of lines) this.#io.print(line);
      printed++;
    }
    const isQuiet = this.#flags.watch === true || this.#flags.ignoreNotFound === true;
    if (printed === 0 && !isQuiet) this.#io.warn(this.#nothingFound());
  }

  /** Objects of one kind that were named one by one are printed as one table. */
  async #fetchAll(group: readonly Selection[]): Promise<ServerTable> {
    const tables: ServerTable[] = [];
    for (const selection of group) {
      const table = await this.#fetch(selection);
      if (table !== undefined) tables.push(table);
    }
    const rows = tables.flatMap((table) => table.rows ?? []);
    return { kind: "Table", columnDefinitions: tables[0]?.columnDefinitions ?? null, rows };
  }

  async watch(): Promise<void> {
    await Promise.all(this.#selections.map((selection) => this.#watchOne(selection)));
  }

  #nothingFound(): string {
    const namespaced = this.#selections.some(({ resource }) => resource.namespaced);
    if (!namespaced || this.#flags.allNamespaces === true) return "No resources found";
    return `No resources found in ${this.#connection.namespace} namespace.`;
  }

  async #fetch(selection: Selection): Promise<ServerTable | undefined> {
    const response = await this.#connection.transport.request({
      method: "GET",
      path: this.#path(selection),
      query: this.#query(selection),
      accept: tableAccept,
    });
    if (
      response.status === 404 &&
      selection.name !== undefined &&
      this.#flags.ignoreNotFound === true
    ) {
      return undefined;
    }
    if (response.status !== 200) throw new ApiError(response.body as Status);
    const table = response.body as ServerTable;
    this.#versions.set(selection, table.metadata?.resourceVersion ?? "");
    return table;
  }

  #path({ resource, name }: Selection): string {
    const namespace = namespaceOf(this.#connection, this.#flags);
    return name === undefined
      ? collectionPath(resource, namespace)
      : objectPath(resource, { namespace, name });
  }

  #query(selection: Selection): Record<string, string> {
    const { selector, fieldSelector } = this.#flags;
    return {
      ...(selector === undefined ? {} : { labelSelector: selector }),
      ...(fieldSelector === undefined ? {} : { fieldSelector }),
      ...(selection.name === undefined ? {} : { includeObject: "Metadata" }),
    };
  }

  #lines(selection: Selection, table: ServerTable): string[] {
    const columns = table.columnDefinitions ?? this.#columns.get(selection) ?? [];
    const isFirst = !this.#columns.has(selection);
    this.#columns.set(selection, columns);
    const layout = this.#layout(selection);
    const rows = (table.rows ?? []).map((row) => rowOf(row, columns, layout));
    if (rows.length === 0) return [];
    const header = isFirst && this.#flags.headers ? [headerOf(columns, layout)] : [];
    return alignColumns([...header, ...rows]);
  }

  #layout(selection: Selection): TableLayout {
    const showNamespace = this.#flags.allNamespaces === true && selection.resource.namespaced;
    const kinds = new Set(this.#selections.map(({ resource }) => resource));
    return {
      wide: this.#flags.output === "wide",
      showNamespace,
      showLabels: this.#flags.showLabels === true,
      namePrefix: kinds.size > 1 ? kindPrefix(selection) : "",
    };
  }

  async #watchOne(selection: Selection): Promise<void> {
    const { resource, name } = selection;
    const fieldSelector = name === undefined ? this.#flags.fieldSelector : `metadata.name=${name}`;
    const { selector } = this.#flags;
    await this.#connection.transport.stream(
      {
        method: "GET",
        path: collectionPath(resource, namespaceOf(this.#connection, this.#flags)),
        query: {
          watch: "true",
          resourceVersion: this.#versions.get(selection) ?? "",
          ...(selector === undefined ? {} : { labelSelector: selector }),
          ...(fieldSelector === undefined ? {} : { fieldSelector }),
        },
        accept: tableAccept,
        signal: this.#io.stopping,
      },
      (event) => {
        if (event.type === "ERROR") throw new ApiError(event.object);
        if (event.type === "BOOKMARK") return;
        const table = event.object as unknown as ServerTable;
        for (const line of this.#lines(selection, table)) this.#io.print(line);
      },
    );
  }
}
